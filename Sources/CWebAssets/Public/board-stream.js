// The stream of one board: its events, put together to whole boards.

import { isBoard } from "./board-answer.js";
import { readEventStream } from "./event-stream.js";
import { hintsOf, marksOfBody } from "./marks.js";

export class BoardStream {
  #abort = new AbortController();
  #base;

  /**
   * Opens the stream; it tells its listener what the refresh machine wants to know.
   *
   * @param {string} address - Where.
   * @param {object | null} copy - The board at hand: `{ body, tag }`.
   * @param {object} listener - `opened(isResumed)`, `heard()`, `gap()`, `delivered(arrival)`, `lost()`,
   *   `retry(ms)`: the stream named its reconnection time; and `wait`: after how many milliseconds it is opened.
   */
  constructor(address, copy, listener) {
    this.listener = listener;
    this.#base = copy?.tag ? { body: copy.body, id: copy.tag } : null;
    this.#run(address);
  }

  close() {
    this.#abort.abort();
  }

  async #run(address) {
    const lastId = this.#base?.id ?? null;
    const tell = (act) => this.#abort.signal.aborted || act();
    try {
      await readEventStream(address, {
        lastId,
        signal: this.#abort.signal,
        wait: this.listener.wait,
        onRetry: (ms) => tell(() => this.listener.retry(ms)),
        onOpen: () => tell(() => this.listener.opened(lastId !== null)),
        onLife: () => tell(() => this.listener.heard()),
        onEvent: (event) => tell(() => this.#take(event)),
      });
    } catch {
      // A stream that breaks is a stream that is lost; the machine decides what follows.
    }
    tell(() => this.listener.lost());
  }

  #take({ name, id, data }) {
    if (name === "reset") {
      this.#base = null;
      return this.listener.gap();
    }
    const document = JSON.parse(data);
    if (name === "verified") return this.#deliver("unchanged", null, id, data.length, document);
    const body = name === "change" ? this.#changed(document) : document;
    if (!isBoard(body)) return this.listener.gap();
    this.#base = { body, id };
    this.#deliver("content", body, id, data.length, body);
  }

  #deliver(outcome, body, tag, bytes, source) {
    this.listener.delivered({ outcome, status: 200, body, tag, bytes, marks: marksOfBody(source), hints: hintsOf(source, null) });
  }

  /** The board before, with what is different. */
  #changed({ removed, departures, order, ...rest }) {
    if (!this.#base) return null;
    const byKey = new Map([...this.#base.body.departures, ...departures].map((departure) => [departure.key, departure]));
    for (const key of removed) byKey.delete(key);
    const listed = order.map((key) => byKey.get(key));
    return listed.includes(undefined) ? null : { ...this.#base.body, ...rest, departures: listed };
  }
}
