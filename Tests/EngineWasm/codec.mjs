// Tests the translation between plain objects and words: the published numbers, and its strictness.
//
//   node Tests/EngineWasm/codec.mjs MODULE

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { CODES, Engine, EngineError, NUMBERS } from "../../JavaScript/freshness/freshness.js";
import { CHOICES, LIMIT, NONE, RECORDS, VERSION } from "../../JavaScript/freshness/freshness-wire.js";
import { moduleBytes } from "./harness.mjs";

const engine = await Engine.load(moduleBytes);
const watched = () => engine.machine({ policy: { every: 10_000 }, context: { question: 1 } });

test("the numbers are those that were published", () => {
  // A number of a version never changes: a new case comes last, with a new version and a new digest.
  const sorted = Object.fromEntries(Object.entries(NUMBERS).sort(([one], [other]) => (one < other ? -1 : 1)));
  const digest = createHash("sha256").update(JSON.stringify([CODES, sorted, LIMIT, NONE])).digest("hex");
  assert.deepEqual([VERSION, digest], [11, "8d3a0c31e7074710d0e92a6dd77be262b7db033292e5301bd0509b8e878bc2bf"]);
});

test("the messages are those that were published", () => {
  // The kinds in the order of the words, without what is for JavaScript only.
  const kinds = (members) => Object.values(members).map((kind) => kind.replace(/^\.\.\.|=.*$/g, ""));
  const records = Object.entries(RECORDS).map(([name, members]) => [name, kinds(members)]);
  const choices = Object.entries(CHOICES).map(([name, cases]) => [name, Object.values(cases).map(kinds)]);
  const digest = createHash("sha256").update(JSON.stringify([records, choices].map((each) => each.sort()))).digest("hex");
  assert.deepEqual([VERSION, digest], [11, "a2057f655a2e31916a7610f0b4c40bd5a8a4e09412ce3f66b5af3ef649ab214d"]);
});

test("the module imports nothing, and exports what is documented", () => {
  const module = new WebAssembly.Module(moduleBytes);
  assert.deepEqual(WebAssembly.Module.imports(module), []);
  const names = WebAssembly.Module.exports(module).map(({ name }) => name).sort();
  assert.deepEqual(names, ["memory", ...[
    "buffer", "buffer_capacity", "counters", "create", "destroy", "error_position", "handle", "label",
    "appearance", "machines", "memory_in_use", "origin_create", "origin_destroy", "origin_handle", "policy", "preset",
    "wire_version",
  ].map((name) => `freshness_${name}`)].sort());
});

test("a policy comes back from its machine as it went in", () => {
  const fields = {
    every: 1_500, recent: 3_000, recentFor: 120_001, idle: 10_000, background: 30_000,
    jitter: { signed: [300, 600] }, leastInterval: 1_350, leastWait: 0, burst: 1, spread: 2,
    focusDebounce: 3, impatience: 7, timeout: 4_000, retryDelay: null, ladder: [1, 2, 3, 4, 5], ladderJitter: "full",
    retryAfterCap: 6, recheck: 7, recheckGone: 17, driftFloor: 8, driftPercent: 80, stallFloor: 9, stallFactor: 4,
    rescueCooldown: 10, unchangedLimit: null, unchangedFor: 11, downgradeProtection: 12, clockTolerance: 16, degradedRearm: 13,
    badgePartialAfter: 14, badgeUnavailableAfter: 15,
    alignment: { delay: 1, spread: 2, slack: 3, tolerance: 4 }, longPoll: 25_000,
    push: {
      heartbeat: 1, watchdogPercent: 250, openTimeout: 2, safetyPoll: 3, leastGap: 4, stableAfter: 5,
    },
    prefetches: false, ringCapacity: 0,
  };
  const { every, ...rest } = fields;
  const machine = engine.machine({ policy: fields });
  assert.deepEqual(machine.policy(), { active: every, ...rest });
  for (const jitter of ["none", "full", { within: 5 }, { share: 6 }, { above: 7 }]) {
    assert.deepEqual(engine.machine({ policy: { every, jitter } }).policy().jitter, jitter);
  }
});

