// A client that keeps resources fresh, and its parts.

import type { Badge, Cause, Connectivity, Counters, Engine, FailureKind, Lifecycle, Appearance, MachineEvent, Policy, PolicyDescription, Preset } from "./freshness.js";

export { Engine, EngineError } from "./freshness.js";
export type { Badge, Cause, Counters, FailureKind, Appearance, Policy, PolicyDescription, Preset } from "./freshness.js";

/** The name of a preset, an interval in milliseconds, or a policy. */
export type PolicyName = Preset | number | PolicyDescription;
/** Further fields of requests. */
export type HeaderFields = Record<string, string> | (() => Record<string, string>);

/** What is known about a value; all optional. */
export interface About {
  /** When the producer made the value: its age counts from here. */
  madeAt?: Date | number | string | null;
  /** The server's clock when it responded; by default its `Date`. */
  serverTime?: Date | number | string | null;
  /** When the server expects the next change (R31). */
  nextExpectedAt?: Date | number | string | null;
  /** The milliseconds after it over which clients spread their requests (R31); by default as a server of Freshet states it. */
  spread?: number | null;
  /** Whether there is activity, which is polled at the active interval (R9). */
  isActive?: boolean;
  /** Whether it is realtime data, which other data does not replace for a limited time (R20). */
  hasRealtime?: boolean;
}

export interface StreamEvent {
  /** The event's name; `message` by default and for a WebSocket. */
  name: string;
  id: string | null;
  data: string;
}

/** The result of an event: a new value, a confirmation, a gap that leads to a request, or only a heartbeat. */
export type Reduced<Value> = { value: Value; tag?: string | null; madeAt?: About["madeAt"]; serverTime?: About["serverTime"] } | "unchanged" | "gap" | null | undefined;

export interface StreamOptions<Value> {
  address: string | URL;
  /** Server-sent events, read with `fetch`, or a WebSocket; `events` by default. */
  transport?: "events" | "webSocket";
  /**
   * Makes a new value from an event and the current one, which a response may have made and which may have the event's change
   * already: applied twice, an event must give the same. By default the data is the whole value as JSON.
   */
  reduce?: (event: StreamEvent, value: Value | null) => Reduced<Value>;
  /** Whether the server resumes after `Last-Event-ID` without loss; otherwise a request follows each opening. */
  resumes?: boolean;
  /** The subprotocols of a WebSocket. */
  protocols?: string[];
}

export interface ResourceOptions<Value> {
  /** Distinguishes resources of one address; the address by default. */
  key?: string;
  policy?: PolicyName;
  headers?: HeaderFields;
  /** Makes a value from a response; the document itself by default. An error makes the response `undecodable`. */
  read?: (document: unknown, answer: { headers: Headers; previous: Value | null }) => Value;
  about?: (value: Value, document: unknown) => About | null | undefined;
  /** The text that shows whether a value changed; its JSON without `meta` by default. */
  contentOf?: (value: Value) => string;
  /** Strings for `FreshnessClient.invalidate`; at most 32. */
  tags?: string[];
  stream?: StreamOptions<Value>;
}

/** Sends a request; what it throws, and a `Response` that is not ok, is a failure. */
export type Send<Result> = (options: { signal?: AbortSignal }) => Promise<Result>;

export interface MutateOptions<Value> {
  /** Returns the changed value, and leaves the given one as it is; applied twice it must give the same. */
  optimistic?: (value: Value) => Value;
  /** The tags of further resources to request again. */
  invalidates?: string[];
  signal?: AbortSignal;
}

export interface MutationOptions {
  /** Resources and the changes to show in them. */
  changes?: [resource: FreshResource<any>, change: (value: any) => any][];
  /** The tags of further resources to request again. */
  invalidates?: string[];
  signal?: AbortSignal;
}

/** Why a refresh failed. Errors never erase a value. */
export class FreshnessError extends Error {
  constructor(kind: FailureKind | "engine", details?: { status?: number; problem?: unknown; reason?: string | null; address?: string; cause?: unknown });
  readonly name: "FreshnessError";
  readonly kind: FailureKind | "engine";
  /** The status of the response, 0 without one. */
  readonly status: number;
  /** The document that the server sent with the refusal, or `null`. */
  readonly problem: any;
  readonly reason: string | null;
}

export type State = "loading" | "live" | "ageing" | "old" | "unknown" | "kept" | "unconfirmed" | "failing" | "offline";

