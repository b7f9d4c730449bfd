// The messages of the wire form (Sources/Engine/FreshnessWire) for freshness.js: plain objects to words, and words to
// plain objects, by the table that also makes the codec in Swift. Here is what has another shape as a plain object.

import { CHOICES, NUMBERS, RECORDS, REFRESH_REQUESTS, SETS } from "./freshness-wire.js";
import { EngineError, Members, kindOf } from "./freshness-words.js";

// MARK: The table

const MEMBER = /^(\.\.\.)?(\[)?(\w+)[^?=]*(\?)?(?:=(.+))?$/;

/** The members of a record or of a case: name, kind, how each is read and written, and its value if it is absent. */
function layout(members) {
  return Object.entries(members).map(([name, text]) => {
    const [, spread, list, kind, optional, fallback] = MEMBER.exec(text);
    const read = reading(kind, !!optional);
    const write = writing(kind, !!optional);
    return {
      name, kind, isSpread: !!spread, isOptional: !!optional, fallback: fallback && JSON.parse(fallback),
      read: list ? (reader) => readList(reader, read) : read,
      write: list ? (writer, value, where) => writeList(writer, value, where, write) : write,
    };
  });
}

function layouts(groups) {
  return Object.fromEntries(Object.entries(groups).map(([name, members]) => [name, layout(members)]));
}

const LAYOUTS = layouts(RECORDS);
const CASES = Object.fromEntries(Object.entries(CHOICES).map(([name, cases]) => [name, layouts(cases)]));

// MARK: What goes in

/** How records and choices are written that are values of their own. */
const WRITERS = {
  ...Object.fromEntries(Object.keys(RECORDS).map((kind) => [kind, (writer, value, where) => writeRecord(writer, kind, value, where)])),
  jitter: writeJitter,
  retryHint: writeRetryHint,
};

/** Returns how a value is written. */
function writing(kind, isOptional) {
  if (kind in RECORDS || kind in CHOICES) {
    if (!isOptional) return (writer, value, where) => WRITERS[kind](writer, value, where);
    return (writer, value, where) => {
      writer.flag(value !== null, where);
      if (value !== null) WRITERS[kind](writer, value, where);
    };
  }
  const write = plain(kind);
  if (!isOptional) return write;
  return (writer, value, where) => (value === null ? writer.none(where) : write(writer, value, where));
}

/** Returns how a plain kind or the name of a case is written. */
function plain(kind) {
  if (kind in NUMBERS) return (writer, value, where) => writer.named(kind, value, where);
  if (kind === "flag") return (writer, value, where) => writer.flag(value, where);
  if (kind === "instant" || kind === "positiveSpan") return (writer, value, where) => writer.instant(value, where);
  return (writer, value, where) => writer.integer(value, where);
}

function writeList(writer, value, where, write) {
  if (!Array.isArray(value)) throw new EngineError("wrongType", where, `a list is expected, not ${kindOf(value)}`);
  writer.integer(value.length, where);
  value.forEach((each, index) => write(writer, each, `${where}[${index}]`));
}

function writeRecord(writer, kind, value, where) {
  const members = new Members(value, where);
  writeMembers(writer, LAYOUTS[kind], members);
  members.end();
}

function writeMembers(writer, members, values) {
  for (const member of members) {
    if (member.isSpread) writeSpread(writer, member.kind, values);
    else member.write(writer, values.take(member.name, member.fallback), values.name(member.name));
  }
}

/** Writes a record or an outcome whose members stand among others. */
function writeSpread(writer, kind, values) {
  if (kind === "outcome") writeMembers(writer, CASES.outcome[writeName(writer, "outcome", values)], values);
  else if (kind === "refresh" && values.has("refresh")) writeRefreshRequest(writer, values);
  else writeMembers(writer, LAYOUTS[kind], values);
}

/** Writes the number of a case, which is the member of the name of its enumeration; returns its name. */
function writeName(writer, kind, values, member = kind) {
  const name = values.take(member);
  writer.named(kind, name, values.name(member));
  return name;
}

function writeRefreshRequest(writer, values) {
  const name = values.take("refresh");
  const where = values.name("refresh");
  if (!Object.hasOwn(REFRESH_REQUESTS, name)) {
    const known = Object.keys(REFRESH_REQUESTS).join(", ");
    throw new EngineError("unknownName", where, `${JSON.stringify(name)} is not one of ${known}`);
  }
  LAYOUTS.refresh.forEach((member, index) => member.write(writer, REFRESH_REQUESTS[name][index], where));
}

/** Writes `{ seconds }` or `{ date }`. */
function writeRetryHint(writer, value, where) {
  const members = new Members(value, where);
  const form = members.has("date") ? "date" : "seconds";
  writer.named("retryHint", form, where);
  writeMembers(writer, CASES.retryHint[form], members);
  members.end();
}

/** Writes the name of a jitter without values, or `{ name: value }`, or `{ name: [value, value] }`. */
function writeJitter(writer, value, where) {
  const kind = typeof value === "string" ? value : Object.keys(new Members(value, where).value)[0];
  writer.named("jitter", kind, where);
  const members = CASES.jitter[kind];
  const isBare = members.length === 0;
  if (isBare !== (typeof value === "string") || (!isBare && Object.keys(value).length !== 1)) {
    const form = isBare ? `"${kind}"` : `{"${kind}": …}`;
    throw new EngineError("wrongType", where, `${form} is expected`);
  }
  const values = members.length === 1 ? [value[kind]] : isBare ? [] : value[kind];
  if (!Array.isArray(values) || values.length !== members.length) {
    throw new EngineError("wrongType", `${where}.${kind}`, "two numbers are expected");
  }
  members.forEach((member, index) => member.write(writer, values[index], `${where}.${kind}`));
}

/** Writes what is watched: `{ question, identity }`. */
export const writeContext = WRITERS.context;

/** Writes every field of a policy. */
export function writePolicy(writer, policy) {
  writeRecord(writer, "policy", policy, "policy");
}

/** Writes `{ event, with }`. */
export function writeEvent(writer, event) {
  const members = new Members(event, "event");
  const cases = CASES.event[writeName(writer, "event", members)];
  if (cases.length > 0) {
    const values = new Members(members.take("with"), "event.with");
    writeMembers(writer, cases, values);
    values.end();
  }
  members.end();
}

/** The values of a message to an origin after its kind, the number of the request and the instant. */
const ORIGIN_VALUES = {
  asks: layout({ priority: "priority", isLongPoll: "flag" }),
  ended: layout({ outcome: "...outcome", serverTime: "wallTime?=null", rateLimit: "rateLimit?=null", resources: "count=1" }),
  withdrew: [],
  opens: [],
};

/** Writes an event of a request of an origin: `{ event, with }`. */
export function writeOriginEvent(writer, event) {
  const members = new Members(event, "event");
  const name = writeName(writer, "originEvent", members, "event");
  const values = new Members(members.take("with"), members.name("with"));
  writer.integer(values.take("number"), values.name("number"));
  writer.instant(values.take("now"), values.name("now"));
  writeMembers(writer, ORIGIN_VALUES[name], values);
  values.end();
  members.end();
}

// MARK: What comes out

/** Returns how a value is read. */
function reading(kind, isOptional) {
  if (kind in RECORDS || kind in CHOICES) {
    const read = kind in RECORDS ? (reader) => readRecord(reader, kind) : (reader) => readChoice(reader, kind);
    return isOptional ? (reader) => (reader.flag() ? read(reader) : null) : read;
  }
  if (kind in SETS) return (reader) => reader.set(kind);
  if (kind in NUMBERS) return isOptional ? (reader) => reader.optionalNamed(kind) : (reader) => reader.named(kind);
  if (kind === "flag" && isOptional) return readOptionalFlag;
  if (kind === "flag") return (reader) => reader.flag();
  return isOptional ? (reader) => reader.optional() : (reader) => reader.integer();
}

function readOptionalFlag(reader) {
  const flag = reader.optional();
  return flag === null ? null : flag === 1;
}

function readList(reader, read) {
  return Array.from({ length: reader.integer() }, () => read(reader));
}

function readRecord(reader, kind) {
  const record = readMembers(reader, LAYOUTS[kind], {});
  return kind in SHAPES ? SHAPES[kind](record, reader) : record;
}

function readMembers(reader, members, record) {
  for (const member of members) {
    if (member.isSpread) readSpread(reader, member, record);
    else record[member.name] = member.read(reader);
  }
  return record;
}

/** Reads a record or an outcome whose members stand among others. */
function readSpread(reader, { kind, isOptional }, record) {
  if (kind === "outcome") {
    record.outcome = reader.named("outcome");
    readMembers(reader, CASES.outcome[record.outcome], record);
  } else if (!isOptional || reader.flag()) {
    readMembers(reader, LAYOUTS[kind], record);
  } else {
    for (const { name } of LAYOUTS[kind]) record[name] = null;
  }
}

/** Reads a retry hint or a jitter. */
function readChoice(reader, kind) {
  const name = reader.named(kind);
  const values = readMembers(reader, CASES[kind][name], {});
  if (kind !== "jitter") return values;
  const list = Object.values(values);
  return list.length === 0 ? name : { [name]: list.length === 1 ? list[0] : list };
}

/** The plain objects of records whose members have another shape there. */
const SHAPES = {
  effects(effects) {
    effects.cancel = effects.cancel?.generation ?? null;
    return effects;
  },
  sample(sample) {
    sample.duration = sample.endedAt - sample.startedAt;
    return sample;
  },
  label({ markerKind, markerReason, badge, notice, age, isKept, provenance, unit, count }, reader) {
    let marker = markerKind;
    if (marker === "reducedByStatus") marker = { reduced: { status: reader.name("status", markerReason) } };
    if (marker === "reducedByMode") marker = { reduced: { mode: reader.name("mode", markerReason) } };
    return { marker, badge, notice, age, isKept, provenance, wording: unit === null ? null : { [unit]: count } };
  },
  appearance(appearance) {
    appearance.outstanding = appearance.outstanding?.generation ?? null;
    return appearance;
  },
  counters(counters) {
    const { answers, unchanged } = counters;
    counters.unchangedPercent = answers === 0 ? 0 : Math.floor((unchanged * 100) / answers);
    return counters;
  },
};

/** Reads every field of a policy. */
export const readPolicy = (reader) => readRecord(reader, "policy");

/** Reads the effects for the host. */
export const readEffects = (reader) => readRecord(reader, "effects");

/** Reads how fresh a copy is. */
export const readLabel = (reader) => readRecord(reader, "label");

/** Reads the visible state of a machine. */
export const readAppearance = (reader) => readRecord(reader, "appearance");

/** Reads the totals over the life of a machine. */
export const readCounters = (reader) => readRecord(reader, "counters");

/** Reads the restraint of an origin, the requests to send now, and those that waited and that the restraint delays. */
export function readOriginOrders(reader) {
  return {
    restraint: readRecord(reader, "restraint"),
    send: readList(reader, () => readRecord(reader, "admission")),
    delayed: readList(reader, () => reader.integer()),
  };
}
