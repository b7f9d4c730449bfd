// The refresh machine itself, for hosts that drive it themselves (freshness.js).

export type Preset = "departuresWeb" | "departuresNative" | "departuresWeb5s" | "workspaces" | "jobs";
export type Jitter = "none" | "full" | { signed: [least: number, most: number] } | { within: number } | { share: number } | { above: number };

/** When a request follows a change predicted from a producer's rhythm. */
export interface Alignment {
  delay: number;
  spread: number;
  slack: number;
  tolerance: number;
}

/** How a stream is used besides requests. */
export interface Push {
  heartbeat: number;
  watchdogPercent: number;
  openTimeout: number;
  safetyPoll: number;
  leastGap: number;
  stableAfter: number;
}

/** The constants of a machine; times in milliseconds. */
export interface Policy {
  active: number;
  recent: number;
  recentFor: number;
  idle: number;
  background: number | null;
  jitter: Jitter;
  leastInterval: number;
  leastWait: number;
  burst: number;
  spread: number;
  focusDebounce: number;
  impatience: number;
  timeout: number;
  retryDelay: number | null;
  ladder: number[];
  ladderJitter: Jitter;
  retryAfterCap: number;
  recheck: number;
  recheckGone: number;
  driftFloor: number;
  driftPercent: number;
  stallFloor: number;
  stallFactor: number;
  rescueCooldown: number;
  unchangedLimit: number | null;
  unchangedFor: number | null;
  downgradeProtection: number | null;
  clockTolerance: number;
  degradedRearm: number;
  badgePartialAfter: number;
  badgeUnavailableAfter: number;
  alignment: Alignment | null;
  longPoll: number | null;
  push: Push | null;
  prefetches: boolean;
  ringCapacity: number;
}

/** A preset or an interval, and the fields to override. */
export type PolicyDescription = ({ preset: Preset; every?: undefined } | { every: number; preset?: undefined }) &
  Partial<Omit<Policy, "push">> & { push?: Partial<Push> | null };

export interface Context {
  question: number;
  identity: number;
}

export type RefreshReason = "prefetch" | "schedule" | "catchUp" | "change" | "person";
export type RefreshRequestName = "person" | "hardRefresh" | "schedule" | "change";
export type RefreshRequest = { refresh: RefreshRequestName } | { reason: RefreshReason; isForced?: boolean; isUnconditional?: boolean; showsLoading?: boolean };
export type Lifecycle = "foreground" | "background" | "suspended";
export type Connectivity = "online" | "metered" | "offline";
export type Mode = "full" | "degradedStatic" | "staleCacheFallback" | "staticTimeoutFallback" | "unknown";
export type Status = "applied" | "partial" | "skippedBudget" | "disabled" | "missingCache" | "staleCache" | "guardedError" | "unknown";
export type FailureKind =
  | "refused" | "unauthorised" | "gone" | "throttled" | "serverError" | "timedOut" | "unreachable" | "undecodable" | "missingBody";
export type OutcomeName =
  | "content" | "unchanged" | "refused" | "unauthorised" | "gone" | "throttled" | "serverError" | "timedOut" | "unreachable"
  | "undecodable" | "cancelled";
export type Badge = "live" | "partial" | "unavailable" | "unknown";
export type Cause =
  | "unwatched" | "offline" | "paused" | "outstanding" | "cadence" | "stated" | "learned" | "longPoll" | "safetyPoll" | "retry"
  | "backoff" | "degraded" | "recheck" | "retryAfter" | "spread" | "reconnect" | "change"
  | "origin" | "patience";
/** The source of a value: only a value from the server can be live (R38). */
export type Provenance = "server" | "local" | "disk";

/** What a response says about its freshness. */
export interface FreshnessMetadata {
  serverTime?: number | null;
  fetchedAt?: number | null;
  cacheAge?: number | null;
  transit?: number;
  /** How much later than `serverTime` the server may have responded: 999 if it is from `Date`, which counts whole seconds. */
  truncation?: number;
  mode?: Mode | null;
  status?: Status | null;
  appliedFlag?: boolean | null;
  reason?: Status | null;
}

