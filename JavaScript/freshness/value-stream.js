// The stream of a resource: its events as whole values.

import { readEventStream } from "./event-stream.js";
import { instant, truncationOf } from "./metadata.js";
import { ResourceStream } from "./resource-stream.js";
import { readWebSocket } from "./web-socket.js";

/** The greatest time of a `Date`, in milliseconds. */
const LATEST_TIME = 8.64e15;

/** @type {(event: any, value: any) => any} The default reducer: an event carries the whole value as JSON. */
const wholeValue = ({ data }) => ({ value: JSON.parse(data) });

/** A time in milliseconds, from a `Date`, a number, or a string that `Date.parse` accepts. */
export function timeOf(value) {
  const time = typeof value === "string" ? instant(value) ?? NaN : Number(value);
  return Math.abs(time) <= LATEST_TIME ? Math.trunc(time) : null;
}

/** A length in whole milliseconds, from a number or the digits of one; 0 for anything else. */
export function spanOf(value) {
  const span = typeof value === "string" && value.trim() === "" ? NaN : Number(value);
  return Number.isFinite(span) ? Math.max(0, Math.min(Math.trunc(span), LATEST_TIME)) : 0;
}

/** A stream of whole values, by events or messages. */
export class ValueStream extends ResourceStream {
  #reduce;

  constructor({ address, transport = "events", reduce = wholeValue, resumes = false, protocols }, { lastId, headers, client, keepId }, listener) {
    super(listener);
    this.#reduce = reduce;
    this.keepId = keepId;
    if (transport === "webSocket") this.run(readWebSocket, String(address), { protocols, Socket: client.Socket });
    else this.run(readEventStream, String(address), { fields: headers, send: client.send, lastId: resumes ? lastId : null });
  }

  /** @param {any} event - Of the stream. */
  take(event) {
    /** @type {any} A value with its times, or a word: `gap`, `unchanged`. */
    const made = this.#reduce(event, this.listener.current());
    if (made == null) return;
    if (made === "gap") return this.listener.gap();
    if (event.id !== null) this.keepId(event.id);
    const bytes = event.data.length;
    const metadata = { status: "applied", ...metadataOf(made) };
    if (made === "unchanged") return this.deliver("unchanged", { bytes, metadata });
    this.deliver("content", { body: made.value, tag: made.tag ?? null, bytes, metadata });
  }
}

/** The metadata of a value: when it was made, and the server's clock. */
export function metadataOf({ madeAt = null, serverTime = null } = {}) {
  const metadata = {};
  const [made, now] = [madeAt, serverTime].map((time) => (time == null ? null : timeOf(time)));
  // A value's own time is reported, and its age with it: the server's figure is of something else.
  if (made !== null) Object.assign(metadata, { fetchedAt: made, cacheAge: null });
  if (now === null) return metadata;
  const isWhole = typeof serverTime === "string" ? truncationOf(serverTime) > 0 : now % 1000 === 0;
  return { ...metadata, serverTime: now, truncation: isWhole ? 999 : 0 };
}