test("numbers of the host come back as they went in, up to 2^53 and below zero", () => {
  const machine = watched();
  const numbers = [0, -1, 1, 2 ** 31, -(2 ** 31), 2 ** 32 - 1, 2 ** 32, -(2 ** 32), 2 ** 52 + 1,
    Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER, 2 ** 53, -(2 ** 53)];
  machine.handle({ event: "started" }, 0, 0);
  for (const question of numbers) {
    for (const identity of numbers) {
      machine.handle({ event: "contextChanged", with: { question, identity } }, 1, 0);
      assert.deepEqual(machine.appearance(1).context, { question, identity });
    }
    machine.handle({ event: "wrote", with: { revision: question } }, 1, 0);
    assert.equal(machine.appearance(1).revision, question);
  }
});

test("an origin binds all of its requests", () => {
  const origin = engine.origin({ preset: "departuresWeb" });
  const ask = (number, priority = "normal", isLongPoll = false) => origin.handle({ event: "asks", with: { number, now: 0, priority, isLongPoll } });
  const sent = [1, 2, 3, 4, 5, 6, 7].flatMap((number) => ask(number, "normal", number === 3).send);
  assert.deepEqual(sent, [1, 2, 3, 4, 5].map((number) => ({ number, isHeld: number === 3 })));
  assert.deepEqual(ask(8, "high").send, [{ number: 8, isHeld: false }]);
  assert.deepEqual(ask(9, "high").send, []);
  assert.deepEqual(origin.handle({ event: "withdrew", with: { number: 2, now: 0 } }).send, [{ number: 9, isHeld: false }]);
  assert.deepEqual(origin.handle({ event: "withdrew", with: { number: 8, now: 0 } }).send, []);
  // Five are in flight, and the last place is the user's.
  assert.deepEqual(origin.handle({ event: "opens", with: { number: 10, now: 0 } }).send, []);
  assert.deepEqual(origin.handle({ event: "withdrew", with: { number: 9, now: 0 } }).send, [{ number: 6, isHeld: false }]);
  assert.deepEqual(origin.handle({ event: "withdrew", with: { number: 4, now: 0 } }).send, [{ number: 7, isHeld: false }]);
  assert.deepEqual(origin.handle({ event: "withdrew", with: { number: 5, now: 0 } }).send, []);
  assert.deepEqual(origin.handle({ event: "opens", with: { number: 11, now: 0 } }).send, [{ number: 11, isHeld: true }]);
  assert.deepEqual(origin.handle({ event: "withdrew", with: { number: 11, now: 0 } }).send, []);
  const throttled = { number: 1, now: 1_000.5, outcome: "throttled", retryAfter: { seconds: 30 } };
  const { restraint, send } = origin.handle({ event: "ended", with: throttled });
  assert.deepEqual(restraint, { notBefore: 31_000, quietUntil: null, leastInterval: null, sharedUntil: null });
  assert.deepEqual(send, []);
  const limited = { number: 3, now: 2_000, outcome: "unchanged", rateLimit: { remaining: 4, reset: 60_000 }, resources: 2 };
  const share = origin.handle({ event: "ended", with: limited }).restraint;
  assert.deepEqual([share.leastInterval, share.sharedUntil], [30_500, 63_000]);
  assert.throws(() => ask(1.5), { code: "outOfRange" });
  assert.throws(() => origin.handle({ event: "left", with: {} }), { code: "unknownName" });
  assert.throws(() => origin.handle({ event: "asks", with: { number: 9, now: 0, priority: "low" } }), { code: "missing" });
  assert.throws(() => engine.origin({ every: 10_000, ladder: [-1] }), { code: "outOfRange" });
  assert.throws(() => engine.origin({ every: 10_000, ladder: Array(65).fill(1) }), { code: "outOfRange" });
  origin.destroy();
  assert.throws(() => ask(9), { code: "noSuchMachine" });
});

test("a fraction of a millisecond is dropped from instants only", () => {
  const machine = watched();
  machine.handle({ event: "started" }, 10.9, 0);
  assert.equal(machine.appearance(10.9).alarm, 12_010);
});

