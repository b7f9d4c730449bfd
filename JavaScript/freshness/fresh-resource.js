// A resource as views see it: its value, its age, and what prevents a newer one.

import { readAnswer } from "./response.js";
import { FreshnessError } from "./freshness-error.js";
import { LiveResource } from "./live-resource.js";
import { LocalChanges } from "./local-changes.js";
import { mutate } from "./mutation.js";
import { metadataOfHead } from "./metadata.js";
import { nextQuestion } from "./next-question.js";
import { metadataOf, spanOf, timeOf, ValueStream } from "./value-stream.js";

/**
 * A policy as `Engine.policy` takes it, from the name of a preset, an interval in milliseconds, or an object. `push` needs a
 * stream: without one it is off.
 */
function policyOf(policy, stream) {
  const whole = typeof policy === "string" ? { preset: policy } : typeof policy === "number" ? { every: policy } : policy;
  return { ...whole, push: stream ? whole.push ?? {} : null };
}

/** Returns the string that shows whether a value changed: its JSON without the members with which Freshet's servers
 * describe the response. */
function contentOf(value) {
  const isObject = value !== null && typeof value === "object" && !Array.isArray(value);
  return JSON.stringify(isObject && "meta" in value ? { ...value, meta: null, rt: null } : value);
}

/** The samples that a resource keeps for an export: a page may have many resources. */
const MOST_RECORDS = 200;
/** The waits after failures to load the engine; the last one repeats. */
const LOAD_LADDER_MS = [2000, 5000, 10_000, 20_000];
/** The attempts to load the engine that the user may ask for in a minute, as of requests (R40). */
const MOST_LOADS = 12;
const MINUTE_MS = 60_000;
/** The maximum number of tags of a resource. */
const MOST_TAGS = 32;

/** What a resource shows before its first observer, and on a server. */
const NOTHING = Object.freeze({
  value: null, state: "loading", error: null, age: null, isLoading: true, isKept: false, isUnconfirmed: false, isStreaming: false,
  isOffline: false, badge: "unknown", revision: null, changedAt: null,
});

export class FreshResource {
  #client;
  #options;
  #live = null;
  #listeners = new Set();
  #watching = 0;
  #isPaused = false;
  #lingering = null;
  #loadFailure = null;
  /** When the user asked for the engine, in the last minute. */
  #loadsForUser = [];
  /** The timer of the next attempt to load the engine, and how many have failed in a row. */
  #loading = null;
  #loads = 0;
  #lastId = null;
  #snapshot;
  #shownAge = null;
  /** The server's value, with its revision. */
  #base = { revision: null, value: null };
  #local = new LocalChanges();

  /**
   * Made by `FreshnessClient.resource`.
   *
   * @param {object} options - All optional. `policy`: the name of a preset, an interval in milliseconds, or an
   *   object as of `Engine.policy`; `headers`: an object or a function; `read(document, { headers, previous })`: the value
   *   of an answer, the document itself by default; what it throws makes the answer unreadable; `about(value, document)`:
   *   `{ madeAt, serverTime, nextExpectedAt, spread, isActive, hasRealtime }` of a value; `contentOf(value)`: the text that shows
   *   whether it changed; `tags`: strings, for `FreshnessClient.invalidate`; `stream`: `{ address, transport, reduce, resumes, protocols }`.
   */
  constructor(client, key, address, options) {
    this.#client = client;
    this.key = key;
    this.address = address;
    this.requestedPolicy = options.policy ?? client.policy;
    this.#options = options;
    this.tags = Object.freeze([...(options.tags ?? [])].map(String));
    if (this.tags.length > MOST_TAGS) throw new RangeError(`a resource has at most ${MOST_TAGS} tags`);
    this.refresh = this.refresh.bind(this);
    this.subscribe = this.subscribe.bind(this);
    this.#snapshot = this.#made({ ...NOTHING }, null);
  }

  // MARK: State

