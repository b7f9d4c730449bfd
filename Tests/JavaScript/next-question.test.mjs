// Why the next request comes when it does (next-question.js): every cause of the machine has its rule and its words.

import assert from "node:assert/strict";
import { test } from "node:test";

import board from "../../Sources/Programs/CWebAssets/Public/messages/en/board.js";
import { NUMBERS } from "../../JavaScript/freshness/freshness-wire.js";
import { nextQuestion } from "../../JavaScript/freshness/next-question.js";

test("an announced and a learned change are waited for by R31, and the cadence by R10", () => {
  const at = (nextCause, nextDue) => nextQuestion({ appearance: { nextCause, nextDue }, now: 1_000 });
  assert.deepEqual(at("stated", 13_000), { wait: 12_000, cause: "stated", rule: "R31" });
  assert.deepEqual(at("learned", 500), { wait: 0, cause: "learned", rule: "R31" });
  assert.deepEqual(at("offline", null), { wait: null, cause: "offline", rule: "R24" });
  assert.equal(board["cause-stated"], "after the change the server announced");
});

test("every cause has a rule and words", () => {
  for (const cause of NUMBERS.nextCause.filter(Boolean)) {
    const { rule } = nextQuestion({ appearance: { nextCause: cause, nextDue: 0 }, now: 0 });
    assert.match(rule ?? "", /^R\d+$/, cause);
    assert.ok(board[`cause-${cause}`], cause);
  }
});
