// A world for tests of the driver: a clock moved by hand, timers that follow it, and a network that is written down.

import { Engine, FreshnessClient } from "../../JavaScript/freshness/index.js";
import { readFile } from "node:fs/promises";

const module = new WebAssembly.Module(await readFile(new URL("../../JavaScript/freshness/freshness.wasm", import.meta.url)));

/** An engine of its own, as every page has one. */
export const newEngine = () => new Engine(new WebAssembly.Instance(module, {}));

/** An interval without jitter, so that a test can say when a request is due. */
export const STEADY = { every: 10_000, jitter: "none", unchangedLimit: null, unchangedFor: null };

export class World {
  time = 0;
  requests = [];
  sockets = [];
  #timers = new Map();
  #numbers = 0;
  #listeners = new Set();
  #state = { lifecycle: "foreground", connectivity: "online" };
  /** Answers a request: `{ status, headers, body, after, fail, hang }`. */
  answer = () => ({ body: {} });

  constructor(options = {}) {
    this.timers = { setTimeout: (act, wait) => this.#set(act, wait), clearTimeout: (number) => this.#timers.delete(number) };
    this.device = {
      now: () => this.time,
      listen: (listener) => {
        listener({ event: "lifecycle", with: { to: this.#state.lifecycle } });
        listener({ event: "connectivity", with: { to: this.#state.connectivity } });
        this.#listeners.add(listener);
        return () => this.#listeners.delete(listener);
      },
    };
    this.engine = newEngine();
    const world = this;
    class Socket {
      constructor(address, protocols) {
        Object.assign(this, { address, protocols, isClosed: false });
        world.sockets.push(this);
      }

      close() {
        this.isClosed = true;
      }
    }
    this.client = new FreshnessClient({
      engine: this.engine, policy: STEADY, device: this.device, timers: this.timers, fetch: (address, init) => this.#fetch(address, init), WebSocket: Socket, ...options,
    });
  }

  get timersSet() {
    return this.#timers.size;
  }

  #set(act, wait) {
    this.#numbers += 1;
    this.#timers.set(this.#numbers, { at: this.time + Math.max(0, wait), act });
    return this.#numbers;
  }

  #fetch(address, { headers, signal }) {
    const request = { address, headers, signal, at: this.time };
    this.requests.push(request);
    return new Promise((resolve, reject) => {
      const given = this.answer(request, this.requests.length);
      signal.addEventListener("abort", () => reject(signal.reason), { once: true });
      if (given.hang) return;
      const finish = () => {
        if (given.fail) return reject(new TypeError(given.fail));
        const { status = 200, body = null, headers: fields = {} } = given;
        const text = body === null || status === 304 || body instanceof ReadableStream ? body : typeof body === "string" ? body : JSON.stringify(body);
        const isEmpty = [204, 304].includes(status);
        resolve(new Response(isEmpty ? null : text, { status, headers: { Date: new Date(this.time + 1.7e12).toUTCString(), ...fields } }));
      };
      if (given.after) this.#set(finish, given.after);
      else finish();
    });
  }

  /** Lets everything happen that can happen without time. */
  async settle() {
    for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  }

  /** Moves the clock on, timer by timer. */
  async run(ms) {
    const end = this.time + ms;
    await this.settle();
    for (;;) {
      const [number, next] = [...this.#timers].reduce((first, one) => (one[1].at < first[1].at ? one : first), [null, { at: Infinity }]);
      if (next.at > end) break;
      this.#timers.delete(number);
      this.time = Math.max(this.time, next.at);
      next.act();
      await this.settle();
    }
    // What a test runs may have taken time.
    this.time = Math.max(this.time, end);
  }

  /** The device says something to the engine. */
  async says(event, to) {
    if (to !== undefined) this.#state[event] = to;
    for (const listener of [...this.#listeners]) listener(to === undefined ? { event } : { event, with: { to } });
    await this.settle();
  }
}

/** A stream of events whose text the test writes. */
export function eventStream() {
  let controller;
  const body = new ReadableStream({ start: (given) => (controller = given) });
  const encoder = new TextEncoder();
  return {
    answer: { status: 200, headers: { "Content-Type": "text/event-stream" }, body },
    write: (text) => controller.enqueue(encoder.encode(text)),
    end: () => controller.close(),
  };
}