test("a clock that runs backwards is refused, and nothing has happened then", () => {
  const machine = watched();
  for (const start of [-5_000, 10_000.9]) {
    machine.handle({ event: "started" }, start, 0);
    const before = machine.appearance(start);
    for (const act of [(now) => machine.handle({ event: "woke" }, now, 0), (now) => machine.appearance(now), (now) => machine.label(now)]) {
      assert.throws(() => act(start - 1), { name: "EngineError", code: "wentBack", where: "now" });
      assert.throws(() => act(-Number.MAX_SAFE_INTEGER), { code: "wentBack" });
    }
    assert.deepEqual(machine.appearance(start), before);
    // The same instant again, and a fraction of it, is not a step back.
    machine.handle({ event: "focused" }, Math.floor(start), 0);
  }
});

const answered = (answer, others) => ({
  event: "answered", with: { generation: 1, context: { question: 1 }, answer, ...others },
});

test("whatever is wrong is named, and nothing has happened then", () => {
  const machine = watched();
  machine.handle({ event: "started" }, 0, 0);
  const before = machine.appearance(0);
  const wrong = [
    [{ event: "strated" }, "unknownName", "event.event"],
    [{}, "missing", "event.event"],
    [null, "wrongType", "event"],
    [["woke"], "wrongType", "event"],
    [{ event: "constructor" }, "unknownName", "event.event"],
    [{ event: "woke", with: {} }, "unknownMember", "event.with"],
    [{ event: "woke", at: 4 }, "unknownMember", "event.at"],
    [{ event: "lifecycle" }, "missing", "event.with"],
    [{ event: "lifecycle", with: { to: "forground" } }, "unknownName", "event.with.to"],
    [{ event: "paceRequested", with: {} }, "missing", "event.with.interval"],
    [{ event: "paceRequested", with: { interval: -1 } }, "outOfRange", "event.with.interval"],
    [{ event: "wrote", with: { revision: 2 ** 53 + 2 } }, "outOfRange", "event.with.revision"],
    [{ event: "wrote", with: { revision: 1.5 } }, "outOfRange", "event.with.revision"],
    [{ event: "wrote", with: { revision: NaN } }, "outOfRange", "event.with.revision"],
    [{ event: "wrote", with: { revision: "1" } }, "wrongType", "event.with.revision"],
    [{ event: "wrote", with: { revision: 1n } }, "wrongType", "event.with.revision"],
    [{ event: "streamOpened", with: { isResumed: 1 } }, "wrongType", "event.with.isResumed"],
    [{ event: "refreshRequested", with: { refresh: "toString" } }, "unknownName", "event.with.refresh"],
    [{ event: "refreshRequested", with: { refresh: "person", isForced: true } }, "unknownMember", "event.with.isForced"],
    [{ event: "refreshRequested", with: { reason: "people" } }, "unknownName", "event.with.reason"],
    [answered({ outcome: "content" }), "missing", "event.with.answer.revision"],
    [answered({ outcome: "unchanged", revision: 1 }), "unknownMember", "event.with.answer.revision"],
    [answered({ outcome: "undecodable", reason: 2 ** 31 }), "outOfRange", "event.with.answer.reason"],
    [answered({ outcome: "unchanged", status: 2 ** 31 }), "outOfRange", "event.with.answer.status"],
    [answered({ outcome: "unchanged", bytes: -1 }), "outOfRange", "event.with.answer.bytes"],
    [answered({ outcome: "throttled", retryAfter: {} }), "missing", "event.with.answer.retryAfter.seconds"],
    [answered({ outcome: "throttled", retryAfter: { seconds: 1, date: 2 } }), "unknownMember",
      "event.with.answer.retryAfter.seconds"],
    [answered({ outcome: "unchanged", metadata: { mode: "fool" } }), "unknownName", "event.with.answer.metadata.mode"],
    [answered({ outcome: "unchanged", metadata: { age: 1 } }), "unknownMember", "event.with.answer.metadata.age"],
    [answered({ outcome: "unchanged", hints: { maxage: 1 } }), "unknownMember", "event.with.answer.hints.maxage"],
    [answered({ outcome: "unchanged" }, { context: {} }), "missing", "event.with.context.question"],
  ];
  for (const [event, code, where] of wrong) {
    assert.throws(() => machine.handle(event, 1, 0), (error) => {
      assert.ok(error instanceof EngineError, `${where}: ${error}`);
      assert.deepEqual([error.code, error.where], [code, where]);
      return true;
    });
  }
  for (const [now, random, where] of [["1", 0, "now"], [1e300, 0, "now"], [1, -1, "random"], [1, 2 ** 32, "random"]]) {
    assert.throws(() => machine.handle({ event: "woke" }, now, random), { where });
  }
  assert.deepEqual(machine.appearance(0), before);
});

