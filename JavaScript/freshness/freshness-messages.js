// The messages of the wire form (Sources/Engine/FreshnessWire) for freshness.js: plain objects to words, and words to
// plain objects. Each pair of functions follows one Swift extension there, field by field.

import { REFRESH_REQUESTS } from "./freshness-wire.js";
import { EngineError, Members, kindOf } from "./freshness-words.js";

// MARK: What goes in

/** Writes what is watched: `{ question, identity }`. */
export function writeContext(writer, value, where) {
  const members = new Members(value, where);
  writer.integer(members.take("question"), members.name("question"));
  writer.integer(members.take("identity", 0), members.name("identity"));
  members.end();
}

function writeRefreshRequest(writer, members) {
  if (members.has("refresh")) {
    const name = members.take("refresh");
    const where = members.name("refresh");
    if (!Object.hasOwn(REFRESH_REQUESTS, name)) {
      const known = Object.keys(REFRESH_REQUESTS).join(", ");
      throw new EngineError("unknownName", where, `${JSON.stringify(name)} is not one of ${known}`);
    }
    const [reason, ...flags] = REFRESH_REQUESTS[name];
    writer.named("refreshReason", reason, where);
    for (const flag of flags) writer.flag(flag, where);
    return;
  }
  writer.named("refreshReason", members.take("reason"), members.name("reason"));
  for (const flag of ["isForced", "isUnconditional", "showsLoading"]) {
    writer.flag(members.take(flag, false), members.name(flag));
  }
}

function writeOutcome(writer, members) {
  const outcome = members.take("outcome");
  writer.named("outcome", outcome, members.name("outcome"));
  if (outcome === "content") {
    writer.integer(members.take("revision"), members.name("revision"));
    writer.optional(members.take("validator", null), members.name("validator"));
    writer.flag(members.take("hasRealtime", false), members.name("hasRealtime"));
    writer.flag(members.take("fulfilsAction", false), members.name("fulfilsAction"));
  } else if (outcome === "throttled") {
    const hint = members.take("retryAfter", null);
    writer.flag(hint !== null, members.name("retryAfter"));
    if (hint !== null) writeRetryHint(writer, new Members(hint, members.name("retryAfter")));
  } else if (outcome === "undecodable") {
    writer.integer(members.take("reason"), members.name("reason"));
  }
}

function writeRetryHint(writer, members) {
  const form = members.has("date") ? "date" : "seconds";
  writer.named("retryHint", form, members.where);
  writer.integer(members.take(form), members.name(form));
  members.end();
}

function writeMetadata(writer, members) {
  for (const field of ["serverTime", "fetchedAt", "cacheAge"]) {
    writer.optional(members.take(field, null), members.name(field));
  }
  for (const field of ["transit", "truncation"]) writer.integer(members.take(field, 0), members.name(field));
  writer.optionalNamed("mode", members.take("mode", null), members.name("mode"));
  writer.optionalNamed("status", members.take("status", null), members.name("status"));
  const flag = members.take("appliedFlag", null);
  if (flag === null) writer.none(members.name("appliedFlag"));
  else writer.flag(flag, members.name("appliedFlag"));
  writer.optionalNamed("status", members.take("reason", null), members.name("reason"));
  members.end();
}

function writeAnswer(writer, value, where) {
  const members = new Members(value, where);
  writeOutcome(writer, members);
  writer.integer(members.take("status", 0), members.name("status"));
  writer.integer(members.take("bytes", 0), members.name("bytes"));
  writeMetadata(writer, new Members(members.take("metadata", {}), members.name("metadata")));
  const hints = new Members(members.take("hints", {}), members.name("hints"));
  for (const field of ["nextExpectedAt", "maxAge", "spread"]) {
    writer.optional(hints.take(field, null), hints.name(field));
  }
  hints.end();
  writer.optionalNamed("activity", members.take("activity", null), members.name("activity"));
  writer.optional(members.take("deviceTime", null), members.name("deviceTime"));
  writer.optional(members.take("delay", null), members.name("delay"));
  writer.integer(members.take("decoding", 0), members.name("decoding"));
  members.end();
}

const RESTRAINT = ["notBefore", "quietUntil", "leastInterval", "sharedUntil"];