export type Outcome =
  | { outcome: "content"; revision: number; validator?: number | null; hasRealtime?: boolean; fulfilsAction?: boolean }
  | { outcome: "throttled"; retryAfter?: { seconds: number } | { date: number } | null }
  | { outcome: "undecodable"; reason: number }
  | { outcome: Exclude<OutcomeName, "content" | "throttled" | "undecodable"> };

export type Answer = Outcome & {
  status?: number;
  bytes?: number;
  metadata?: FreshnessMetadata;
  hints?: { nextExpectedAt?: number | null; maxAge?: number | null; spread?: number | null };
  activity?: "quiet" | "active" | null;
  deviceTime?: number | null;
  /** How long the response took, if the request was queued before it was sent. */
  delay?: number | null;
  /** How long ago it was complete: the time that the host spent on reading it. */
  decoding?: number;
};

export type MachineEvent =
  | { event: "started" | "stopped" | "prefetch" | "woke" | "slept" | "focused" | "acted" | "fulfilled" | "evicted" }
  | { event: "streamHeard" | "streamChanged" | "streamGap" | "streamLost" }
  | { event: "paceRequested"; with: { interval: number | null } }
  | { event: "lifecycle"; with: { to: Lifecycle } }
  | { event: "connectivity"; with: { to: Connectivity } }
  | { event: "refreshRequested"; with: RefreshRequest }
  | { event: "contextChanged"; with: { question: number; identity?: number } }
  | { event: "activity"; with: { is: "quiet" | "active" } }
  | { event: "wrote"; with: { revision: number } }
  | { event: "restored"; with: { revision: number; age: number; sourceTime?: number | null } }
  | { event: "restrained"; with: Restraint }
  /** The long poll was sent as an ordinary request: the origin does not let the server hold another one (R39). */
  | { event: "notHeld"; with: { generation: number; context: Context } }
  | { event: "queued"; with: { generation: number; context: Context } }
  | { event: "answered"; with: { generation: number; context: { question: number; identity?: number }; answer: Answer } }
  | { event: "streamOpened"; with: { isResumed: boolean } }
  | { event: "streamDelivered"; with: { context: { question: number; identity?: number }; answer: Answer } };

/** The limits that the server of an origin imposes on all clients (R39); instants and milliseconds. */
export interface Restraint {
  notBefore?: number | null;
  quietUntil?: number | null;
  leastInterval?: number | null;
  sharedUntil?: number | null;
}

/** An event of a request of an origin. */
export type OriginEvent =
  | { event: "asks"; with: { number: number; now: number; priority: EngineRequest["priority"]; isLongPoll: boolean } }
  | {
      event: "ended";
      with: Outcome & {
        number: number;
        now: number;
        serverTime?: number | null;
        rateLimit?: { remaining: number; reset: number } | null;
        resources?: number;
      };
    }
  | { event: "withdrew" | "opens"; with: { number: number; now: number } };

export interface EngineRequest {
  generation: number;
  context: Context;
  validator: number | null;
  longPoll: number | null;
  timeout: number;
  priority: "low" | "normal" | "high";
  reason: RefreshReason;
  isForced: boolean;
  isUnconditional: boolean;
  showsLoading: boolean;
  cadence: number;
}

export interface Sample {
  generation: number;
  context: Context;
  startedAt: number;
  endedAt: number;
  duration: number;
  status: number;
  outcome: OutcomeName;
  verdict: string | null;
  metadata: Required<FreshnessMetadata>;
  skew: number | null;
  bytes: number;
  isConditional: boolean;
  isChange: boolean;
  changeToScreen: number | null;
  cadence: number;
}