  /** The state to show: the same object until something other than the age changes. Its `age` is read from the clock. */
  get snapshot() {
    return this.#snapshot;
  }

  /** The age of the value in milliseconds, or `null`. */
  get age() {
    return this.#live?.appearance()?.label.age ?? null;
  }

  /** The age in whole seconds as of the last tick, equal for all views between two ticks. */
  get ageInSeconds() {
    return this.#shownAge;
  }

  /** When the next request goes out and why: `{ wait, cause, rule }`, or `null` before the engine runs. */
  get nextRequest() {
    const facts = this.diagnostics();
    return facts && nextQuestion(facts);
  }

  /** Samples, counters, policy and notes, for a panel; `null` before the engine runs. */
  diagnostics() {
    return this.#live?.diagnostics() ?? null;
  }

  /** The wall time at an instant of the engine's clock. */
  wallTime(instant) {
    return (this.#live?.origin ?? 0) + instant;
  }

  // MARK: Watching

  /**
   * Observes the resource, which is kept fresh while it has observers.
   *
   * @param {(snapshot: object) => void} listener - Called with the new snapshot after each change, not initially.
   * @param {object} options - `ticking`: also once a second, as the age grows; `signal`: unsubscribes.
   * @returns {() => void} Unsubscribes.
   */
  subscribe(listener, { ticking = false, signal } = {}) {
    if (signal?.aborted) return () => {};
    const entry = { listener, ticking };
    this.#listeners.add(entry);
    if (this.#listeners.size === 1) this.#watch();
    const end = () => {
      signal?.removeEventListener("abort", end);
      if (this.#listeners.delete(entry) && this.#listeners.size === 0) this.#linger();
    };
    signal?.addEventListener("abort", end, { once: true });
    return end;
  }

  /**
   * Iterates over snapshots, from the first value or error on. Buffers only the newest; a slow consumer skips intermediate
   * ones.
   *
   * @param {object} options - `ticking`: also once a second, as the age grows; `signal`: ends the iteration.
   */
  values({ ticking = false, signal } = {}) {
    const waiting = [];
    let [isNew, isOver, unsubscribe] = [true, false, null];
    const finish = () => {
      isOver = true;
      unsubscribe?.();
      signal?.removeEventListener("abort", finish);
      for (const resolve of waiting.splice(0)) resolve({ done: true, value: undefined });
    };
    const hand = () => {
      if (this.#client.isClosed) return finish();
      const { snapshot } = this;
      if (waiting.length === 0 || !isNew || (snapshot.value === null && snapshot.error === null)) return;
      isNew = false;
      waiting.shift()({ done: false, value: snapshot });
    };
    const begin = () => {
      if (signal?.aborted) return finish();
      signal?.addEventListener("abort", finish, { once: true });
      unsubscribe = this.subscribe(() => {
        isNew = true;
        hand();
      }, { ticking });
    };
    // Not a generator: a waiting one cannot be ended before the next change.
    return {
      [Symbol.asyncIterator]() {
        return this;
      },
      next: async () => {
        if (unsubscribe === null && !isOver) begin();
        if (isOver) return { done: true, value: undefined };
        return new Promise((resolve) => {
          waiting.push(resolve);
          hand();
        });
      },
      return: (value) => {
        finish();
        return Promise.resolve({ done: true, value });
      },
    };
  }

  /**
   * Waits for the first value.
   *
   * @param {object} options - `signal`: cancels the wait.
   * @throws {FreshnessError} If a request fails before there is a value.
   */
  async first({ signal } = {}) {
    // An earlier error does not answer this call.
    const [known, last] = [this.#snapshot.error, this.#lastSample()];
    for await (const { value, error } of this.values({ ticking: true, signal })) {
      if (value !== null) return value;
      if (error !== known || this.#lastSample() !== last) throw error;
    }
    throw signal?.aborted ? signal.reason : new TypeError("the client is closed");
  }

  // MARK: Requests

  /** Requests a refresh now, for the user (R5). `isForced` requests a full response and applies it in any case (R20). */
  refresh({ isForced = false } = {}) {
    if (this.#live === null && this.#loadFailure !== null && this.#listeners.size > 0) this.#beginForUser();
    this.#live?.refresh({ isForced });
  }

  /** Polls at the active interval until the effect of a local action shows (R13). */
  acted() {
    this.#live?.acted();
  }

  /** Requests the current value: something changed on the server. While the resource has no observer, its next one does. */
  invalidate() {
    if (!this.#isPaused) this.#live?.invalidate();
  }

  /**
   * Sends a request that changes the value on the server. The change is shown at once, as `unconfirmed`; it is taken back if the
   * request fails, and confirmed by the first value that the server made after it had accepted the change.
   *
   * @param {(options: { signal?: AbortSignal }) => any} send - As of `FreshnessClient.mutate`.
   * @param {object} options - `optimistic(value)`: returns the changed value; applied twice it must give the same;
   *   `invalidates`: tags; `signal`.
   */
  mutate(send, { optimistic = undefined, invalidates = [], signal = undefined } = {}) {
    return mutate(this.#client, send, { changes: [[this, optimistic ?? ((value) => value)]], invalidates, signal });
  }

  /** Called by a mutation: shows a change that the server has not confirmed. */
  changeLocally(change) {
    const entry = this.#local.add(change);
    this.#changed();
    return entry;
  }

  /** Called by a mutation: the server has accepted the change. */
  acceptedLocally(entry) {
    // Without a copy every value to come is requested later.
    if (this.#live === null) this.#local.takeBack(entry);
    else this.#local.accepted(entry, this.#live.now(), this.#live.outstanding);
    this.#changed();
  }

  /** Called by a mutation: the change failed. */
  takeBack(entry) {
    this.#local.takeBack(entry);
    this.#changed();
  }

  /** Drops the copy; requests it again while it is observed. */
  forget() {
    this.end();
    if (this.#client.isClosed) return;
    if (this.#listeners.size > 0) this.#watch();
    // The second before its last listener counts as gone is over as well.
    else this.#client.wentIdle(this);
  }

  /** Called by the client: ends requests, streams and timers and drops the copy, observed or not. */
  end() {
    this.#client.timers.clearTimeout(this.#lingering);
    this.#client.timers.clearTimeout(this.#loading);
    this.#watching += 1;
    const live = this.#live;
    // First, so that a listener that is notified of the end finds nothing to request.
    [this.#live, this.#loadFailure, this.#lastId, this.#isPaused] = [null, null, null, false];
    live?.stop();
    this.#local.clear();
    this.#changed();
    this.#notify(() => true);
  }

  /** Called by the client once a second. */
  tick() {
    this.#changed();
    const age = this.age;
    this.#shownAge = age === null ? null : Math.floor(age / 1000);
    this.#notify((entry) => entry.ticking);
  }

  #lastSample() {
    return this.#live?.diagnostics().ring.at(-1) ?? null;
  }

  // MARK: Driving

  #watch() {
    this.#client.becameWatched(this);
    this.#client.timers.clearTimeout(this.#lingering);
    if (!this.#live) return this.#begin();
    if (!this.#isPaused) return;
    this.#isPaused = false;
    this.#live.resume();
  }

  /** Pauses after the last observer left, unless another one comes within the linger time, as when views are drawn again. */
  #linger() {
    this.#lingering = this.#client.timers.setTimeout(() => {
      this.#isPaused = true;
      this.#live?.pause();
      this.#client.wentIdle(this);
    }, this.#client.linger);
  }

  #beginForUser() {
    const now = this.#client.device.now();
    this.#loadsForUser = this.#loadsForUser.filter((time) => now - time < MINUTE_MS);
    if (this.#loadsForUser.length >= MOST_LOADS) return;
    this.#loadsForUser.push(now);
    this.#begin();
  }

  async #begin() {
    this.#client.timers.clearTimeout(this.#loading);
    const turn = (this.#watching += 1);
    // It was ended or restarted while the module loaded.
    const isOver = () => this.#watching !== turn || this.#listeners.size === 0 || this.#client.isClosed;
    const { device, send, timers } = this.#client;
    try {
      const engine = await this.#client.engine;
      if (isOver()) return;
      const policy = policyOf(this.requestedPolicy, this.#options.stream);
      const clientPolicy = policyOf(this.#client.policy, null);
      this.#live = new LiveResource(this.#source(), { engine, policy, clientPolicy, device, send, timers, mostRecords: MOST_RECORDS, onChange: () => this.#changed(), onConfirmed: (asOf, request) => this.#local.confirm(asOf, request) });
      [this.#loadFailure, this.#isPaused] = [null, false];
      this.#live.watch(this.address);
      this.#loads = 0;
    } catch (failure) {
      if (isOver()) return;
      this.#live?.stop();
      [this.#live, this.#loadFailure] = [null, failure];
      this.#loading = this.#client.timers.setTimeout(() => this.#begin(), LOAD_LADDER_MS[Math.min(this.#loads, LOAD_LADDER_MS.length - 1)]);
      this.#loads += 1;
      return this.#changed();
    }
  }

  #headers() {
    const given = [this.#client.headers, this.#options.headers];
    return Object.assign({}, ...given.map((headers) => (typeof headers === "function" ? headers() : headers)));
  }

  /** The resource as `LiveResource` takes it. */
  #source() {
    const { read = (document) => document, about = () => ({}), stream } = this.#options;
    const facts = new WeakMap();
    // Of a number or a string, the facts of the last one that was read.
    let last = { value: null, facts: null };
    const factsOf = (value) => (value !== null && typeof value === "object" ? facts.get(value) : Object.is(last.value, value) ? last.facts : null) ?? about(value, value) ?? {};
    return {
      isSame: () => true,
      address: () => this.address,
      read: (document, headers, _, newest) => {
        let value;
        try {
          value = read(document, { headers, previous: newest?.body ?? null });
          if (value === undefined || value === null) throw new TypeError("there is no value in it");
          const known = about(value, document) ?? {};
          const found = readAnswer(document, headers);
          const status = found.metadata.status ?? metadataOfHead(headers).status ?? undefined;
          const hasRealtime = Boolean(known.hasRealtime ?? (status === undefined || ["applied", "partial"].includes(status)));
          if (typeof value === "object") facts.set(value, { ...known, hasRealtime });
          else last = { value, facts: { ...known, hasRealtime } };
          const expected = known.nextExpectedAt == null ? {} : { nextExpectedAt: timeOf(known.nextExpectedAt) };
          if (known.spread != null) expected.spread = spanOf(known.spread);
          return { ...found, body: value, metadata: { status: status ?? "applied", ...found.metadata, ...metadataOf(known) }, hints: { ...found.hints, ...expected } };
        } catch (failure) {
          return { unreadable: String(failure?.message ?? failure).slice(0, 200) };
        }
      },
      occupiesNoConnection: stream?.transport === "webSocket",
      openStream: (_question, _copy, listener) => new ValueStream(stream, {
        lastId: this.#lastId,
        headers: this.#headers(),
        client: this.#client,
        keepId: (id) => (this.#lastId = id),
      }, listener),
      contentOf: this.#options.contentOf ?? contentOf,
      natureOf: (value) => {
        const { isActive, hasRealtime = true } = factsOf(value);
        return { hasRealtime, activity: isActive === undefined ? null : isActive ? "active" : "quiet" };
      },
      ownsTime: (value) => value != null && timeOf(factsOf(value).madeAt ?? NaN) !== null,
      subjectOf: () => null,
      fields: () => this.#headers(),
      metadata: {},
    };
  }

  // MARK: Snapshots

  /** Publishes a new snapshot if something other than the age changed. */
  #changed() {
    const before = this.#snapshot;
    const appearance = this.#live?.appearance() ?? null;
    if (appearance === null) this.#base = { revision: null, value: null };
    const next = appearance ? this.#shows(appearance, before) : this.#loadFailure ? this.#broken() : { ...NOTHING };
    const names = Object.keys(NOTHING).filter((name) => name !== "age");
    if (names.every((name) => Object.is(next[name], before[name]))) return;
    this.#snapshot = this.#made(next, appearance?.label.age ?? null);
    const age = this.#snapshot.age;
    this.#shownAge = age === null ? null : Math.floor(age / 1000);
    this.#notify(() => true);
  }

  #shows(appearance, before) {
    const { badge, isKept } = appearance.label;
    const isOffline = appearance.connectivity === "offline";
    const error = this.#errorOf(appearance, before.error);
    // Equal content keeps its identity.
    if (appearance.revision !== this.#base.revision) this.#base = { revision: appearance.revision, value: appearance.revision === null ? null : this.#live.body };
    const value = this.#local.apply(this.#base.value);
    const isUnconfirmed = this.#local.count > 0;
    const state = stateOf({ value, isOffline, error, isUnconfirmed, isKept, badge });
    return {
      value, state, error, isLoading: appearance.isLoading, isKept, isUnconfirmed, isStreaming: appearance.isStreaming, isOffline,
      // R38: only what the server sent has a badge.
      badge: isUnconfirmed ? "unknown" : badge,
      revision: appearance.revision,
      changedAt: appearance.changedAt === null ? null : Math.round(this.wallTime(appearance.changedAt)),
    };
  }

  #errorOf(appearance, before) {
    if (appearance.failure === null) return null;
    const { problem, reason } = this.#live.failure ?? {};
    if (before?.since === appearance.failureSince && before.kind === appearance.failure && before.status === appearance.failureStatus) return before;
    const error = new FreshnessError(appearance.failure, { status: appearance.failureStatus, problem, reason, address: this.address });
    return Object.assign(error, { since: appearance.failureSince });
  }

  #broken() {
    const known = this.#snapshot.error;
    const error = known?.cause === this.#loadFailure ? known
      : new FreshnessError("engine", { address: this.address, reason: this.#loadFailure.message, cause: this.#loadFailure });
    return { ...NOTHING, state: "failing", isLoading: false, error };
  }

  /** Creates a snapshot. Its age is read from the clock, also after another one replaced it. */
  #made(facts, age) {
    const { device } = this.#client;
    const since = device.now();
    const grown = () => (age === null ? null : age + Math.max(0, device.now() - since));
    const resource = this;
    const snapshot = {
      ...facts,
      get age() {
        return resource.#snapshot === snapshot ? resource.age : grown();
      },
      resource,
      refresh: this.refresh,
    };
    return Object.freeze(snapshot);
  }

  #notify(isMeant) {
    for (const entry of [...this.#listeners]) {
      if (!isMeant(entry) || !this.#listeners.has(entry)) continue;
      try {
        entry.listener(this.#snapshot);
      } catch (failure) {
        // The other listeners and the engine continue.
        reportFailure(failure);
      }
    }
  }
}

/** Reports an error as an uncaught one. */
function reportFailure(failure) {
  if (globalThis.reportError) return reportError(failure);
  queueMicrotask(() => {
    throw failure;
  });
}

/** The state in one word. */
function stateOf({ value, isOffline, error, isUnconfirmed, isKept, badge }) {
  if (isOffline) return "offline";
  if (error !== null) return "failing";
  if (value === null) return "loading";
  // R38: what the server has not confirmed is never live.
  if (isUnconfirmed) return "unconfirmed";
  if (isKept) return "kept";
  return { live: "live", partial: "ageing", unavailable: "old", unknown: "unknown" }[badge];
}
