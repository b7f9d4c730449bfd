// The messages of a WebSocket, as `readEventStream` reads server-sent events. A browser keeps the pings of a WebSocket
// to itself: a server that wants a quiet socket to count as alive sends a message now and then.

import { pause } from "./event-stream.js";

/** The most characters that a message may have: more is a broken stream. */
const LONGEST_MESSAGE = 8_000_000;

/**
 * Reads a WebSocket until it ends.
 *
 * @param {string} address - Where: `wss:`, or the address of a page's own server, whose scheme is taken over.
 * @param {object} options - `protocols`; `signal`: ends it; `wait`: after how many milliseconds it is opened; `Socket`:
 *   as `WebSocket`; `onOpen()`; `onLife()`: something came; `onEvent({ name: "message", id: null, data })`: a text came.
 * @throws {TypeError} If it cannot be opened or breaks.
 */
export async function readWebSocket(address, { protocols = [], signal, wait = 0, Socket = WebSocket, onOpen, onLife, onEvent }) {
  if (wait > 0) await pause(wait, signal);
  signal?.throwIfAborted();
  const url = new URL(address, globalThis.location?.href);
  url.protocol = url.protocol.replace(/^http/, "ws");
  const socket = new Socket(url.href, protocols);
  const close = () => socket.close();
  signal?.addEventListener("abort", close, { once: true });
  try {
    await new Promise((resolve, reject) => {
      const take = ({ data }) => {
        onLife();
        if (typeof data !== "string") return;
        if (data.length > LONGEST_MESSAGE) throw new RangeError("the message is too long");
        onEvent({ name: "message", id: null, data });
      };
      socket.onopen = () => onOpen();
      socket.onmessage = (message) => {
        try {
          take(message);
        } catch (failure) {
          reject(failure);
        }
      };
      socket.onerror = () => reject(new TypeError("the WebSocket failed"));
      socket.onclose = ({ code }) => (code === 1000 ? resolve() : reject(new TypeError(`the WebSocket closed: ${code}`)));
    });
  } finally {
    signal?.removeEventListener("abort", close);
    [socket.onopen, socket.onmessage, socket.onerror, socket.onclose] = [null, null, null, null];
    close();
  }
}