/** What a host does after an event. */
export interface Effects {
  cancel: number | null;
  snapshot: "none" | "apply" | "verify" | "keep" | "clear";
  /** The earliest instant at which the server can have made what was applied or confirmed, if that is known. */
  asOf: number | null;
  changes: ("snapshot" | "failure" | "loading" | "label")[];
  request: EngineRequest | null;
  stream: "open" | "close" | null;
  alarm: number | null;
  sample: Sample | null;
  notes: string[];
}

export interface Label {
  marker: "none" | "normal" | { reduced: { status: Status } | { mode: Mode } };
  badge: Badge;
  notice: "none" | "mild" | "unavailable";
  age: number | null;
  isKept: boolean;
  provenance: Provenance;
  wording: { seconds: number } | { minutes: number } | { hours: number } | null;
}

/** The visible state of a machine. */
export interface Appearance {
  lifecycle: Lifecycle;
  connectivity: Connectivity;
  context: Context;
  alarm: number | null;
  revision: number | null;
  validator: number | null;
  hasRealtime: boolean | null;
  ageAtArrival: number | null;
  arrivedAt: number | null;
  hasServerAge: boolean | null;
  sourceTime: number | null;
  provenance: Provenance | null;
  changedAt: number | null;
  verifiedAt: number | null;
  failure: FailureKind | null;
  failureReason: number | null;
  failureStatus: number | null;
  failureSince: number | null;
  isLoading: boolean;
  outstanding: number | null;
  hasObservers: boolean;
  isStreaming: boolean;
  failuresInARow: number;
  pace: "active" | "recent" | "idle" | "background";
  label: Label;
  nextCause: Cause;
  nextDue: number | null;
}

/** The totals over the life of a machine. */
export interface Counters {
  requests: number;
  cancelled: number;
  answers: number;
  unchanged: number;
  bytes: number;
  coalesced: number;
  superseded: number;
  kept: number;
  retries: number;
  rescues: number;
  measuredChanges: number;
  changeToScreenTotal: number;
  changeToScreenLongest: number;
  unchangedPercent: number;
}

/** An error in a call of the engine. */
export class EngineError extends Error {
  constructor(code: string, where: string, problem: string);
  readonly name: "EngineError";
  readonly code: string;
  readonly where: string;
}

/** The WebAssembly module, and the machines in it. */
export class Engine {
  static load(source: BufferSource | WebAssembly.Module | Response | Engine | PromiseLike<BufferSource | WebAssembly.Module | Response | Engine>): Promise<Engine>;
  static random(): number;
  constructor(instance: WebAssembly.Instance);
  readonly machines: number;
  readonly memory: { inUse: number; size: number };
  policy(description: PolicyDescription): Policy;
  machine(description: { policy: PolicyDescription; context?: { question: number; identity?: number } }): Machine;
  /** An origin with the ladder and the cap of `Retry-After` of a policy. */
  origin(policy: PolicyDescription): Origin;
}

/** The state that all machines of one server share: the requests in flight, and the server's limits (R39). */
export class Origin {
  private constructor();
  handle(event: OriginEvent): { restraint: Required<Restraint>; send: { number: number; isHeld: boolean }[] };
  destroy(): void;
}

/** One machine; `Engine.machine` creates it. */
export class Machine {
  private constructor();
  /** @param now An instant of a clock that never runs backward; earlier than the last event is the error `wentBack`. */
  handle(event: MachineEvent, now: number, random: number): Effects;
  appearance(now: number): Appearance;
  label(now: number): Label;
  policy(): Policy;
  counters(): Counters;
  destroy(): void;
}

/** The error codes of the module. */
export const CODES: readonly string[];
/** The published numbers: each list begins with the case of number 1. */
export const NUMBERS: Readonly<Record<string, readonly string[]>>;
/** The named refresh requests: reason, forced, unconditional, shows loading. */
export const REFRESH_REQUESTS: Readonly<Record<RefreshRequestName, readonly [RefreshReason, boolean, boolean, boolean]>>;
