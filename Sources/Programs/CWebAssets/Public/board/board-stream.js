// The stream of one board: its events, put together to whole boards.

import { isBoard } from "./board-answer.js";
import { readEventStream } from "../engine/event-stream.js";
import { hintsOf, metadataOfBody } from "../engine/metadata.js";
import { ResourceStream } from "../engine/resource-stream.js";

export class BoardStream extends ResourceStream {
  #base;

  /**
   * Opens the stream.
   *
   * @param {string} address - Where.
   * @param {object | null} copy - The board at hand: `{ body, tag }`.
   * @param {object} listener - As of a `ResourceStream`.
   */
  constructor(address, copy, listener) {
    super(listener);
    this.#base = copy?.tag ? { body: copy.body, id: copy.tag } : null;
    this.run(readEventStream, address, { lastId: this.#base?.id ?? null });
  }

  take({ name, id, data }) {
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
    this.deliver(outcome, { body, tag, bytes, metadata: metadataOfBody(source), hints: hintsOf(source, null) });
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