/** The values of a message to an origin after its kind, the number of the request and the instant. */
const ORIGIN_VALUES = {
  asks: (writer, values) => {
    writer.named("priority", values.take("priority"), values.name("priority"));
    writer.flag(values.take("isLongPoll"), values.name("isLongPoll"));
  },
  ended: (writer, values) => {
    writeOutcome(writer, values);
    writer.optional(values.take("serverTime", null), values.name("serverTime"));
    const limit = values.take("rateLimit", null);
    writer.flag(limit !== null, values.name("rateLimit"));
    if (limit !== null) {
      const members = new Members(limit, values.name("rateLimit"));
      for (const field of ["remaining", "reset"]) writer.integer(members.take(field), members.name(field));
      members.end();
    }
    writer.integer(values.take("resources", 1), values.name("resources"));
  },
  withdrew: () => {},
  opens: () => {},
};

/** Writes an event of a request of an origin: `{ event, with }`. */
export function writeOriginEvent(writer, event) {
  const members = new Members(event, "event");
  const name = members.take("event");
  writer.named("originEvent", name, members.name("event"));
  const values = new Members(members.take("with"), members.name("with"));
  writer.integer(values.take("number"), values.name("number"));
  writer.moment(values.take("now"), values.name("now"));
  ORIGIN_VALUES[name](writer, values);
  values.end();
  members.end();
}

/** Reads the restraint of an origin, the requests to send now, and those that waited and that the restraint delays. */
export function readOriginOrders(reader) {
  const restraint = Object.fromEntries(RESTRAINT.map((name) => [name, reader.optional()]));
  const send = Array.from({ length: reader.integer() }, () => ({ number: reader.integer(), isHeld: reader.flag() }));
  return { restraint, send, delayed: Array.from({ length: reader.integer() }, () => reader.integer()) };
}

function writeTicket(writer, values) {
  writer.integer(values.take("generation"), values.name("generation"));
  writeContext(writer, values.take("context"), values.name("context"));
}

/** The values after the number of an event; events that are not listed have no values. */
const EVENT_VALUES = {
  paceRequested: (writer, values) => writer.optional(values.take("interval"), values.name("interval")),
  lifecycle: (writer, values) => writer.named("lifecycle", values.take("to"), values.name("to")),
  connectivity: (writer, values) => writer.named("connectivity", values.take("to"), values.name("to")),
  refreshRequested: writeRefreshRequest,
  contextChanged: (writer, values) => {
    writer.integer(values.take("question"), values.name("question"));
    writer.integer(values.take("identity", 0), values.name("identity"));
  },
  activity: (writer, values) => writer.named("activity", values.take("is"), values.name("is")),
  wrote: (writer, values) => writer.integer(values.take("revision"), values.name("revision")),
  restored: (writer, values) => {
    writer.integer(values.take("revision"), values.name("revision"));
    writer.integer(values.take("age"), values.name("age"));
    writer.optional(values.take("sourceTime", null), values.name("sourceTime"));
  },
  restrained: (writer, values) => {
    for (const name of RESTRAINT) {
      const value = values.take(name, null);
      if (value === null) writer.none(values.name(name));
      else writer.moment(value, values.name(name));
    }
  },
  answered: (writer, values) => {
    writeTicket(writer, values);
    writeAnswer(writer, values.take("answer"), values.name("answer"));
  },
  notHeld: writeTicket,
  queued: writeTicket,
  linkOpened: (writer, values) => writer.flag(values.take("isResumed"), values.name("isResumed")),
  linkDelivered: (writer, values) => {
    writeContext(writer, values.take("context"), values.name("context"));
    writeAnswer(writer, values.take("answer"), values.name("answer"));
  },
};

/** Writes `{ event, with }`. */
export function writeEvent(writer, event) {
  const members = new Members(event, "event");
  const name = members.take("event");
  writer.named("event", name, "event.event");
  const write = Object.hasOwn(EVENT_VALUES, name) ? EVENT_VALUES[name] : undefined;
  if (write) {
    const values = new Members(members.take("with"), "event.with");
    write(writer, values);
    values.end();
  }
  members.end();
}

// MARK: Policies

/** The fields of a policy in the order of the wire, each with its kind. */
export const POLICY_FIELDS = [
  ["active", "integer"], ["recent", "integer"], ["recentFor", "integer"], ["idle", "integer"],
  ["background", "optional"], ["jitter", "jitter"], ["leastInterval", "integer"],
  ["leastWait", "integer"], ["burst", "integer"], ["spread", "integer"],
  ["focusDebounce", "integer"], ["impatience", "integer"], ["timeout", "integer"], ["retryDelay", "optional"],
  ["ladder", "list"], ["ladderJitter", "jitter"], ["retryAfterCap", "integer"],
  ["recheck", "integer"], ["recheckGone", "integer"], ["driftFloor", "integer"], ["driftPercent", "integer"],
  ["stallFloor", "integer"], ["stallFactor", "integer"], ["rescueCooldown", "integer"],
  ["unchangedLimit", "optional"], ["unchangedFor", "optional"], ["holdCap", "optional"],
  ["clockTolerance", "integer"],
  ["degradedRearm", "integer"], ["badgePartialAfter", "integer"],
  ["badgeUnavailableAfter", "integer"], ["alignment", "alignment"], ["longPoll", "optional"],
  ["push", "push"], ["prefetches", "flag"], ["ringCapacity", "integer"],
];
/** The fields of the optional records, in the order of the wire. */
export const RECORDS = {
  alignment: ["delay", "spread", "slack", "tolerance"],
  push: ["heartbeat", "watchdogPercent", "openTimeout", "safetyPoll", "leastGap", "stableAfter"],
};
/** The number of values of each jitter. */
const JITTER_VALUES = { none: 0, signed: 2, within: 1, share: 1, above: 1, full: 0 };

