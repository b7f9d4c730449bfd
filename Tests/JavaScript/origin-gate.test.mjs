// The origins that a page remembers (engine.md R39): bounded, and the limits of a server are not forgotten with the others.

import assert from "node:assert/strict";
import { test } from "node:test";

import { OriginGate } from "../../JavaScript/freshness/origin-gate.js";
import { newEngine } from "./world.mjs";

const MOST = 256;
const now = () => 0;
const settled = () => new Promise((resolve) => setImmediate(resolve));

/** A resource that records what it was told. */
const resource = () => ({ told: {}, restrain(limits) { this.told = limits; } });

/** Sends one request and ends it. */
async function request(gate, arrival) {
  let number = null;
  await new Promise((start) => { number = gate.ask("normal", start); });
  gate.ended(number, { marks: {}, ...arrival });
  await settled();
}

const busy = { outcome: "throttled", retryAfter: { seconds: 200 } };

test("a page that visits many servers forgets those it left, and limits in force last", async () => {
  const engine = newEngine();
  const limited = OriginGate.of(engine, "https://limited.example/a", now);
  const leave = limited.join(resource());
  await request(limited, busy);
  leave();
  for (let number = 0; number < 3 * MOST; number += 1) OriginGate.of(engine, `https://host-${number}.example/a`, now).join(resource())();
  const again = resource();
  OriginGate.of(engine, "https://limited.example/b", now).join(again);
  assert.equal(again.told.notBefore, 200_000);
  const fresh = resource();
  OriginGate.of(engine, "https://host-0.example/a", now).join(fresh);
  assert.ok(fresh.told.notBefore == null);
});

test("an origin with a resource or a request is never forgotten; more of them than a page can know share one", () => {
  const engine = newEngine();
  const gates = Array.from({ length: MOST }, (_, number) => OriginGate.of(engine, `https://host-${number}.example/a`, now));
  gates.forEach((gate) => gate.join(resource()));
  assert.equal(new Set(gates).size, MOST);
  const further = OriginGate.of(engine, "https://further.example/a", now);
  assert.ok(gates.includes(further));
  assert.equal(OriginGate.of(engine, "https://host-7.example/b", now), gates[7]);
});

test("an unused origin makes room, one that waits for an answer does not", () => {
  const engine = newEngine();
  const gates = Array.from({ length: MOST }, (_, number) => OriginGate.of(engine, `https://host-${number}.example/a`, now));
  gates.forEach((gate, number) => (number === 0 ? gate.ask("normal", () => {}) : number === 5 ? null : gate.join(resource())));
  const further = OriginGate.of(engine, "https://further.example/a", now);
  assert.ok(!gates.includes(further));
  assert.equal(OriginGate.of(engine, "https://host-0.example/a", now), gates[0]);
});

test("a Retry-After date that cannot be measured is a minute, whatever the device's clock says", async () => {
  const engine = newEngine();
  const gate = OriginGate.of(engine, "https://dated.example/a", now);
  const watched = resource();
  gate.join(watched);
  await request(gate, { outcome: "throttled", retryAfter: { date: Date.parse("2001-01-01") } });
  assert.equal(watched.told.notBefore, 60_000);
});

test("a Retry-After date is measured with the answer's own time", async () => {
  const engine = newEngine();
  const gate = OriginGate.of(engine, "https://dated.example/a", now);
  const watched = resource();
  gate.join(watched);
  const served = Date.parse("2001-01-01");
  await request(gate, { outcome: "throttled", retryAfter: { date: served + 30_000 }, marks: { serverTime: served } });
  assert.equal(watched.told.notBefore, 30_000);
});
