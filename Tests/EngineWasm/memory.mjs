// Tests that the module keeps its memory: no leak over a long run, and a clean refusal at its end.
//
//   node Tests/EngineWasm/memory.mjs MODULE

import assert from "node:assert/strict";
import { test } from "node:test";
import { Engine, EngineError } from "../../JavaScript/freshness/freshness.js";
import { SampleSource, moduleBytes } from "./harness.mjs";

const PRESETS = ["departuresWeb", "departuresNative", "departuresWeb5s", "workspaces", "jobs"];

/** Any event that fits the machine's state, so that all of its paths are taken. */
function anyEvent(generator, outstanding, context) {
  const answer = generator.pick([
    { outcome: "content", revision: generator.below(5), validator: generator.below(5), hasRealtime: generator.below(2) === 1 },
    { outcome: "unchanged" }, { outcome: "serverError" }, { outcome: "unreachable" },
    { outcome: "throttled", retryAfter: { seconds: generator.below(4) } }, { outcome: "undecodable", reason: 1 },
  ]);
  if (outstanding !== null && generator.below(3) > 0) {
    return { event: "answered", with: { generation: outstanding, context, answer } };
  }
  return generator.pick([
    { event: "woke" }, { event: "woke" }, { event: "started" }, { event: "slept" },
    { event: "refreshRequested", with: { refresh: "person" } }, { event: "acted" },
    { event: "contextChanged", with: { question: generator.below(3) } },
    { event: "streamOpened", with: { isResumed: false } }, { event: "streamChanged" },
    { event: "streamDelivered", with: { context, answer } }, { event: "streamLost" }, { event: "evicted" },
    { event: "connectivity", with: { to: generator.pick(["online", "metered", "offline"]) } },
    { event: "lifecycle", with: { to: generator.pick(["foreground", "foreground", "background"]) } },
  ]);
}

test("a million events leave the memory as it was", async () => {
  const engine = await Engine.load(moduleBytes);
  const generator = new SampleSource(1);
  const machines = PRESETS.map((preset) => engine.machine({
    policy: { preset, push: {}, longPoll: 25_000 }, context: { question: 1 },
  }));
  let requests = 0;
  let now = 0;
  let before = null;
  for (let count = 0; count < 1_000_000; count += 1) {
    const machine = machines[count % machines.length];
    now += generator.below(400);
    const looked = machine.last ?? { outstanding: null, context: { question: 1 } };
    const effects = machine.handle(anyEvent(generator, looked.outstanding, looked.context), now, generator.next());
    if (effects.request) {
      requests += 1;
      machine.last = { outstanding: effects.request.generation, context: effects.request.context };
    }
    if (count === 1_000) before = engine.memory;
  }
  assert.ok(requests > 100_000, `${requests} requests`);
  assert.deepEqual(engine.memory, before);
});

test("ten thousand machines come and go and leave nothing behind", async () => {
  const engine = await Engine.load(moduleBytes);
  const describe = (generator) => ({
    policy: { preset: generator.pick(PRESETS), ladder: Array(generator.below(65)).fill(1_000) },
    context: { question: generator.below(9) },
  });
  const generator = new SampleSource(2);
  engine.machine(describe(generator)).destroy();
  const before = engine.memory.inUse;
  const alive = [];
  let created = 0;
  while (created < 10_000) {
    if (alive.length < 50 && generator.below(2) === 0) {
      const machine = engine.machine(describe(generator));
      created += 1;
      machine.handle({ event: "started" }, 0, generator.next());
      alive.push(machine);
    } else if (alive.length) {
      alive.splice(generator.below(alive.length), 1)[0].destroy();
    }
  }
  for (const machine of alive) machine.destroy();
  assert.equal(engine.machines, 0);
  // The list of seats stays, at 12 bytes for each of the 50 machines that were there at a time.
  assert.ok(engine.memory.inUse <= before + 2_048, `${engine.memory.inUse} bytes after ${before}`);
  assert.ok(engine.memory.size < 400_000, `${engine.memory.size} bytes`);
});

