// What all resources of one server share (engine.md R39): how many requests are out, and what the server asks of
// everybody. The decisions are the WebAssembly module's.

const gates = new WeakMap();

export class OriginGate {
  #origin;
  #now;
  #numbers = 0;
  /** What starts a request that waits, by its number. */
  #starts = new Map();
  #resources = new Set();
  #restraint = {};

  /** The gate of the server at an address: one for each scheme, host and port. */
  static of(engine, address, now) {
    if (!gates.has(engine)) gates.set(engine, new Map());
    const known = gates.get(engine);
    const origin = originOf(address);
    if (!known.has(origin)) known.set(origin, new OriginGate(engine, now));
    return known.get(origin);
  }

  constructor(engine, now) {
    this.#origin = engine.origin();
    this.#now = now;
  }

  /** Tells a resource what the server asks, now and whenever that changes. Returns what ends it. */
  join(resource) {
    this.#resources.add(resource);
    resource.restrain(this.#restraint);
    return () => this.#resources.delete(resource);
  }

  /** Adds a request; `start()` sends it as soon as there is a place. Returns its number. */
  ask(priority, start) {
    this.#numbers += 1;
    const number = this.#numbers;
    this.#starts.set(number, start);
    // Not within the event that ordered it: its resource is not done yet.
    queueMicrotask(() => this.#starts.has(number) && this.#handle({ event: "asks", with: { number, priority } }));
    return number;
  }

  /** A request was cancelled, sent or not. */
  withdraw(number) {
    this.#starts.delete(number);
    this.#handle({ event: "withdrew", with: { number } });
  }

  /** A request took too long. */
  tooSlow(number) {
    const wasSent = !this.#starts.delete(number);
    if (wasSent) this.#handle({ event: "ended", with: { number, now: this.#now(), outcome: "timedOut" } });
    else this.#handle({ event: "withdrew", with: { number } });
  }

  /** A request ended. */
  ended(number, arrival) {
    const { outcome, marks, rateLimit = null } = arrival;
    const report = { number, now: this.#now(), outcome, serverTime: marks.serverTime ?? null, rateLimit, resources: this.#resources.size };
    if (outcome === "content") report.revision = 0;
    if (outcome === "undecodable") report.reason = 0;
    if (outcome === "throttled") report.retryAfter = arrival.retryAfter;
    this.#handle({ event: "ended", with: report });
  }

  #handle(event) {
    const { restraint, send } = this.#origin.handle(event);
    if (JSON.stringify(restraint) !== JSON.stringify(this.#restraint)) {
      this.#restraint = restraint;
      // Not within an event of a machine: its orders come first.
      for (const resource of this.#resources) queueMicrotask(() => this.#resources.has(resource) && resource.restrain(this.#restraint));
    }
    for (const number of send) {
      const start = this.#starts.get(number);
      this.#starts.delete(number);
      start?.();
    }
  }
}

/** Scheme, host and port of an address. */
function originOf(address) {
  try {
    return new URL(address, globalThis.location?.href).origin;
  } catch {
    // Only the `fetch` of the application knows what it is relative to: all such addresses count as one server's.
    return "";
  }
}
