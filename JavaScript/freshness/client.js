// A client that keeps resources fresh: one module, one device and one clock for all of them.

import { Device } from "./device.js";
import { Engine } from "./freshness.js";
import { FreshResource } from "./fresh-resource.js";
import { mutate } from "./mutation.js";

/** How long a resource stays active after its last observer left, so that a view that is drawn again finds it active. */
const LINGER_MS = 1000;
/** The maximum number of resources without observers whose copies are kept. */
const MOST_IDLE = 32;
const TICK_MS = 1000;

/** The engine of all clients that are not given one: the resources of a page share their origins (R39). */
let ownEngine = null;

/** Loads the module beside this file, once. */
function loadOwn() {
  if (ownEngine === null) {
    const loading = loadModule();
    loading.catch(() => (ownEngine = null));
    ownEngine = loading;
  }
  return ownEngine;
}

async function loadModule() {
  const address = new URL("./freshness.wasm", import.meta.url);
  if (address.protocol !== "file:") return Engine.load(fetch(address));
  // Node does not fetch files.
  const { readFile } = await import("node:fs/promises");
  return Engine.load(await readFile(address));
}

/** Returns the whole URL of an address, where its base is known: one resource has one key. */
function resolved(address) {
  try {
    return new URL(address, globalThis.document?.baseURI ?? globalThis.location?.href).href;
  } catch {
    return address;
  }
}

export class FreshnessClient {
  static #shared = null;

  /** The default client: elements and hooks use it unless they are given another one. */
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
  #ownsDevice;

  /**
   * @param {object} options - All optional. `engine`: an `Engine`, what `Engine.load` takes, or a function that
   *   returns that; by default the module beside this file, loaded once for all clients. Clients of one engine share the
   *   places and limits of a server; `policy`: the default of resources; `headers`: an object or a function that returns one,
   *   further fields of every request; `fetch`; `WebSocket`; `device`: as `Device`; `timers`: an object with `setTimeout`
   *   and `clearTimeout`; `linger`: milliseconds that a resource runs on without observers.
   */
  constructor({ engine = null, policy = "departuresWeb", headers = {}, fetch: send, WebSocket: Socket, device, timers = globalThis, linger = LINGER_MS } = {}) {
    this.#source = engine;
    this.policy = policy;
    this.headers = headers;
    this.send = send;
    this.Socket = Socket;
    this.device = device ?? new Device();
    this.#ownsDevice = device == null;
    this.timers = timers;
    this.linger = linger;
  }

  /** The engine. Loads once; tries again after a failure. */
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
    if (source === null) return loadOwn();
    return source instanceof Engine ? source : Engine.load(source);
  }

  /**
   * Returns the resource at an address: one object for all views, so that they poll once. Requests nothing before the
   * resource has an observer.
   *
   * @param {string | URL} address - The URL.
   * @param {object} options - As of `FreshResource`; `key`: tells resources of one address apart, the address itself by
   *   default. Options count when the resource is created.
   * @throws {TypeError} If the resource is there with another policy.
   */
  resource(address, options = {}) {
    if (this.#isClosed) throw new TypeError("the client is closed");
    // Once: the base of a page may change.
    const url = String(resolved(address));
    const key = String(options.key ?? url);
    const known = this.#resources.get(key);
    if (!known) {
      const resource = new FreshResource(this, key, url, options);
      this.#resources.set(key, resource);
      // It has no observer yet.
      this.wentIdle(resource);
      return resource;
    }
    if (options.policy !== undefined && JSON.stringify(options.policy) !== JSON.stringify(known.requestedPolicy)) {
      throw new TypeError(`${key} is kept fresh with the policy ${JSON.stringify(known.requestedPolicy)}; give another one a key of its own`);
    }
    return known;
  }

  /** Iterates over a resource: `FreshResource.values` with its options and those of `resource`. */
  values(address, { ticking = undefined, signal = undefined, ...options } = {}) {
    return this.resource(address, options).values({ ticking, signal });
  }

  get isClosed() {
    return this.#isClosed;
  }

  /** The resources, in the order of their creation. */
  get resources() {
    return [...this.#resources.values()];
  }

  /**
   * Requests the resources with any of the tags again: something changed on the server. One without observers is requested
   * when it has one again.
   */
  invalidate(...tags) {
    const wanted = new Set(tags.map(String));
    for (const resource of this.#all) if (resource.tags.some((tag) => wanted.has(tag))) resource.invalidate();
  }

  /**
   * Sends a request that changes something on the server.
   *
   * @param {(options: { signal?: AbortSignal }) => any} send - Sends the request. What it throws, and a `Response` that is not
   *   ok, is a failure.
   * @param {object} options - `changes`: pairs of a resource and a function that returns its changed value, shown until the
   *   server confirms them and taken back if the request fails; `invalidates`: tags; `signal`.
   * @returns {Promise<any>} What `send` returned.
   */
  mutate(send, options = {}) {
    if (this.#isClosed) throw new TypeError("the client is closed");
    return mutate(this, send, options);
  }

  /** Drops every copy, for another user or token; requests observed resources again. */
  forget() {
    for (const resource of this.#all) resource.forget();
  }

  /** Ends all requests, streams, timers and iterations. */
  close() {
    // Listeners are notified, and may close it too.
    if (this.#isClosed) return;
    this.#isClosed = true;
    for (const resource of this.#all) resource.end();
    this.#resources.clear();
    this.#idle.clear();
    this.#watched.clear();
    this.#tick();
    if (this.#ownsDevice) this.device.close();
  }

  /** Every resource: one that was released and watched again may coexist with another that has its key. */
  get #all() {
    return new Set([...this.#resources.values(), ...this.#watched, ...this.#idle]);
  }

  // MARK: Called by resources

  /** A resource got its first observer. */
  becameWatched(resource) {
    if (this.#isClosed) throw new TypeError("the client is closed");
    this.#idle.delete(resource);
    this.#watched.add(resource);
    if (!this.#resources.has(resource.key)) this.#resources.set(resource.key, resource);
    if (this.#ticking === null) this.#tick();
  }

  /** A resource has no observer. Evicts the one that has been idle longest if there are too many. */
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

  /** Runs every second while a resource is observed: ages grow, and sleep is noticed. */
  #tick() {
    this.timers.clearTimeout(this.#ticking);
    this.#ticking = null;
    if (this.#watched.size === 0) return;
    this.#ticking = this.timers.setTimeout(() => this.#tick(), TICK_MS);
    this.device.tick?.();
    for (const resource of [...this.#watched]) resource.tick();
  }
}