test("policies and machines are described strictly", () => {
  const wrong = [
    [{}, "missing", "policy.preset"],
    [{ preset: "jobs", every: 1_000 }, "missing", "policy.preset"],
    [{ preset: "every" }, "unknownName", "policy.preset"],
    [{ preset: "fast" }, "unknownName", "policy.preset"],
    [{ every: 1_000, activ: 1 }, "unknownMember", "policy.activ"],
    [{ every: -1 }, "outOfRange", "policy.every"],
    [{ every: 1_000, ladder: 5 }, "wrongType", "policy.ladder"],
    [{ every: 1_000, ladder: [1, -2] }, "outOfRange", "policy.ladder[1]"],
    [{ every: 1_000, ladder: Array(65).fill(1) }, "outOfRange", "policy.ladder"],
    [{ every: 1_000, ladder: Array(300).fill(1) }, "noRoom", "policy.ladder[239]"],
    [{ every: 1_000, jitter: "some" }, "unknownName", "policy.jitter"],
    [{ every: 1_000, jitter: { none: 1 } }, "wrongType", "policy.jitter"],
    [{ every: 1_000, jitter: "within" }, "wrongType", "policy.jitter"],
    [{ every: 1_000, jitter: { within: 1, share: 2 } }, "wrongType", "policy.jitter"],
    [{ every: 1_000, jitter: { signed: [1] } }, "wrongType", "policy.jitter.signed"],
    [{ every: 1_000, jitter: {} }, "unknownName", "policy.jitter"],
    [{ every: 1_000, push: { heartbeats: 1 } }, "unknownMember", "policy.push.heartbeats"],
    [{ every: 1_000, alignment: { delay: 1 } }, "missing", "policy.alignment.spread"],
    [{ every: 1_000, downgradeProtection: -5 }, "outOfRange", "policy.downgradeProtection"],
    [{ every: 1_000, prefetches: 1 }, "wrongType", "policy.prefetches"],
  ];
  const before = engine.machines;
  for (const [policy, code, where] of wrong) {
    assert.throws(() => engine.machine({ policy }), (error) => {
      assert.ok(error instanceof EngineError, `${JSON.stringify(policy)}: ${error}`);
      assert.deepEqual([error.code, error.where], [code, where], JSON.stringify(policy));
      return true;
    });
  }
  assert.throws(() => engine.machine({ policy: { every: 1 }, contxt: {} }), { where: "machine.contxt" });
  assert.equal(engine.machines, before);
});

test("a machine that was destroyed is an error, and so is a module of another form", async () => {
  const machine = watched();
  machine.destroy();
  for (const call of [() => machine.appearance(0), () => machine.policy(), () => machine.destroy()]) {
    assert.throws(call, { code: "noSuchMachine" });
  }
  // (module (func (export "freshness_wire_version") (result i32) i32.const 63))
  const other = Uint8Array.from([0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 127, 3, 2, 1, 0, 7, 26, 1, 22,
    ...Buffer.from("freshness_wire_version"), 0, 0, 10, 6, 1, 4, 0, 65, 63, 11]);
  await assert.rejects(Engine.load(other), { code: "wrongModule" });
  await assert.rejects(Engine.load(new Response("", { status: 404 })), { code: "wrongModule" });
});

test("a module that stopped at a fault is not used again", () => {
  let calls = 0;
  const stopped = new Engine({
    exports: {
      memory: new WebAssembly.Memory({ initial: 1 }),
      freshness_wire_version: () => VERSION,
      freshness_buffer: () => 0,
      freshness_buffer_capacity: () => 256,
      freshness_preset: () => {
        calls += 1;
        throw new WebAssembly.RuntimeError("unreachable");
      },
    },
  });
  for (let count = 0; count < 3; count += 1) {
    assert.throws(() => stopped.policy({ preset: "jobs" }), { code: "broken" });
  }
  assert.equal(calls, 1);
});

test("the answer of a fetch loads as well", async () => {
  const loaded = await Engine.load(Promise.resolve(new Response(moduleBytes)));
  assert.equal(loaded.machines, 0);
});