/** The state to show: the same object until something other than the age changes. */
export interface Snapshot<Value> {
  readonly value: Value | null;
  readonly state: State;
  readonly error: FreshnessError | null;
  /** The age now, in milliseconds. */
  readonly age: number | null;
  readonly isLoading: boolean;
  /** Whether a better value is kept instead of the newest response (R20). */
  readonly isKept: boolean;
  /** Whether the value has changes of the application that the server has not confirmed (R38). */
  readonly isUnconfirmed: boolean;
  readonly isStreaming: boolean;
  readonly isOffline: boolean;
  readonly badge: Badge;
  readonly revision: number | null;
  /** When the value last changed, by the device's clock. */
  readonly changedAt: number | null;
  readonly resource: FreshResource<Value>;
  readonly refresh: (options?: RefreshOptions) => void;
}

export interface RefreshOptions {
  /** Requests a full response and applies it in any case (R20). */
  isForced?: boolean;
}

export interface WatchOptions {
  /** Also once a second, as the age grows. */
  ticking?: boolean;
  signal?: AbortSignal;
}

/** The diagnostics of a resource. */
export interface Diagnostics {
  ring: Record<string, unknown>[];
  records: Record<string, unknown>[];
  counters: Counters;
  policy: Policy;
  appearance: Appearance;
  notes: string[];
  now: number;
}

/** A resource; `FreshnessClient.resource` creates it. */
export interface FreshResource<Value = unknown> {
  readonly key: string;
  readonly address: string;
  readonly tags: readonly string[];
  readonly snapshot: Snapshot<Value>;
  readonly age: number | null;
  readonly ageInSeconds: number | null;
  readonly nextRequest: { wait: number | null; cause: Cause; rule: string } | null;
  diagnostics(): Diagnostics | null;
  wallTime(instant: number): number;
  /** Observes the resource, which is kept fresh while it has observers; returns a function that unsubscribes. */
  subscribe(listener: (snapshot: Snapshot<Value>) => void, options?: WatchOptions): () => void;
  /** Iterates over snapshots, from the first value or error on; buffers only the newest. */
  values(options?: WatchOptions): AsyncIterableIterator<Snapshot<Value>>;
  /** Waits for the first value; throws the error of a failed request, or the reason of the signal. */
  first(options?: { signal?: AbortSignal }): Promise<Value>;
  refresh(options?: RefreshOptions): void;
  /** Polls at the active interval until the effect of a local action shows (R13). */
  acted(): void;
  /** Requests the current value: something changed on the server. */
  invalidate(): void;
  /** Sends a request that changes the value, shows the change at once, and takes it back if the request fails. */
  mutate<Result>(send: Send<Result>, options?: MutateOptions<Value>): Promise<Result>;
  /** Drops the copy; requests it again while it is observed. */
  forget(): void;
}

/** A clock, and the events of the page and its network. */
export interface DeviceLike {
  /** Milliseconds that never decrease. */
  now(): number;
  listen(listener: (event: MachineEvent) => void): () => void;
  tick?(): void;
}

export class Device implements DeviceLike {
  constructor();
  now(): number;
  readonly lifecycle: Lifecycle;
  readonly connectivity: Connectivity;
  listen(listener: (event: MachineEvent) => void): () => void;
  tick(): void;
  /** Ends listening to the page. A client does so when it closes, if it made the device. */
  close(): void;
}

export interface ClientOptions {
  /** An engine, or what `Engine.load` takes, or a function that returns that; the module beside the package by default. */
  engine?: Engine | Parameters<typeof Engine.load>[0] | (() => Parameters<typeof Engine.load>[0]) | null;
  policy?: PolicyName;
  headers?: HeaderFields;
  fetch?: typeof fetch;
  WebSocket?: typeof WebSocket;
  device?: DeviceLike;
  timers?: { setTimeout(act: () => void, wait: number): any; clearTimeout(timer: any): void };
  /** Milliseconds that a resource stays active without observers. */
  linger?: number;
}

/** Keeps resources fresh: one module, one device and one clock for all of them. */
export class FreshnessClient {
  static shared: FreshnessClient;
  constructor(options?: ClientOptions);
  readonly engine: Promise<Engine>;
  readonly isClosed: boolean;
  /** Returns the resource at an address, one object for all views. */
  resource<Value = any>(address: string | URL, options?: ResourceOptions<Value>): FreshResource<Value>;
  values<Value = any>(address: string | URL, options?: ResourceOptions<Value> & WatchOptions): AsyncIterableIterator<Snapshot<Value>>;
  readonly resources: FreshResource[];
  /** Requests the resources with any of the tags again. */
  invalidate(...tags: string[]): void;
  /** Sends a request that changes something on the server, shows its changes at once, and takes them back if it fails. */
  mutate<Result>(send: Send<Result>, options?: MutationOptions): Promise<Result>;
  forget(): void;
  close(): void;
}

/** The age in words, in English, French, German or Italian: "updated 12 s ago". */
export function ageInWords(age: number | null, language?: string): string;