function writeJitter(writer, value, where) {
  const kind = typeof value === "string" ? value : Object.keys(new Members(value, where).value)[0];
  writer.named("jitter", kind, where);
  const isBare = JITTER_VALUES[kind] === 0;
  if (isBare !== (typeof value === "string") || (!isBare && Object.keys(value).length !== 1)) {
    const form = isBare ? `"${kind}"` : `{"${kind}": …}`;
    throw new EngineError("wrongType", where, `${form} is expected`);
  }
  if (isBare) return;
  const values = JITTER_VALUES[kind] === 1 ? [value[kind]] : value[kind];
  if (!Array.isArray(values) || values.length !== JITTER_VALUES[kind]) {
    throw new EngineError("wrongType", `${where}.${kind}`, "two numbers are expected");
  }
  for (const number of values) writer.integer(number, `${where}.${kind}`);
}

function readJitter(reader) {
  const kind = reader.named("jitter");
  const values = Array.from({ length: JITTER_VALUES[kind] }, () => reader.integer());
  if (values.length === 0) return kind;
  return { [kind]: values.length === 1 ? values[0] : values };
}

/** Writes every field of a policy. */
export function writePolicy(writer, policy) {
  for (const [field, kind] of POLICY_FIELDS) {
    const value = policy[field];
    const where = `policy.${field}`;
    if (kind === "jitter") {
      writeJitter(writer, value, where);
    } else if (kind === "list") {
      if (!Array.isArray(value)) {
        throw new EngineError("wrongType", where, `a list is expected, not ${kindOf(value)}`);
      }
      writer.integer(value.length, where);
      value.forEach((step, index) => writer.integer(step, `${where}[${index}]`));
    } else if (kind in RECORDS) {
      writer.flag(value !== null, where);
      if (value === null) continue;
      const members = new Members(value, where);
      for (const name of RECORDS[kind]) writer.integer(members.take(name), members.name(name));
      members.end();
    } else {
      writer[kind](value, where);
    }
  }
}

/** Reads every field of a policy. */
export function readPolicy(reader) {
  const policy = {};
  for (const [field, kind] of POLICY_FIELDS) {
    if (kind === "jitter") {
      policy[field] = readJitter(reader);
    } else if (kind === "list") {
      policy[field] = Array.from({ length: reader.integer() }, () => reader.integer());
    } else if (kind in RECORDS) {
      policy[field] = reader.flag()
        ? Object.fromEntries(RECORDS[kind].map((name) => [name, reader.integer()])) : null;
    } else {
      policy[field] = reader[kind]();
    }
  }
  return policy;
}

// MARK: What comes out

function readContext(reader) {
  return { question: reader.integer(), identity: reader.integer() };
}

function readRequest(reader) {
  return {
    generation: reader.integer(),
    context: readContext(reader),
    validator: reader.optional(),
    longPoll: reader.optional(),
    timeout: reader.integer(),
    priority: reader.named("priority"),
    reason: reader.named("refreshReason"),
    isForced: reader.flag(),
    isUnconditional: reader.flag(),
    showsLoading: reader.flag(),
    cadence: reader.integer(),
  };
}

function readOutcome(reader) {
  const outcome = reader.named("outcome");
  switch (outcome) {
    case "content":
      return {
        outcome,
        revision: reader.integer(),
        validator: reader.optional(),
        hasRealtime: reader.flag(),
        fulfilsAction: reader.flag(),
      };
    case "throttled":
      return {
        outcome,
        retryAfter: reader.flag() ? { [reader.named("retryHint")]: reader.integer() } : null,
      };
    case "undecodable": return { outcome, reason: reader.integer() };
    default: return { outcome };
  }
}

