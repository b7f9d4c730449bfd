// The wire form of the machine that follows jobs: words that are not a message are refused, change nothing and stop nothing,
// and the JavaScript side refuses what the table does not know.
//
//   node Tests/JobsWasm/words.mjs MODULE

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { FollowMachine, MOST_MESSAGES } from "../../Sources/Programs/CWebAssets/Public/jobs/follow-machine.js";
import { CHOICES, VERSION } from "../../Sources/Programs/CWebAssets/Public/jobs/follow-wire.js";
import { SampleSource } from "./random-run.mjs";

const module = await WebAssembly.compile(readFileSync(process.argv[2]));
assert.deepEqual(WebAssembly.Module.imports(module), []);

const { exports } = await WebAssembly.instantiate(module, {});
const capacity = exports.jobs_buffer_capacity();
const words = () => new BigInt64Array(exports.memory.buffer, exports.jobs_buffer(), capacity);
const call = (name, message) => {
  words().set(message.map(BigInt));
  return exports[name](message.length);
};
const status = () => [...words().subarray(0, exports.jobs_status())].map(Number);

assert.equal(exports.jobs_wire_version(), VERSION);
// Without a machine there is nothing to tell, and every number of words is bounded.
assert.equal(call("jobs_handle", [0, 0, 1]), -6);
assert.equal(exports.jobs_status(), -6);
const policy = [...words().subarray(0, exports.jobs_policy())].map(Number);
const creation = [...policy, 0, 0, 1];
assert.equal(call("jobs_create", creation), 0);
for (const count of [-1, capacity + 1, 2 ** 31 - 1]) assert.equal(exports.jobs_handle(count), -5);

// Every message that ends too early, goes on, or has a word out of its range is refused where that is.
const LIMIT = 2n ** 53n;
const messages = { jobs_create: creation, jobs_handle: [5, 7, 3, 1, 1, 4, 1, 1, 1, 3, 1, 9, 3, 1, 8, 0, 1] };
for (const [name, message] of Object.entries(messages)) {
  for (let length = 0; length < message.length; length += 1) {
    assert.equal(call(name, message.slice(0, length)), -1, `${name}, ${length} words`);
    assert.equal(exports.jobs_error_position(), length);
  }
  assert.equal(call(name, [...message, 0]), -2);
  for (const [index] of message.entries()) {
    for (const word of [LIMIT, -LIMIT, 2n ** 63n - 1n, -(2n ** 63n)]) {
      const changed = message.map(BigInt);
      changed[index] = word;
      assert.ok([-3, -4].includes(call(name, changed)), `${name}, ${word} at ${index}`);
      assert.equal(exports.jobs_error_position(), index);
    }
  }
}
assert.equal(call("jobs_create", [0, ...creation.slice(1)]), -4, "a policy without waits");
for (const [kind, cases] of Object.entries({ event: CHOICES.event, transport: CHOICES.transport })) {
  const most = Object.keys(cases).length;
  for (const number of [0, most + 1]) {
    const message = kind === "event" ? [0, 0, number] : [...creation.slice(0, -1), number];
    assert.equal(call(kind === "event" ? "jobs_handle" : "jobs_create", message), -3);
  }
}

// Words at random, and messages of which some words are changed: refused, or taken, and never the end of the module.
const generator = new SampleSource(99);
const extremes = [0n, 1n, -1n, 2n, 12n, 512n, 513n, 2n ** 31n - 1n, 2n ** 31n, LIMIT - 1n, 1n - LIMIT, LIMIT];
let refused = 0, taken = 0;
for (let round = 0; round < 200_000; round += 1) {
  const name = generator.below(50) === 0 ? "jobs_create" : "jobs_handle";
  const message = (generator.below(2) === 0 ? messages[name] : Array.from({ length: generator.below(30) }, () => generator.below(14))).map(BigInt);
  for (let change = generator.below(3); change > 0 && message.length > 0; change -= 1) message[generator.below(message.length)] = extremes[generator.below(extremes.length)];
  const before = status();
  const result = call(name, message);
  if (result >= 0) {
    taken += 1;
    continue;
  }
  refused += 1;
  assert.deepEqual(status(), before);
}
assert.ok(refused > 10_000 && taken > 10_000, `${refused} refused, ${taken} taken`);

// The longest message fits, in little memory.
const machine = await FollowMachine.create(module, { transport: "polling" });
machine.handle({ event: "start" }, 0, 0);
const longest = { position: { epoch: 1, seq: 1 }, epoch: 1, covers: 1, at: 1, content: { content: "snapshot", lastSeq: 1, isRecovered: true } };
for (let attempt = 1; attempt <= 50; attempt += 1) {
  const polled = Array.from({ length: MOST_MESSAGES }, (_, index) => ({ ...longest, position: { epoch: attempt, seq: index + 1 } }));
  const orders = machine.handle({ event: "polled", messages: polled, isOver: false, attempt }, attempt, 0);
  assert.equal(orders.length, MOST_MESSAGES + 1);
  machine.handle({ event: "woke" }, attempt, 0);
}
assert.throws(() => machine.handle({ event: "polled", messages: Array(MOST_MESSAGES + 1).fill(longest), isOver: false, attempt: 51 }, 0, 0), RangeError);

// What the table does not know is refused before the module is called.
for (const event of [{ event: "surprise" }, null, "surprise", { event: "opened" }, { event: "opened", attempt: -1 }, { event: "opened", attempt: 2 ** 31 }, { event: "ended", trouble: "closed", attempt: 1 }, { event: "ended", trouble: { trouble: "toString" }, attempt: 1 }]) {
  assert.throws(() => machine.handle(event, 0, 0), RangeError, JSON.stringify(event));
}
assert.throws(() => machine.handle({ event: "woke" }, NaN, 0), RangeError);
assert.throws(() => machine.handle({ event: "woke" }, 2 ** 53, 0), RangeError);
const pages = machine.memory / 65_536;
assert.ok(pages <= 32, `${pages} pages`);
console.log(`${refused} messages refused, ${taken} taken, ${pages} pages of memory`);
