// Reads the messages of a WebSocket, with the interface of `readEventStream`. Browsers do not expose pings: to keep a quiet
// socket alive, the server sends a message within each heartbeat interval.

import { pause } from "./event-stream.js";

/** The maximum number of characters of a message; more counts as a broken stream. */
const LONGEST_MESSAGE = 8_000_000;

/**
 * Reads a WebSocket until it ends.
 *
 * @param {string} address - The URL; `http` and `https`, and relative ones, become `ws` and `wss`.
 * @param {object} options - `protocols`; `signal`: ends it; `wait`: milliseconds before it is opened; `Socket`:
 *   as `WebSocket`; `onOpen()`; `onLife()`: a message arrived; `onEvent({ name: "message", id: null, data })`: a text message.
 * @throws {TypeError} If it cannot be opened or fails.
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
