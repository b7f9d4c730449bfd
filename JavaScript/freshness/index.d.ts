// A client that keeps resources fresh, and what it is made of.

import type { Badge, Cause, Connectivity, Counters, Engine, FailureKind, Lifecycle, Look, MachineEvent, Policy, PolicyDescription, Preset } from "./freshness.js";

export { Engine, EngineError } from "./freshness.js";
export type { Badge, Cause, Counters, FailureKind, Look, Policy, PolicyDescription, Preset } from "./freshness.js";

/** The name of a preset, an interval in milliseconds, or a policy. */
export type PolicyName = Preset | number | PolicyDescription;
/** Further fields of requests. */
export type HeaderFields = Record<string, string> | (() => Record<string, string>);

/** What a value says about itself; whatever is not known may be left out. */
export interface About {
  /** When the producer made the value: its age counts from here. */
  madeAt?: Date | number | string | null;
  /** The server's clock as it answered, if not the `Date` of the answer. */
  serverTime?: Date | number | string | null;
  /** When the server expects the next change (R31). */
  nextExpectedAt?: Date | number | string | null;
  /** Whether something goes on that is to be followed closely (R9). */
  isActive?: boolean;
  /** Whether it is the better kind of data, which a lesser answer does not replace for a while (R20). */
  hasRealtime?: boolean;
}

export interface StreamEvent {
  /** The event's name; `message` for one without, and for what a WebSocket says. */
  name: string;
  id: string | null;
  data: string;
}

/** What an event makes of the value: a new one, the same one confirmed, a gap to be asked for, or only a sign of life. */
export type Reduced<Value> = { value: Value; tag?: string | null; madeAt?: About["madeAt"]; serverTime?: About["serverTime"] } | "unchanged" | "gap" | null | undefined;

export interface StreamOptions<Value> {
  address: string | URL;
  /** Server-sent events, read with `fetch`, or a WebSocket; `events` by default. */
  transport?: "events" | "webSocket";
  /** What an event makes of the value at hand; by default its data is the whole value, as JSON. */
  reduce?: (event: StreamEvent, value: Value | null) => Reduced<Value>;
  /** Whether the server goes on after `Last-Event-ID` and loses nothing; otherwise each opening is followed by a request. */
  resumes?: boolean;
  /** Of a WebSocket. */
  protocols?: string[];
}

export interface ResourceOptions<Value> {
  /** Tells resources of one address apart; the address by default. */
  key?: string;
  policy?: PolicyName;
  headers?: HeaderFields;
  /** The value of an answer; the document itself by default. What it throws makes the answer unreadable. */
  read?: (document: unknown, answer: { headers: Headers; previous: Value | null }) => Value;
  about?: (value: Value, document: unknown) => About | null | undefined;
  /** The text that tells whether a value changed; its JSON without `meta` by default. */
  contentOf?: (value: Value) => string;
  stream?: StreamOptions<Value>;
}

/** Why a resource could not be brought up to date. It stands beside the value and never takes it away. */
export class FreshnessError extends Error {
  constructor(kind: FailureKind | "engine", details?: { status?: number; problem?: unknown; reason?: string | null; address?: string; cause?: unknown });
  readonly name: "FreshnessError";
  readonly kind: FailureKind | "engine";
  /** The status of the answer, 0 without one. */
  readonly status: number;
  /** The document that the server sent with the refusal, or `null`. */
  readonly problem: any;
  readonly reason: string | null;
}

export type State = "loading" | "live" | "ageing" | "old" | "unknown" | "held" | "failing" | "offline";

/** What there is to show: the same object until something other than the age changes. */
export interface Snapshot<Value> {
  readonly value: Value | null;
  readonly state: State;
  readonly error: FreshnessError | null;
  /** In milliseconds, as it is at the moment of reading. */
  readonly age: number | null;
  readonly isLoading: boolean;
  /** Whether a better value is kept over a lesser answer (R20). */
  readonly isHeld: boolean;
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
  /** Wants a full answer and takes what it says, even if it is a lesser one. */
  isForced?: boolean;
}

export interface WatchOptions {
  /** Also once a second, as the age grows. */
  ticking?: boolean;
  signal?: AbortSignal;
}

/** What the diagnostics of a resource show. */
export interface Diagnostics {
  ring: Record<string, unknown>[];
  records: Record<string, unknown>[];
  counters: Counters;
  policy: Policy;
  look: Look;
  notes: string[];
  now: number;
}

/** A resource as views see it; `FreshnessClient.resource` makes it. */
export interface FreshResource<Value = unknown> {
  readonly key: string;
  readonly address: string;
  readonly snapshot: Snapshot<Value>;
  readonly age: number | null;
  readonly ageInSeconds: number | null;
  readonly nextRequest: { wait: number | null; cause: Cause; rule: string } | null;
  diagnostics(): Diagnostics | null;
  wallTime(instant: number): number;
  /** Keeps it fresh until the last watcher has left. */
  subscribe(listener: (snapshot: Snapshot<Value>) => void, options?: WatchOptions): () => void;
  /** The snapshots from the first value or error on, the newest only. */
  values(options?: WatchOptions): AsyncGenerator<Snapshot<Value>, void, void>;
  /** The first value; throws the error that came instead, or the reason of the signal. */
  first(options?: { signal?: AbortSignal }): Promise<Value>;
  refresh(options?: RefreshOptions): void;
  /** Something was done whose effect is expected soon (R13). */
  acted(): void;
  /** Drops the copy; asks anew while it is watched. */
  forget(): void;
}

/** What happens to the page and its network. */
export interface DeviceLike {
  /** Milliseconds that never run backwards. */
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
  /** Milliseconds that a resource goes on without a watcher. */
  linger?: number;
}

/** Keeps resources fresh: one module, one device and one clock for all of them. */
export class FreshnessClient {
  static shared: FreshnessClient;
  constructor(options?: ClientOptions);
  readonly engine: Promise<Engine>;
  readonly isClosed: boolean;
  /** The resource at an address, the same for all who name it. */
  resource<Value = any>(address: string | URL, options?: ResourceOptions<Value>): FreshResource<Value>;
  values<Value = any>(address: string | URL, options?: ResourceOptions<Value> & WatchOptions): AsyncGenerator<Snapshot<Value>, void, void>;
  readonly resources: FreshResource[];
  forget(): void;
  close(): void;
}

/** The age in words, in English, French, German or Italian: "updated 12 s ago". */
export function ageInWords(age: number | null, language?: string): string;
