// Written by Scripts/generate-engine-wire from Sources/Engine/FreshnessWire/wire.json: the numbers of the wire form.

/** The version of the wire form. */
export const VERSION = 11;
/** The greatest magnitude of a word: up to here a number holds every integer exactly. */
export const LIMIT = 9007199254740992;
/** The high half of the word of a missing value, whose low half is 0. */
export const NONE = -2147483648;

/** The error codes of the module: the list begins with number 1. */
export const CODES = Object.freeze([
  "tooShort", "tooLong", "unknownNumber", "outOfRange", "noRoom", "noSuchMachine", "outOfMemory", "tooManyMachines",
]);

/** The published numbers: each list begins with the case of number 1, and that of a set with the lowest bit. */
export const NUMBERS = Object.freeze({
  event: [
    "started", "stopped", "paceRequested", "prefetch", "woke", "slept", "lifecycle", "focused", "connectivity",
    "refreshRequested", "contextChanged", "activity", "acted", "fulfilled", "wrote", "evicted", "answered",
    "linkOpened", "linkHeard", "linkChanged", "linkDelivered", "linkGap", "linkLost", "restored", "restrained",
    "notHeld", "queued",
  ],
  originEvent: ["asks", "ended", "withdrew", "opens"],
  outcome: [
    "content", "unchanged", "refused", "unauthorised", "gone", "throttled", "serverError", "timedOut", "unreachable",
    "undecodable", "cancelled",
  ],
  retryHint: ["seconds", "date"],
  failure: [
    "refused", "unauthorised", "gone", "throttled", "serverError", "timedOut", "unreachable", "undecodable",
    "missingBody",
  ],
  jitter: ["none", "signed", "within", "share", "above", "full"],
  marker: ["none", "normal", "reducedByStatus", "reducedByMode"],
  wording: ["seconds", "minutes", "hours"],
  preset: ["every", "departuresWeb", "departuresNative", "departuresWeb5s", "workspaces", "jobs"],
  lifecycle: ["foreground", "background", "suspended"],
  connectivity: ["online", "metered", "offline"],
  activity: ["quiet", "active"],
  pace: ["active", "recent", "idle", "background"],
  refreshReason: ["prefetch", "schedule", "catchUp", "change", "person"],
  mode: ["full", "degradedStatic", "staleCacheFallback", "staticTimeoutFallback", "unknown"],
  status: ["applied", "partial", "skippedBudget", "disabled", "missingCache", "staleCache", "guardedError", "unknown"],
  snapshot: ["none", "apply", "verify", "hold", "clear"],
  link: ["open", "close"],
  priority: ["low", "normal", "high"],
  verdict: [
    "keepUnmodified", "applyRealtime", "applyNothingToLose", "applyForced", "applyTooOld", "applyAlways", "keepBetter",
    "keepNewer",
  ],
  provenance: ["server", "local", "disk"],
  badge: ["live", "partial", "unavailable", "unknown"],
  notice: ["none", "mild", "unavailable"],
  nextCause: [
    "unwatched", "offline", "paused", "outstanding", "cadence", "stated", "learned", "longPoll", "safetyPoll", "retry",
    "backoff", "degraded", "recheck", "retryAfter", "spread", "reconnect", "news", "origin", "patience",
  ],
  changes: ["snapshot", "failure", "loading", "label"],
  notes: [
    "coalesced", "superseded", "held", "retried", "rescued", "drifted", "timedOut", "prefetchDropped", "deferred",
    "linkLost", "overtaken",
  ],
});

/** The named refresh requests: reason, forced, unconditional, shows loading. */
export const REFRESH_REQUESTS = Object.freeze({
  person: ["person", false, false, true],
  hardRefresh: ["person", true, false, true],
  schedule: ["schedule", false, false, false],
  change: ["change", false, false, false],
});
