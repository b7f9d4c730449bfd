// Runs the vectors of origins (origins.json, engine.md R39) in the WebAssembly build. The native build runs them in
// Tests/EngineTests/FreshnessTesting/OriginVectors.swift.
//
//   node Tests/EngineWasm/origins.mjs MODULE

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { Engine } from "../../JavaScript/freshness/freshness.js";
import { moduleBytes } from "./harness.mjs";

const { origins } = JSON.parse(readFileSync(new URL("origins.json", import.meta.url), "utf8"));
const engine = await Engine.load(moduleBytes);

/** The message of a step. */
function messageOf({ event, number, priority = "normal", isLongPoll = false, outcome, retryAfterSeconds, rateLimit = null, resources = 1 }, now) {
  if (event === "asks") return { event, with: { number, now, priority, isLongPoll } };
  if (event === "withdrew" || event === "opens") return { event, with: { number, now } };
  const hint = outcome === "throttled" ? { retryAfter: retryAfterSeconds === undefined ? null : { seconds: retryAfterSeconds } } : {};
  return { event, with: { number, now, outcome, rateLimit, resources, ...hint } };
}

test("there are vectors", () => assert.ok(origins.length >= 7));

for (const { id, says, policy, steps } of origins) {
  test(`${id}: ${says}`, () => {
    const origin = engine.origin(policy);
    let now = 0;
    steps.forEach((step, index) => {
      now = step.now ?? now;
      const { send, restraint, delayed } = origin.handle(messageOf(step, now));
      const numbers = (isHeld) => send.filter((one) => one.isHeld === isHeld).map(({ number }) => number);
      assert.deepEqual(numbers(false), step.send ?? [], `step ${index + 1}`);
      assert.deepEqual(numbers(true), step.held ?? [], `step ${index + 1}`);
      assert.deepEqual(delayed, step.delayed ?? [], `step ${index + 1}`);
      if (step.restraint) assert.deepEqual(restraint, step.restraint, `step ${index + 1}`);
    });
    origin.destroy();
  });
}
