// A stream about one resource, open until it is closed or lost: it tells the driver what the refresh machine wants to
// know (R33), and a subclass makes whole values of its events.

export class ResourceStream {
  #abort = new AbortController();

  /**
   * @param {object} listener - `opened(isResumed)`, `heard()`, `gap()`, `delivered(arrival)`, `lost()`, `retry(ms)`: the
   *   stream named its reconnection time; and `wait`: after how many milliseconds it is opened.
   */
  constructor(listener) {
    this.listener = listener;
  }

  /**
   * Reads until the stream ends; a stream that breaks is lost, and the machine decides what follows.
   *
   * @param {Function} read - `readEventStream` or `readWebSocket`.
   * @param {string} address - Where.
   * @param {object} options - Of `read`. With a `lastId` the stream goes on where the last one ended.
   */
  async run(read, address, options = {}) {
    const tell = (act) => this.#abort.signal.aborted || act();
    const lastId = options.lastId ?? null;
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
    } catch {
      // It could not be opened, it broke, or it said what nobody can read.
    }
    tell(() => this.listener.lost());
    // What could not be read still comes in: the connection ends here.
    this.close();
  }

  /** Takes an event: `{ name, id, data }`. What it throws ends the stream. */
  take() {}

  /** Tells of a whole value, or that the one at hand is as it was. */
  deliver(outcome, { body = null, tag = null, bytes, marks = {}, hints = {} }) {
    this.listener.delivered({ outcome, status: 200, body, tag, bytes, marks, hints });
  }

  close() {
    this.#abort.abort();
  }
}
