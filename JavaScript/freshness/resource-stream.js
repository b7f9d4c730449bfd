// A stream of one resource, from its opening to its end (R33). A subclass turns its events into whole values.

export class ResourceStream {
  #abort = new AbortController();

  /**
   * @param {object} listener - `opened(isResumed)`, `heard()`, `gap()`, `delivered(received)`; `lost(pause)`: with what the server
   *   asks for before another request, or `null`; `retry(ms)`: the stream set its reconnection time; `current()`: the
   *   copy's body, or `null`; and `wait`: milliseconds before it is opened.
   */
  constructor(listener) {
    this.listener = listener;
  }

  /**
   * Reads the stream to its end, then reports it as lost; the machine decides what follows.
   *
   * @param {Function} read - `readEventStream` or `readWebSocket`.
   * @param {string} address - The URL.
   * @param {object} options - Of `read`. With a `lastId` the stream resumes after that event.
   */
  async run(read, address, options = {}) {
    const tell = (act) => this.#abort.signal.aborted || act();
    const lastId = options.lastId ?? null;
    let pause = null;
    try {
      await read(address, {
        ...options,
        lastId,
        signal: this.#abort.signal,
        wait: this.listener.wait,
        onRetry: (ms) => tell(() => this.listener.retry(ms)),
        onOpen: () => tell(() => this.listener.opened(lastId !== null)),
        onLife: () => tell(() => this.listener.heard()),
        onEvent: (event) => tell(() => this.take(event)),
      });
    } catch (failure) {
      // It could not be opened, it broke, or an event could not be read.
      pause = failure?.pause ?? null;
    }
    tell(() => this.listener.lost(pause));
    // After an unreadable event the connection is still open.
    this.close();
  }

  /**
   * Handles an event. An error ends the stream.
   *
   * @param {{ name: string, id: string | null, data: string }} event
   */
  take(event) {}

  /** Delivers a whole value (`content`), or confirms the current one (`unchanged`). */
  deliver(outcome, { body = null, tag = null, bytes, metadata = {}, hints = {} }) {
    this.listener.delivered({ outcome, status: 200, body, tag, bytes, metadata, hints });
  }

  close() {
    this.#abort.abort();
  }
}
