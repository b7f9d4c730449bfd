// The server's time of day, as the pages learn it.

import assert from "node:assert/strict";
import { test } from "node:test";

import { ServerClock } from "../../JavaScript/freshness/clock.js";

const received = (outcome, serverTime) => ({ outcome, metadata: { serverTime }, askedAt: performance.now(), answeredAt: performance.now() });

/** The difference of a clock from a time, in whole minutes. */
const minutesFrom = (clock, time) => Math.round((clock.now() - time) / 60_000);

test("the time of day is that of the responses that carry or confirm a copy", () => {
  const clock = new ServerClock();
  const first = Date.UTC(2026, 10, 24, 7);
  clock.learnFrom(received("content", first));
  assert.equal(minutesFrom(clock, first), 0);
  const later = first + 3_600_000;
  clock.learnFrom(received("unchanged", later));
  assert.equal(minutesFrom(clock, later), 0);
});

test("the date of an error moves no clock (R22)", () => {
  const clock = new ServerClock();
  const served = Date.UTC(2026, 10, 24, 7);
  clock.learnFrom(received("content", served));
  for (const outcome of ["throttled", "serverError", "refused", "undecodable", "gone", "unauthorised", "timedOut"]) {
    clock.learnFrom(received(outcome, served + 86_400_000));
    assert.equal(minutesFrom(clock, served), 0, outcome);
  }
});

test("a response without a time moves no clock", () => {
  const clock = new ServerClock();
  const served = Date.UTC(2026, 10, 24, 7);
  clock.learnFrom(received("content", served));
  clock.learnFrom({ ...received("unchanged", null), metadata: {} });
  assert.equal(minutesFrom(clock, served), 0);
});
