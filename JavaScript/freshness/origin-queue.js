// The state that all resources of one server share (engine.md R39): the requests in flight, and the server's limits.
// The WebAssembly module makes the decisions.

const queues = new WeakMap();

export class OriginQueue {
  #origin;
  #name;
  #now;
  #numbers = 0;
  /** The queued requests, by number: `start(isHeld)` sends one, `delay()` takes one back, and `isLongPoll`. */
  #starts = new Map();
  /** The priorities of those that the module's queue has no room for, by number. */
  #beyond = new Map();
  #isRefilling = false;
  /** The numbers of all requests that have not ended, queued or sent. */
  #outstanding = new Set();
  #resources = new Set();
  #restraint = {};

  /**
   * Returns the origin of the server at a URL: one for each scheme, host and port. A new one has the ladder and the cap of
   * `policy`, the client's.
   */
  static of(engine, address, policy, now) {
    if (!queues.has(engine)) queues.set(engine, new Map());
    const known = queues.get(engine);
    return remembered(known, originOf(address), (name) => new OriginQueue(engine, policy, now, name));
  }

  constructor(engine, policy, now, name) {
    this.#origin = engine.origin(policy);
    this.#name = name;
    this.#now = now;
  }

  /** Whether no resource and no request uses the origin. */
  get isUnused() {
    return this.#resources.size === 0 && this.#outstanding.size === 0;
  }

