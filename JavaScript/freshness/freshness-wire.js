// Written by Scripts/generate-engine-wire from Sources/Engine/FreshnessWire/wire.json: the numbers, records and choices of the wire form.

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

/** The members of the records, in the order of the words, each with its kind. */
export const RECORDS = {
  context: { question: "number", identity: "number=0" },
  ticket: { generation: "number", context: "context" },
  refresh: {
    reason: "refreshReason", isForced: "flag=false", isUnconditional: "flag=false", showsLoading: "flag=false",
  },
  content: {
    revision: "revision", validator: "validator?=null", hasRealtime: "flag=false", fulfilsAction: "flag=false",
  },
  metadata: {
    serverTime: "wallTime?=null", fetchedAt: "wallTime?=null", cacheAge: "toldSpan?=null", transit: "toldSpan=0",
    truncation: "toldSpan=0", mode: "mode?=null", status: "status?=null", appliedFlag: "flag?=null",
    reason: "status?=null",
  },
  hints: { nextExpectedAt: "wallTime?=null", maxAge: "toldSpan?=null", spread: "toldSpan?=null" },
  answer: {
    outcome: "...outcome", status: "short=0", bytes: "bytes=0", metadata: "metadata={}", hints: "hints={}",
    activity: "activity?=null", deviceTime: "wallTime?=null", delay: "span?=null", decoding: "span=0",
  },
  restraint: {
    notBefore: "instant?=null", quietUntil: "instant?=null", leastInterval: "positiveSpan?=null",
    sharedUntil: "instant?=null",
  },
  rateLimit: { remaining: "number", reset: "span" },
  admission: { number: "number", isHeld: "flag" },
  alignment: { delay: "span", spread: "span", slack: "span", tolerance: "span" },
  push: {
    heartbeat: "span", watchdogPercent: "percent", openTimeout: "span", safetyPoll: "span", leastGap: "span",
    stableAfter: "span",
  },
  policy: {
    active: "span", recent: "span", recentFor: "span", idle: "span", background: "span?", jitter: "jitter",
    leastInterval: "span", leastWait: "span", burst: "span", spread: "span", focusDebounce: "span", impatience: "count",
    timeout: "span", retryDelay: "span?", ladder: "[span:0-longestLadder]", ladderJitter: "jitter",
    retryAfterCap: "span", recheck: "span", recheckGone: "span", driftFloor: "span", driftPercent: "percent",
    stallFloor: "span", stallFactor: "factor", rescueCooldown: "span", unchangedLimit: "count?", unchangedFor: "span?",
    downgradeProtection: "span?", clockTolerance: "span", degradedRearm: "span", badgePartialAfter: "span",
    badgeUnavailableAfter: "span", alignment: "alignment?", longPoll: "span?", push: "push?", prefetches: "flag",
    ringCapacity: "count",
  },
  request: {
    ticket: "...ticket", validator: "validator?", longPoll: "span?", timeout: "span", priority: "priority",
    refresh: "...refresh", cadence: "span",
  },
  sample: {
    ticket: "...ticket", startedAt: "instant", endedAt: "instant", status: "short", outcome: "...outcome",
    verdict: "verdict?", metadata: "metadata", skew: "toldSpan?", bytes: "bytes", isConditional: "flag",
    isChange: "flag", changeToScreen: "toldSpan?", cadence: "span",
  },
  effects: {
    cancel: "ticket?", snapshot: "snapshot", asOf: "instant?", changes: "changes", request: "request?",
    stream: "stream?", alarm: "instant?", sample: "sample?", notes: "notes",
  },
  counters: {
    requests: "number", cancelled: "number", answers: "number", unchanged: "number", bytes: "clamped",
    coalesced: "number", superseded: "number", kept: "number", retries: "number", rescues: "number",
    measuredChanges: "number", changeToScreenTotal: "span", changeToScreenLongest: "span",
  },
  copy: {
    revision: "revision", validator: "validator?", hasRealtime: "flag", ageAtArrival: "span", arrivedAt: "instant",
    hasServerAge: "flag", sourceTime: "wallTime?", provenance: "provenance", changedAt: "instant",
    verifiedAt: "instant",
  },
  lastFailure: { failure: "failure", failureReason: "short?", failureStatus: "short", failureSince: "instant" },
  label: {
    markerKind: "marker", markerReason: "number?", badge: "badge", notice: "notice", age: "toldSpan?", isKept: "flag",
    provenance: "provenance", unit: "wording?", count: "number?",
  },
  appearance: {
    lifecycle: "lifecycle", connectivity: "connectivity", context: "context", alarm: "instant?", snapshot: "...copy?",
    failure: "...lastFailure?", isLoading: "flag", outstanding: "ticket?", hasObservers: "flag", isStreaming: "flag",
    failuresInARow: "short", pace: "pace", label: "label", nextCause: "nextCause", nextDue: "instant?",
  },
};

