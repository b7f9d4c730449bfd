// The stream of all worktrees: its events, put together to whole lists.

import { readEventStream } from "./event-stream.js";
import { afterEvent } from "./workspace-list.js";

const ADDRESS = "/v1/events";

export const tagOf = (revision) => `"${revision}"`;

export class WorkspaceStream {
  #abort = new AbortController();
  #base;

  /**
   * Opens the stream; it tells its listener what the refresh machine wants to know.
   *
   * @param {object | null} copy - The list at hand: `{ body }`.
   * @param {object} fields - Further fields of the request.
   * @param {object} listener - As of a `BoardStream`.
   */
  constructor(copy, fields, listener) {
    this.listener = listener;
    this.#base = copy?.body ?? null;
    this.#run(fields);
  }

  close() {
    this.#abort.abort();
  }

  async #run(fields) {
    const lastId = this.#base?.revision ?? null;
    const tell = (act) => this.#abort.signal.aborted || act();
    try {
      await readEventStream(ADDRESS, {
        lastId,
        fields,
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

  #take({ id, data }) {
    const message = JSON.parse(data);
    const event = message.event ?? {};
    const marks = { serverTime: Number.isFinite(message.timestamp) ? Math.trunc(message.timestamp) : null };
    if (event.type === "reset") {
      // A snapshot follows.
      this.#base = null;
    } else if (event.type === "heartbeat") {
      // It names the newest revision: the list at hand, or one of which an event is still to come.
      if (this.#base && message.id === this.#base.revision) this.#deliver("unchanged", null, data.length, marks);
    } else {
      const body = afterEvent(event, id, this.#base);
      if (body === null) return this.listener.gap();
      if (body === this.#base) return;
      this.#base = body;
      this.#deliver("content", body, data.length, marks);
    }
  }

  #deliver(outcome, body, bytes, marks) {
    const tag = body === null ? null : tagOf(body.revision);
    this.listener.delivered({ outcome, status: 200, body, tag, bytes, marks, hints: {} });
  }
}