  /** Whether the server limits requests or fails. */
  get isRestrained() {
    return Object.values(this.#restraint).some((limit) => limit !== null);
  }

  /** Whether the server fails, so that one request at a time probes it. */
  get isFailing() {
    return (this.#restraint.quietUntil ?? null) !== null;
  }

  /** The number of resources that poll, which share the server's limit. */
  get #running() {
    let count = 0;
    for (const resource of this.#resources) if (resource.isRunning) count += 1;
    return Math.max(count, 1);
  }

  /** Releases the memory of the origin. */
  destroy() {
    this.#origin.destroy();
  }

  /** Passes the server's limits to a resource, now and whenever they change. Returns a function that ends it. */
  join(resource) {
    this.#resources.add(resource);
    resource.restrain(this.#restraint);
    return () => this.#resources.delete(resource);
  }

  /**
   * Adds a request; `start(isHeld)` sends it when it is admitted: held by the server if it is a long poll and no more
   * are held than half of a browser's connections to a server, otherwise as an ordinary request. `delay()` is called instead if
   * the server has asked for a pause meanwhile: the request is not sent. Returns its number.
   */
  ask({ priority, longPoll }, start, delay = () => {}) {
    this.#numbers += 1;
    const number = this.#numbers;
    this.#starts.set(number, { start, delay, isLongPoll: longPoll !== null });
    this.#outstanding.add(number);
    // Not within the event that ordered it: its resource is still handling that.
    queueMicrotask(() => this.#starts.has(number) && this.#enqueue(number, priority));
    return number;
  }

  /** Sends a request that waits before those of the schedule: the user asked for it too. */
  hurry(number) {
    if (this.#starts.has(number)) this.#enqueue(number, "high");
  }

  /** Returns whether the module's queue had room for a request; if not, it is added as soon as there is room. */
  #enqueue(number, priority) {
    try {
      this.#handle({ event: "asks", with: { number, priority, isLongPoll: this.#starts.get(number).isLongPoll } });
    } catch (failure) {
      if (failure.code !== "noRoom") throw failure;
      this.#beyond.set(number, priority);
      return false;
    }
    this.#beyond.delete(number);
    return true;
  }

  /** Moves requests to the module's queue while it has room, those of the user first. */
  #refill() {
    if (this.#isRefilling) return;
    this.#isRefilling = true;
    try {
      while (this.#beyond.size > 0) {
        const next = this.#nextBeyond();
        // Sent meanwhile: it was hurried again right after it had been admitted.
        if (!this.#starts.has(next)) this.#beyond.delete(next);
        else if (!this.#enqueue(next, this.#beyond.get(next))) return;
      }
    } finally {
      this.#isRefilling = false;
    }
  }

  #nextBeyond() {
    for (const [number, priority] of this.#beyond) if (priority === "high") return number;
    return this.#beyond.keys().next().value;
  }

  /**
   * Opens an event stream, which occupies one of the few connections of a browser to a server, like a held request:
   * calls `open` if there is a place, and `refuse` otherwise. Returns its number, for `withdraw` when it ends; `null` if
   * the server is known to share one connection among all requests.
   */
  stream(open, refuse) {
    if (this.#sharesConnection()) {
      queueMicrotask(open);
      return null;
    }
    this.#numbers += 1;
    const number = this.#numbers;
    this.#outstanding.add(number);
    const start = () => {
      // Closed before it was opened.
      if (!this.#outstanding.has(number)) return;
      let isOpen = false;
      this.#starts.set(number, { start: () => (isOpen = true), isStream: true });
      this.#handle({ event: "opens", with: { number } });
      this.#starts.delete(number);
      if (isOpen) return open();
      this.#outstanding.delete(number);
      refuse();
    };
    // Not within the event that ordered it: its resource is still handling that.
    queueMicrotask(start);
    return number;
  }

  /** Returns whether the last response of the server came over HTTP/2 or later, as far as the browser reports. */
  #sharesConnection() {
    /** @type {any[]} With `nextHopProtocol`, which is empty if the server does not let the page know. */
    const entries = globalThis.performance?.getEntriesByType?.("resource") ?? [];
    const known = entries.filter(({ name, nextHopProtocol }) => nextHopProtocol && name.startsWith(`${this.#name}/`));
    return /^h[23]/.test(known.at(-1)?.nextHopProtocol ?? "");
  }

  /** Records that a request was canceled, sent or not, or that a stream ended. */
  withdraw(number) {
    this.#drop(number);
    this.#handle({ event: "withdrew", with: { number } });
  }

  /** Records that the server did not respond to a request in time. */
  tooSlow(number) {
    this.#drop(number);
    this.#handle({ event: "ended", with: { number, outcome: "timedOut" } });
  }

  #drop(number) {
    this.#outstanding.delete(number);
    this.#starts.delete(number);
    this.#beyond.delete(number);
  }

  /** Records that a request ended. */
  ended(number, received) {
    this.#outstanding.delete(number);
    const { outcome, metadata, rateLimit = null } = received;
    const report = { number, outcome, serverTime: metadata.serverTime ?? null, rateLimit, resources: this.#running };
    if (outcome === "content") report.revision = 0;
    if (outcome === "undecodable") report.reason = 0;
    if (outcome === "throttled") report.retryAfter = received.retryAfter;
    this.#handle({ event: "ended", with: report });
  }

  /** Records that the server refused a stream and asks for a pause. */
  asksForPause({ retryAfter, serverTime }) {
    // No request has this number.
    this.#handle({ event: "ended", with: { number: 0, outcome: "throttled", retryAfter, serverTime, rateLimit: null, resources: this.#running } });
  }

  #handle(event) {
    event.with.now ??= this.#now();
    const { restraint, send, delayed } = this.#origin.handle(event);
    if (JSON.stringify(restraint) !== JSON.stringify(this.#restraint)) {
      this.#restraint = restraint;
      // Not within an event of a machine: its effects come first.
      for (const resource of this.#resources) queueMicrotask(() => this.#resources.has(resource) && resource.restrain(this.#restraint));
    }
    for (const { number, isHeld } of send) this.#start(number, isHeld);
    for (const number of delayed) this.#takeBack(number);
    // A message takes some hundreds of them.
    if (delayed.length > 0) this.#handle({ event: "withdrew", with: { number: 0 } });
    if (event.event !== "asks") this.#refill();
  }

  #start(number, isHeld) {
    const { start, isStream } = this.#starts.get(number) ?? {};
    if (start === undefined) return;
    if (isStream) return start();
    // Whatever ends many requests at once ends this one too, unsent.
    queueMicrotask(() => this.#starts.delete(number) && start(isHeld));
  }

  #takeBack(number) {
    const { delay } = this.#starts.get(number) ?? {};
    this.#drop(number);
    // After its resource has the server's limits.
    if (delay) queueMicrotask(delay);
  }
}

/**
 * Returns the queue of an origin, and creates it if it is not known. The module limits the number of origins: beyond it,
 * the queue that was asked for longest ago and is unused is forgotten, one under a restraint last. If all are in use,
 * further origins share one queue.
 */
function remembered(known, origin, create) {
  let queue = known.get(origin);
  if (queue === undefined) {
    try {
      queue = create(origin);
    } catch (failure) {
      if (failure.code !== "tooManyMachines") throw failure;
      const unused = [...known].filter(([, other]) => other.isUnused);
      const [name, oldest] = unused.find(([, other]) => !other.isRestrained) ?? unused[0] ?? [];
      if (oldest === undefined) return known.values().next().value;
      known.delete(name);
      oldest.destroy();
      queue = create(origin);
    }
  }
  // The order of the map is that of use.
  known.delete(origin);
  known.set(origin, queue);
  return queue;
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