/** Creates machines until the module refuses. */
function fill(engine, policy) {
  const machines = [];
  for (;;) {
    try {
      machines.push(engine.machine({ policy, context: { question: machines.length } }));
    } catch (error) {
      assert.ok(error instanceof EngineError);
      return { machines, code: error.code };
    }
  }
}

test("when memory ends, creating fails and everything else goes on", async () => {
  const engine = await Engine.load(moduleBytes);
  const policy = { every: 1_000, push: {}, longPoll: 25_000, ladder: Array(64).fill(1_000) };
  const first = fill(engine, policy);
  assert.equal(first.code, "outOfMemory");
  assert.equal(engine.machines, first.machines.length);
  assert.ok(first.machines.length > 30_000, `${first.machines.length} machines`);
  first.machines.forEach((machine, index) => {
    const { request } = machine.handle({ event: "started" }, 0, 0);
    assert.equal(request.context.question, index, "no machine wrote into another");
    machine.handle({ event: "contextChanged", with: { question: index, identity: 1 } }, 1, 0);
    const context = { question: index, identity: 1 };
    const answer = { outcome: "content", revision: index };
    machine.handle({ event: "answered", with: { generation: 2, context, answer } }, 2, 0);
  });
  first.machines.forEach((machine, index) => {
    assert.equal(machine.appearance(3).revision, index);
    assert.equal(machine.policy().ladder.length, 64);
  });
  for (let index = 0; index < first.machines.length; index += 2) first.machines[index].destroy();
  const second = fill(engine, policy);
  assert.equal(second.code, "outOfMemory");
  assert.ok(second.machines.length >= first.machines.length / 2 - 64, "what was freed serves again");
  for (let index = 1; index < first.machines.length; index += 2) {
    assert.equal(first.machines[index].appearance(3).revision, index);
    first.machines[index].destroy();
  }
  for (const machine of second.machines) machine.destroy();
  assert.equal(engine.machines, 0);
  assert.ok(engine.memory.inUse < 1_000_000, `${engine.memory.inUse} bytes`);
});

test("there are as many machines as there may be, and no more", async () => {
  const engine = await Engine.load(moduleBytes);
  const { machines, code } = fill(engine, { every: 1_000, ladder: [] });
  assert.equal(code, "tooManyMachines");
  assert.equal(machines.length, 40_000);
  machines[12_345].destroy();
  engine.machine({ policy: { every: 1_000 } });
  assert.equal(engine.machines, 40_000);
});

test("the handle of a machine that is gone never means another one", async () => {
  const { instance } = await WebAssembly.instantiate(moduleBytes, {});
  const engine = instance.exports;
  const context = [0n, 0n];
  const write = (words) =>
    new BigInt64Array(engine.memory.buffer, engine.freshness_buffer(), words.length).set(words);
  write([1n, 1000n, 0n]);
  const length = engine.freshness_preset(3);
  const policy = [...new BigInt64Array(engine.memory.buffer, engine.freshness_buffer(), length)];
  const seen = new Set();
  // More machines than one seat has stamps.
  for (let count = 0; count < 70_000; count += 1) {
    write([...context, ...policy]);
    const handle = engine.freshness_create(2 + length);
    assert.ok(handle > 0 && !seen.has(handle));
    seen.add(handle);
    assert.equal(engine.freshness_destroy(handle), 0);
    assert.equal(engine.freshness_destroy(handle), -6);
  }
  for (const handle of [0, -1, 1, 40_001, 0x7fffffff, -0x80000000]) {
    assert.equal(engine.freshness_appearance(handle, 1), -6);
    assert.equal(engine.freshness_policy(handle), -6);
  }
  for (const count of [-1, 257, 0x7fffffff]) assert.equal(engine.freshness_create(count), -5);
});
