// Parses server-sent events (WHATWG HTML section 9.2.6) from chunks of text, with comments as heartbeats. EventSource
// lacks three things that the refresh machine needs: it does not report comments, which are heartbeats; it reconnects
// by its own schedule; and a new one cannot resume after the last event.

import { outcomeOf, retryAfter } from "./response.js";

/** The maximum number of characters of an event; more counts as a broken stream. */
const LONGEST_EVENT = 8_000_000;
/** The longest reconnection time that is honored. */
const LONGEST_RETRY_MS = 300_000;

/** Waits, unless the signal aborts first. */
export const pause = (ms, signal) =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    signal?.addEventListener("abort", () => {
      clearTimeout(timer);
      reject(signal.reason);
    }, { once: true });
  });

export class EventStreamParser {
  /** The reconnection time set by the stream, in milliseconds, or `null`. */
  retry = null;
  #rest = "";
  #data = [];
  #name = "";
  #size = 0;
  #id = null;

  /** Parses a chunk of the stream; returns the events that it completes: `{ name, id, data }`. */
  feed(text) {
    const events = [];
    let rest = this.#rest + text;
    // A CR at the end may be the first half of CRLF.
    const held = rest.endsWith("\r") ? "\r" : "";
    if (held) rest = rest.slice(0, -1);
    const lines = rest.split(/\r\n|\n|\r/);
    this.#rest = lines.pop() + held;
    for (const line of lines) this.#line(line, events);
    if (this.#size + this.#rest.length > LONGEST_EVENT) throw new RangeError("the event is too long");
    return events;
  }

  #line(line, events) {
    if (line === "") return this.#dispatch(events);
    if (line.startsWith(":")) return;
    const colon = line.indexOf(":");
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (field === "data") this.#data.push(value);
    if (field === "event") this.#name = value;
    if (field === "retry" && /^[0-9]+$/.test(value)) this.retry = Math.min(Number(value), LONGEST_RETRY_MS);
    if (field === "id" && !value.includes("\0")) this.#id = value;
    this.#size += line.length;
  }

  #dispatch(events) {
    if (this.#data.length > 0) events.push({ name: this.#name || "message", id: this.#id, data: this.#data.join("\n") });
    [this.#data, this.#name, this.#size] = [[], "", 0];
  }
}

/**
 * Reads a stream until it ends.
 *
 * @param {string} address - The URL.
 * @param {object} options - `lastId`: the id of the last event, or `null`; `fields`: further fields of the
 *   request; `signal`: ends it; `wait`: milliseconds before it is opened; `send`: as `fetch`; `onOpen()`; `onLife()`:
 *   data arrived; `onRetry(ms)`: the stream set its reconnection time; `onEvent(event)`.
 * @throws {TypeError} If the response is not an event stream; its `status` is that of the response, and its `pause` what the server asks
 *   for before another request (R39): `retryAfter`, and `serverTime` by its `Date`.
 */
export async function readEventStream(address, { lastId, fields = {}, signal, wait = 0, send = fetch, onOpen, onLife, onRetry = () => {}, onEvent }) {
  if (wait > 0) await pause(wait, signal);
  const headers = { ...fields, Accept: "text/event-stream" };
  if (lastId !== null) headers["Last-Event-ID"] = lastId;
  const response = await send(address, { headers, signal, cache: "no-store" });
  const type = response.headers.get("content-type") ?? "";
  if (response.status !== 200 || !/^text\/event-stream *(;|$)/i.test(type)) {
    throw Object.assign(new TypeError(`no stream: ${response.status}`), { status: response.status, pause: pauseOf(response) });
  }
  onOpen();
  const parser = new EventStreamParser();
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
    onLife();
    const events = parser.feed(piece.value);
    if (parser.retry !== null) onRetry(parser.retry);
    for (const event of events) onEvent(event);
  }
}

/** Returns the pause that a response asks for, or `null`. */
function pauseOf({ status, headers }) {
  if (outcomeOf(status, headers) !== "throttled") return null;
  const date = Date.parse(headers.get("date") ?? "");
  return { retryAfter: retryAfter(headers), serverTime: Number.isNaN(date) ? null : date };
}