function readMetadata(reader) {
  const metadata = {
    serverTime: reader.optional(),
    fetchedAt: reader.optional(),
    cacheAge: reader.optional(),
    transit: reader.integer(),
    truncation: reader.integer(),
    mode: reader.optionalNamed("mode"),
    status: reader.optionalNamed("status"),
  };
  const flag = reader.optional();
  metadata.appliedFlag = flag === null ? null : flag === 1;
  metadata.reason = reader.optionalNamed("status");
  return metadata;
}

function readSample(reader) {
  const sample = {
    generation: reader.integer(),
    context: readContext(reader),
    startedAt: reader.integer(),
    endedAt: reader.integer(),
    duration: 0,
    status: reader.integer(),
    ...readOutcome(reader),
    verdict: reader.optionalNamed("verdict"),
    metadata: readMetadata(reader),
    skew: reader.optional(),
    bytes: reader.integer(),
    isConditional: reader.flag(),
    isChange: reader.flag(),
    changeToScreen: reader.optional(),
    cadence: reader.integer(),
  };
  sample.duration = sample.endedAt - sample.startedAt;
  return sample;
}

/** Reads the effects for the host. */
export function readEffects(reader) {
  let cancel = null;
  if (reader.flag()) {
    cancel = reader.integer();
    readContext(reader);
  }
  return {
    cancel,
    snapshot: reader.named("snapshot"),
    asOf: reader.optional(),
    changes: reader.set("changes"),
    request: reader.flag() ? readRequest(reader) : null,
    link: reader.optionalNamed("link"),
    alarm: reader.optional(),
    sample: reader.flag() ? readSample(reader) : null,
    notes: reader.set("notes"),
  };
}

/** Reads how fresh a copy is. */
export function readLabel(reader) {
  const marker = reader.named("marker");
  const number = reader.optional();
  const label = { marker };
  if (marker === "reducedByStatus") label.marker = { reduced: { status: reader.name("status", number) } };
  if (marker === "reducedByMode") label.marker = { reduced: { mode: reader.name("mode", number) } };
  label.badge = reader.named("badge");
  label.notice = reader.named("notice");
  label.age = reader.optional();
  label.isHeld = reader.flag();
  label.provenance = reader.named("provenance");
  const unit = reader.optionalNamed("wording");
  const count = reader.optional();
  label.wording = unit === null ? null : { [unit]: count };
  return label;
}

/** Reads the visible state of a machine. */
export function readAppearance(reader) {
  const appearance = {
    lifecycle: reader.named("lifecycle"),
    connectivity: reader.named("connectivity"),
    context: readContext(reader),
    alarm: reader.optional(),
    revision: null,
    validator: null,
    hasRealtime: null,
    ageAtArrival: null,
    arrivedAt: null,
    hasServerAge: null,
    sourceTime: null,
    provenance: null,
    changedAt: null,
    verifiedAt: null,
    failure: null,
    failureReason: null,
    failureStatus: null,
    failureSince: null,
  };
  if (reader.flag()) {
    appearance.revision = reader.integer();
    appearance.validator = reader.optional();
    appearance.hasRealtime = reader.flag();
    appearance.ageAtArrival = reader.integer();
    appearance.arrivedAt = reader.integer();
    appearance.hasServerAge = reader.flag();
    appearance.sourceTime = reader.optional();
    appearance.provenance = reader.named("provenance");
    appearance.changedAt = reader.integer();
    appearance.verifiedAt = reader.integer();
  }
  if (reader.flag()) {
    appearance.failure = reader.named("failure");
    appearance.failureReason = reader.optional();
    appearance.failureStatus = reader.integer();
    appearance.failureSince = reader.integer();
  }
  appearance.isLoading = reader.flag();
  appearance.outstanding = null;
  if (reader.flag()) {
    appearance.outstanding = reader.integer();
    readContext(reader);
  }
  appearance.hasObservers = reader.flag();
  appearance.isStreaming = reader.flag();
  appearance.failuresInARow = reader.integer();
  appearance.pace = reader.named("pace");
  appearance.label = readLabel(reader);
  appearance.nextCause = reader.named("nextCause");
  appearance.nextDue = reader.optional();
  return appearance;
}

const COUNTERS = [
  "requests", "cancelled", "answers", "unchanged", "bytes", "coalesced", "superseded", "held",
  "retries", "rescues", "measuredChanges", "changeToScreenTotal", "changeToScreenLongest",
];

/** Reads the totals over the life of a machine. */
export function readCounters(reader) {
  const counters = Object.fromEntries(COUNTERS.map((name) => [name, reader.integer()]));
  const { answers, unchanged } = counters;
  counters.unchangedPercent = answers === 0 ? 0 : Math.floor((unchanged * 100) / answers);
  return counters;
}
