// A client that keeps resources fresh: one module, one device and one clock for all of them.

import { Device } from "./device.js";
import { Engine } from "./freshness.js";
import { FreshResource } from "./fresh-resource.js";

/** How long a resource that nobody watches any more stays as it is, so that a view that is drawn again finds it running. */
const LINGER_MS = 1000;
/** The resources that nobody watches whose copies are kept. */
const MOST_IDLE = 32;
const TICK_MS = 1000;

/** Loads the module that lies beside these files. */
async function loadModule() {
  const address = new URL("./freshness.wasm", import.meta.url);
  if (address.protocol !== "file:") return Engine.load(fetch(address));
  // Node fetches no files.
  const { readFile } = await import("node:fs/promises");
  return Engine.load(await readFile(address));
}

export class FreshnessClient {
  static #shared = null;

  /** The client of a page that needs only one: the elements and the hooks use it where nothing else is said. */
  static get shared() {
    return (FreshnessClient.#shared ??= new FreshnessClient());
  }

  static set shared(client) {
    FreshnessClient.#shared = client;
  }

  #source;
  #engine = null;
  #resources = new Map();
  #idle = new Set();
  #watched = new Set();
  #ticking = null;
  #isClosed = false;

  /**
   * @param {object} options - All may be left out. `engine`: an `Engine`, what `Engine.load` takes, or a function that
   *   returns that, if not the module beside this file; `policy`: of resources that name none; `headers`: an object or a function that returns one,
   *   further fields of every request; `fetch`; `WebSocket`; `device`: as `Device`; `timers`: an object with `setTimeout`
   *   and `clearTimeout`; `linger`: milliseconds that a resource goes on unwatched.
   */
  constructor({ engine = null, policy = "departuresWeb", headers = {}, fetch: send, WebSocket: Socket, device, timers = globalThis, linger = LINGER_MS } = {}) {
    this.#source = engine;
    this.policy = policy;
    this.headers = headers;
    this.send = send;
    this.Socket = Socket;
    this.device = device ?? new Device();
    this.timers = timers;
    this.linger = linger;
  }

  /** The engine, loaded once; a load that failed is tried again. */
  get engine() {
    if (this.#engine === null) {
      const loaded = this.#load();
      loaded.catch(() => (this.#engine = null));
      this.#engine = loaded;
    }
    return this.#engine;
  }

  async #load() {
    const source = typeof this.#source === "function" ? this.#source() : this.#source;
    if (source === null) return loadModule();
    return source instanceof Engine ? source : Engine.load(source);
  }

  /**
   * The resource at an address: the same for all who name it, so that many views poll once. Nothing is asked for until
   * somebody watches it.
   *
   * @param {string | URL} address - Where.
   * @param {object} options - As of `FreshResource`; `key`: tells resources of one address apart, the address itself by
   *   default. The options of the first who names a resource count.
   * @throws {TypeError} If the resource is there with another policy.
   */
  resource(address, options = {}) {
    if (this.#isClosed) throw new TypeError("the client is closed");
    const key = String(options.key ?? address);
    const known = this.#resources.get(key);
    if (!known) {
      const resource = new FreshResource(this, key, String(address), options);
      this.#resources.set(key, resource);
      // One that nobody ever watches is let go like one that nobody watches any more.
      this.wentIdle(resource);
      return resource;
    }
    if (options.policy !== undefined && JSON.stringify(options.policy) !== JSON.stringify(known.wishedPolicy)) {
      throw new TypeError(`${key} is kept fresh with the policy ${JSON.stringify(known.wishedPolicy)}; give another one a key of its own`);
    }
    return known;
  }

  /** The values of a resource, for `for await`: as `FreshResource.values`, with its options and those of `resource`. */
  values(address, { ticking, signal, ...options } = {}) {
    return this.resource(address, options).values({ ticking, signal });
  }

  get isClosed() {
    return this.#isClosed;
  }

  /** The resources, in the order in which they were first named. */
  get resources() {
    return [...this.#resources.values()];
  }

  /** Drops every copy, for another person or another token; what is watched is asked for anew. */
  forget() {
    for (const resource of this.#resources.values()) resource.forget();
  }

  /** Ends everything: no request, no stream, no timer. */
  close() {
    this.#isClosed = true;
    for (const resource of this.#resources.values()) resource.end();
    this.#resources.clear();
    this.#idle.clear();
    this.#watched.clear();
    this.#tick();
  }

  // MARK: What resources tell

  /** Somebody watches a resource. */
  becameWatched(resource) {
    if (this.#isClosed) throw new TypeError("the client is closed");
    this.#idle.delete(resource);
    this.#watched.add(resource);
    if (!this.#resources.has(resource.key)) this.#resources.set(resource.key, resource);
    if (this.#ticking === null) this.#tick();
  }

  /** Nobody watches a resource. Its copy is kept while there are not too many such. */
  wentIdle(resource) {
    this.#watched.delete(resource);
    this.#idle.delete(resource);
    this.#idle.add(resource);
    if (this.#watched.size === 0) this.#tick();
    while (this.#idle.size > MOST_IDLE) {
      const [oldest] = this.#idle;
      this.#idle.delete(oldest);
      if (this.#resources.get(oldest.key) === oldest) this.#resources.delete(oldest.key);
      oldest.end();
    }
  }

  /** Every second while something is watched: ages grow, and sleep is noticed. */
  #tick() {
    this.timers.clearTimeout(this.#ticking);
    this.#ticking = null;
    if (this.#watched.size === 0) return;
    this.#ticking = this.timers.setTimeout(() => this.#tick(), TICK_MS);
    this.device.tick?.();
    for (const resource of [...this.#watched]) resource.tick();
  }
}
