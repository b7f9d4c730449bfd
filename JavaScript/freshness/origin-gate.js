// The state that all resources of one server share (engine.md R39): the requests in flight, and the server's limits.
// The WebAssembly module makes the decisions.

const gates = new WeakMap();

export class OriginGate {
  #origin;
  #now;
  #numbers = 0;
  /** The functions that send queued requests, by number. */
  #starts = new Map();
  #resources = new Set();
  #restraint = {};

  /** Returns the origin of the server at a URL: one for each scheme, host and port. */
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

  /** Passes the server's limits to a resource, now and whenever they change. Returns a function that ends it. */
  join(resource) {
    this.#resources.add(resource);
    resource.restrain(this.#restraint);
    return () => this.#resources.delete(resource);
  }

  /** Adds a request; `start()` sends it when it is admitted. Returns its number. */
  ask(priority, start) {
    this.#numbers += 1;
    const number = this.#numbers;
    this.#starts.set(number, start);
    // Not within the event that ordered it: its resource is still handling that.
    queueMicrotask(() => this.#starts.has(number) && this.#handle({ event: "asks", with: { number, priority } }));
    return number;
  }

  /** Records that a request was canceled, sent or not. */
  withdraw(number) {
    this.#starts.delete(number);
    this.#handle({ event: "withdrew", with: { number } });
  }

  /** Records that a request took too long. */
  tooSlow(number) {
    const wasSent = !this.#starts.delete(number);
    if (wasSent) this.#handle({ event: "ended", with: { number, now: this.#now(), outcome: "timedOut" } });
    else this.#handle({ event: "withdrew", with: { number } });
  }

  /** Records that a request ended. */
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
      // Not within an event of a machine: its effects come first.
      for (const resource of this.#resources) queueMicrotask(() => this.#resources.has(resource) && resource.restrain(this.#restraint));
    }
    for (const number of send) {
      const start = this.#starts.get(number);
      this.#starts.delete(number);
      start?.();
    }
  }
}

/** Returns the scheme, host and port of a URL. */
function originOf(address) {
  try {
    return new URL(address, globalThis.location?.href).origin;
  } catch {
    // Only the application's `fetch` knows the base of a relative URL: all of them count as one server's.
    return "";
  }
}
