// The events of the page and its network, in the terms of the refresh machine. It makes no decisions.

import { steadyClock } from "./clock.js";

export class Device {
  #listeners = new Set();
  #lifecycle = null;
  #connectivity = null;

  constructor() {
    this.#look();
    // Without a page, as under node, everything is in the foreground.
    if (typeof document === "undefined") return;
    document.addEventListener("visibilitychange", () => this.#look());
    document.addEventListener("freeze", () => this.#moved("suspended"));
    document.addEventListener("resume", () => this.#look());
    addEventListener("pagehide", () => this.#moved("suspended"));
    addEventListener("pageshow", () => this.#look());
    addEventListener("focus", () => this.#tell({ event: "focused" }));
    for (const name of ["online", "offline"]) addEventListener(name, () => this.#connected());
    navigator.connection?.addEventListener?.("change", () => this.#connected());
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
    if (steadyClock.notice()) this.#tell({ event: "slept" });
  }

  #look() {
    this.#moved(globalThis.document?.hidden ? "background" : "foreground");
    this.#connected();
  }

  #moved(to) {
    if (this.#lifecycle === to) return;
    this.#lifecycle = to;
    this.#tell({ event: "lifecycle", with: { to } });
  }

  #connected() {
    /** @type {Partial<Navigator>} */
    const { onLine, connection } = globalThis.navigator ?? {};
    const to = onLine === false ? "offline" : connection?.saveData ? "metered" : "online";
    if (this.#connectivity === to) return;
    this.#connectivity = to;
    this.#tell({ event: "connectivity", with: { to } });
  }

  #tell(event) {
    for (const listener of this.#listeners) listener(event);
  }
}
