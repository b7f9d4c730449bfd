// The events of the page and its network, in the terms of the refresh machine. It makes no decisions.

import { steadyClock } from "./clock.js";

export class Device {
  #listeners = new Set();
  #lifecycle = null;
  #connectivity = null;
  #ending = new AbortController();

  constructor() {
    this.#check();
    // Without a page, as under node, everything is in the foreground.
    if (typeof document === "undefined") return;
    const { signal } = this.#ending;
    const hears = (target, name, heard) => target?.addEventListener?.(name, heard, { signal });
    hears(document, "visibilitychange", () => this.#check());
    hears(document, "freeze", () => this.#moved("suspended"));
    hears(document, "resume", () => this.#check());
    hears(globalThis, "pagehide", () => this.#moved("suspended"));
    hears(globalThis, "pageshow", () => this.#check());
    hears(globalThis, "focus", () => this.#send({ event: "focused" }));
    for (const name of ["online", "offline"]) hears(globalThis, name, () => this.#connected());
    hears(globalThis.navigator?.connection, "change", () => this.#connected());
  }

  /** Ends listening to the page. */
  close() {
    this.#ending.abort();
  }

  /** Returns the instant of an event. */
  now() {
    return steadyClock.now();
  }

  get lifecycle() {
    return this.#lifecycle;
  }

  get connectivity() {
    return this.#connectivity;
  }

  /** Reports the current state of the device to a listener, and then every event. Returns a function that ends it. */
  listen(listener) {
    listener({ event: "lifecycle", with: { to: this.#lifecycle } });
    listener({ event: "connectivity", with: { to: this.#connectivity } });
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Called every second: detects that the device slept. */
  tick() {
    if (steadyClock.notice()) this.#send({ event: "slept" });
  }

  #check() {
    this.#moved(globalThis.document?.hidden ? "background" : "foreground");
    this.#connected();
  }

  #moved(to) {
    if (this.#lifecycle === to) return;
    this.#lifecycle = to;
    this.#send({ event: "lifecycle", with: { to } });
  }

  #connected() {
    /** @type {Partial<Navigator>} */
    const { onLine, connection } = globalThis.navigator ?? {};
    const to = onLine === false ? "offline" : connection?.saveData ? "metered" : "online";
    if (this.#connectivity === to) return;
    this.#connectivity = to;
    this.#send({ event: "connectivity", with: { to } });
  }

  #send(event) {
    for (const listener of this.#listeners) listener(event);
  }
}
