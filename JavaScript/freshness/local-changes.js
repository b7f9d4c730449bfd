// Changes that the application shows before the server has confirmed them (R38). They are applied over the server's value, so that
// a refused change can be taken back although the value below it has changed since. Pure.

/** The maximum number of changes of one resource that are shown before the server has confirmed them. */
export const MOST_CHANGES = 64;

export class LocalChanges {
  /** In the order in which they were made: `{ change, acceptedAt, outstanding }`; `acceptedAt` is `null` while its request is out. */
  #changes = [];
  #base = null;
  #applied = null;

  /** How many changes are not confirmed. */
  get count() {
    return this.#changes.length;
  }

  /**
   * Adds a change whose request goes out now; returns what the other methods take.
   *
   * @param {(value: any) => any} change - Returns the changed value and leaves the given one as it is.
   * @throws {RangeError} If too many requests are out; of changes that the server has accepted, the oldest is no longer shown.
   */
  add(change) {
    if (this.#changes.length >= MOST_CHANGES) {
      const oldest = this.#changes.find(({ acceptedAt }) => acceptedAt !== null);
      if (oldest === undefined) throw new RangeError(`the requests of more than ${MOST_CHANGES} changes are out`);
      this.takeBack(oldest);
    }
    const entry = { change, acceptedAt: null, outstanding: null };
    this.#set([...this.#changes, entry]);
    return entry;
  }

  /** Takes a change back: its request failed. */
  takeBack(entry) {
    this.#set(this.#changes.filter((other) => other !== entry));
  }

  /**
   * The server has accepted a change by an instant; it stays until a value of that instant or later. The request that is then
   * out, if any, does not confirm it, in whichever millisecond it was sent.
   */
  accepted(entry, now, outstanding = null) {
    // The machine counts whole milliseconds.
    [entry.acceptedAt, entry.outstanding] = [Math.floor(now), outstanding];
  }

  /** Drops the changes that a value as of an instant includes, by the response to a request or by the stream; returns whether there were any. */
  confirm(asOf, request = null) {
    const waiting = this.#changes.filter(({ acceptedAt, outstanding }) => acceptedAt === null || acceptedAt > asOf || (request !== null && request === outstanding));
    if (waiting.length === this.#changes.length) return false;
    this.#set(waiting);
    return true;
  }

  /** Drops every change. */
  clear() {
    this.#set([]);
  }

  /** Returns the value with all changes; the same object while neither changed. A change that throws is left out. */
  apply(base) {
    if (this.#changes.length === 0 || base === null) return base;
    if (this.#applied !== null && this.#base === base) return this.#applied.value;
    this.#base = base;
    this.#applied = { value: this.#changes.reduce((value, entry) => changed(value, entry), base) };
    return this.#applied.value;
  }

  #set(changes) {
    this.#changes = changes;
    this.#applied = null;
  }
}

function changed(value, { change }) {
  try {
    return change(value) ?? value;
  } catch {
    return value;
  }
}
