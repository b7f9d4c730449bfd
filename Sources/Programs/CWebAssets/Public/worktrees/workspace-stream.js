// The stream of all worktrees: its events, put together to whole lists.

import { readEventStream } from "../engine/event-stream.js";
import { ResourceStream } from "../engine/resource-stream.js";
import { afterEvent } from "./workspace-list.js";

const ADDRESS = "/v1/events";

export const tagOf = (revision) => `"${revision}"`;

export class WorkspaceStream extends ResourceStream {
  #base;

  /**
   * Opens the stream.
   *
   * @param {object | null} copy - The list at hand: `{ body }`.
   * @param {object} fields - Further fields of the request.
   * @param {object} listener - As of a `ResourceStream`.
   */
  constructor(copy, fields, listener) {
    super(listener);
    this.#base = copy?.body ?? null;
    this.run(readEventStream, ADDRESS, { lastId: this.#base?.revision ?? null, fields });
  }

  take({ id, data }) {
    const message = JSON.parse(data);
    const event = message.event ?? {};
    const metadata = { serverTime: Number.isFinite(message.timestamp) ? Math.trunc(message.timestamp) : null };
    if (event.type === "reset") {
      // A snapshot follows.
      this.#base = null;
    } else if (event.type === "heartbeat") {
      // It names the newest revision: the list at hand, or one of which an event is still to come.
      if (this.#base && message.id === this.#base.revision) this.deliver("unchanged", { bytes: data.length, metadata });
    } else {
      const body = afterEvent(event, id, this.#base);
      if (body === null) return this.listener.gap();
      if (body === this.#base) return;
      this.#base = body;
      this.deliver("content", { body, tag: tagOf(body.revision), bytes: data.length, metadata });
    }
  }
}