/** A case is its number, from 1, and its values. */
export const CHOICES = {
  retryHint: { seconds: { seconds: "clamped" }, date: { date: "wallTime" } },
  outcome: {
    content: { content: "...content" },
    unchanged: {},
    refused: {},
    unauthorised: {},
    gone: {},
    throttled: { retryAfter: "retryHint?=null" },
    serverError: {},
    timedOut: {},
    unreachable: {},
    undecodable: { reason: "short" },
    cancelled: {},
  },
  jitter: {
    none: {},
    signed: { least: "span", most: "span" },
    within: { bound: "span" },
    share: { share: "percent" },
    above: { share: "percent" },
    full: {},
  },
  event: {
    started: {},
    stopped: {},
    paceRequested: { interval: "span?" },
    prefetch: {},
    woke: {},
    slept: {},
    lifecycle: { to: "lifecycle" },
    focused: {},
    connectivity: { to: "connectivity" },
    refreshRequested: { refresh: "...refresh" },
    contextChanged: { context: "...context" },
    activity: { is: "activity" },
    acted: {},
    fulfilled: {},
    wrote: { revision: "revision" },
    evicted: {},
    answered: { ticket: "...ticket", answer: "answer" },
    streamOpened: { isResumed: "flag" },
    streamHeard: {},
    streamChanged: {},
    streamDelivered: { context: "context", answer: "answer" },
    streamGap: {},
    streamLost: {},
    restored: { revision: "revision", age: "span", sourceTime: "wallTime?=null" },
    restrained: { restraint: "...restraint" },
    notHeld: { ticket: "...ticket" },
    queued: { ticket: "...ticket" },
  },
};

/** The members of the sets: each list begins with the lowest bit. */
export const SETS = {
  changes: ["snapshot", "failure", "loading", "label"],
  notes: [
    "coalesced", "superseded", "kept", "retried", "rescued", "drifted", "timedOut", "prefetchDropped", "deferred",
    "streamLost", "overtaken",
  ],
};

/** The published numbers: each list begins with the case of number 1, or with the lowest bit. */
export const NUMBERS = Object.freeze({
  originEvent: ["asks", "ended", "withdrew", "opens"],
  failure: [
    "refused", "unauthorised", "gone", "throttled", "serverError", "timedOut", "unreachable", "undecodable",
    "missingBody",
  ],
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
  snapshot: ["none", "apply", "verify", "keep", "clear"],
  stream: ["open", "close"],
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
    "backoff", "degraded", "recheck", "retryAfter", "spread", "reconnect", "change", "origin", "patience",
  ],
  ...SETS,
  ...Object.fromEntries(Object.entries(CHOICES).map(([name, cases]) => [name, Object.keys(cases)])),
});

/** The named refresh requests: reason, forced, unconditional, shows loading. */
export const REFRESH_REQUESTS = Object.freeze({
  person: ["person", false, false, true],
  hardRefresh: ["person", true, false, true],
  schedule: ["schedule", false, false, false],
  change: ["change", false, false, false],
});
