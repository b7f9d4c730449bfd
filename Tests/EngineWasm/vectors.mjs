// Runs conformance vectors in the WebAssembly build: under node (run-vectors.mjs), and in a browser
// (Tests/EndToEnd/test_page_engine.py). It needs nothing of either. The grammar and its rules are in
// Documentation/conformance-vectors.md.

const SAMPLES = { lowest: 0, middle: 2 ** 31, highest: 2 ** 32 - 1 };
const MOST_EVENTS = 100_000;

/** A vector that does not keep to the grammar. */
class GrammarError extends Error {}

function insist(condition, problem) {
  if (!condition) throw new GrammarError(problem);
}

function check(object, required, optional, where) {
  insist(object !== null && typeof object === "object" && !Array.isArray(object),
    `${where}: an object is expected`);
  for (const name of required) insist(name in object, `${where}.${name} is missing`);
  for (const name of Object.keys(object)) {
    insist(required.includes(name) || optional.includes(name), `${where}.${name} is unknown here`);
  }
}

// MARK: Comparison

/** Whether two values are the same, member by member. */
function isEqual(one, other) {
  if (one instanceof Set && other instanceof Set) return one.size === other.size && [...one].every((value) => other.has(value));
  if (one === null || other === null || typeof one !== "object" || typeof other !== "object") return Object.is(one, other);
  if (Array.isArray(one) !== Array.isArray(other)) return false;
  const names = Object.keys(one);
  return names.length === Object.keys(other).length && names.every((name) => Object.hasOwn(other, name) && isEqual(one[name], other[name]));
}

const isRange = (value) => value !== null && typeof value === "object";

function checkContext(value, path) {
  check(value, ["question"], ["identity"], path);
  return { identity: 0, ...value };
}

/** Compares members; what is expected of a member that does not exist is a mistake in the vector. */
function members(expected, got, path, kinds = {}) {
  check(expected, [], Object.keys(got), path);
  return Object.entries(expected).flatMap(([name, value]) =>
    compare(kinds[name], value, got[name], `${path}.${name}`));
}

const REQUEST = { context: "context" };
const SAMPLE = { context: "context", metadata: "members" };
const SHOWS = { context: "context", label: "members", nextDue: "range" };
const EXPECT = {
  request: "request", requests: "requests", requestCount: "range", changes: "set", alarm: "range",
  sample: "sample", notes: "set", shows: "shows", counters: "members",
};

/** Names what differs: [path, expected, got]. */
function compare(kind, expected, got, path) {
  const differs = [[path, expected, got]];
  switch (kind) {
    case "context":
      return isEqual(checkContext(expected, path), got) ? [] : differs;
    case "range":
      if (!isRange(expected)) return expected === got ? [] : differs;
      check(expected, ["from", "to"], [], path);
      insist(expected.from <= expected.to, `${path}: the range is empty`);
      return got !== null && expected.from <= got && got <= expected.to ? [] : differs;
    case "set":
      insist(new Set(expected).size === expected.length, `${path}: a name appears twice`);
      return isEqual(new Set(expected), new Set(got)) ? [] : differs;
    case "members": return members(expected, got, path);
    case "shows": return members(expected, got, path, SHOWS);
    case "request":
    case "sample":
      if (expected === null || got === null) return expected === got ? [] : differs;
      return members(expected, got, path, kind === "request" ? REQUEST : SAMPLE);
    case "requests":
      if (expected.length !== got.length) return differs;
      return expected.flatMap((value, index) =>
        compare("request", value, got[index], `${path}[${index + 1}]`));
    default: return isEqual(expected, got) ? [] : differs;
  }
}

// MARK: Runs

/** A run of one vector on one machine. */
class VectorRun {
  constructor(engine, vector) {
    this.machine = engine.machine({ policy: vector.policy, context: vector.context ?? { question: 0 } });
    this.capacity = this.machine.policy().ringCapacity;
    this.now = 0;
    this.ordered = new Map();
    this.ring = [];
    this.last = null;
  }

  send(event, random) {
    this.last = this.machine.handle(event, this.now, random);
    const { request, sample } = this.last;
    if (sample) this.ring = this.capacity ? [...this.ring, sample.generation].slice(-this.capacity) : [];
    if (!request) return;
    this.ordered.set(request.generation, { at: this.now, context: request.context });
    this.requests.push({ at: this.now, ...request });
  }

  /** Performs one step; returns what differs. */
  perform(step, where) {
    check(step, ["event"], ["at", "after", "with", "random", "expect"], where);
    insist(!("at" in step && "after" in step), `${where}: "at" and "after" are given together`);
    const instant = step.at ?? this.now + (step.after ?? 0);
    insist(Number.isSafeInteger(instant) && instant >= this.now, `${where}: instants never go back`);
    const random = SAMPLES[step.random ?? "middle"] ?? step.random;
    this.requests = [];
    let problem = null;
    if (step.event === "wait") {
      problem = this.wait(instant, step.with ?? {}, random, `${where}.with`);
    } else {
      this.now = instant;
      problem = this.handle(step, random, where);
    }
    if (problem) return [["event", step.event, problem]];
    return this.differences(step.expect ?? {}, step.event === "wait");
  }

  handle(step, random, where) {
    const event = { event: step.event };
    if ("with" in step) event.with = step.with;
    if (["answered", "notHeld", "queued"].includes(step.event)) {
      check(step.with, step.event === "answered" ? ["answer"] : [], ["generation", "context"], `${where}.with`);
      const generation = step.with.generation ?? this.machine.appearance(this.now).outstanding;
      if (generation === null) return "no request is out";
      const context = step.with.context ?? this.ordered.get(generation)?.context;
      if (!context) return `no request ${generation} was ever ordered`;
      event.with = { ...step.with, generation, context };
    } else if (step.event === "streamDelivered") {
      check(step.with, ["answer"], ["context"], `${where}.with`);
      event.with = { context: this.machine.appearance(this.now).context, ...step.with };
    }
    this.send(event, random);
    return null;
  }

  /** Lets time pass as a host that heeds the alarm, and perhaps has a server. */
  wait(end, service, random, where) {
    check(service, "latency" in service ? ["answer"] : [], ["answer", "latency"], where);
    let appearance = this.machine.appearance(this.now);
    this.last = {
      cancel: null, snapshot: "none", changes: [], request: null, stream: null, alarm: appearance.alarm,
      sample: null, notes: [],
    };
    for (let count = 0; count < MOST_EVENTS; count += 1) {
      appearance = this.machine.appearance(this.now);
      const alarm = appearance.alarm === null ? Infinity : Math.max(appearance.alarm, this.now);
      const sent = service.answer ? this.ordered.get(appearance.outstanding) : undefined;
      const due = sent ? Math.max(sent.at + (service.latency ?? 0), this.now) : Infinity;
      if (Math.min(alarm, due) > end) {
        this.now = end;
        return null;
      }
      if (due <= alarm) {
        this.now = due;
        const { context } = sent;
        const values = { generation: appearance.outstanding, context, answer: service.answer };
        this.send({ event: "answered", with: values }, random);
      } else {
        this.now = alarm;
        this.send({ event: "woke" }, random);
      }
    }
    return `more than ${MOST_EVENTS} events`;
  }

  differences(expected, isWait) {
    if (Object.keys(expected).length === 0) return [];
    const got = {
      ...this.last,
      shows: this.machine.appearance(this.now),
      counters: this.machine.counters(),
      ring: this.ring,
    };
    if (isWait) Object.assign(got, { requests: this.requests, requestCount: this.requests.length });
    // Beyond the grammar: what only this build shows is not to be expected of others.
    for (const name of ["alarm", "ageAtArrival", "arrivedAt", "hasServerAge", "sourceTime", "provenance"]) delete got.shows[name];
    return members(expected, got, "expect", EXPECT);
  }
}

function run(engine, vector) {
  check(vector, ["id", "covers", "says", "policy", "steps"], ["context"], "vector");
  insist(vector.covers.length > 0 && vector.steps.length > 0, "covers and steps must not be empty");
  const run = new VectorRun(engine, vector);
  try {
    return vector.steps.flatMap((step, index) =>
      run.perform(step, `step ${index + 1}`).map(([path, expected, got]) =>
        `step ${index + 1}: ${path}: expected ${JSON.stringify(expected)}, got ${JSON.stringify(got)}`));
  } finally {
    run.machine.destroy();
  }
}

/** Runs the vectors of a document: `[{ id, mismatches }]`. */
export function runDocument(engine, document) {
  check(document, ["vectors"], [], "file");
  return document.vectors.map((vector) => {
    try {
      return { id: vector.id, mismatches: run(engine, vector) };
    } catch (error) {
      return { id: vector.id, mismatches: [`${error.name}: ${error.message}`] };
    }
  });
}
