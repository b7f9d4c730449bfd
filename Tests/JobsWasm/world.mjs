// The machine that follows jobs in a seeded world: a server with a log and tokens that expire, a network that breaks, repeats and
// loses, renewals that fail, events that cannot be read. The end comes once, and no event twice or out of order.
//
//   node Tests/JobsWasm/world.mjs MODULE

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { FollowMachine } from "../../Sources/Programs/CWebAssets/Public/jobs/follow-machine.js";
import { factsOf, readMessage } from "../../Sources/Programs/CWebAssets/Public/jobs/job-messages.js";
import { SampleSource } from "./random-run.mjs";

const SEEDS = 400;
const MOST_STEPS = 20_000;

class World {
  seen = [];
  endings = [];
  ends = 0;
  late = 0;
  renewals = 0;
  failedRenewals = 0;
  renewalsAtOnce = 0;
  now = 0;
  #published = 1;
  #stream = null;
  #question = null;
  #renewal = null;
  #alarm = null;
  #pending = [];

  constructor(machine, seed, life) {
    this.machine = machine;
    // Neighbors begin alike: the first numbers are left out.
    this.generator = new SampleSource(seed * 2_654_435_761);
    for (let skipped = 0; skipped < 8; skipped += 1) this.generator.next();
    this.life = this.tokenEnd = life;
    this.last = 3 + this.generator.below(30);
    this.pace = [1, 10, 60, 200][this.generator.below(4)];
    this.damage = Array.from({ length: this.last + 1 }, () => ["", "", "", "", "", "", "text", "length"][this.generator.below(8)]);
  }

  handle(event, messages = []) {
    const orders = this.machine.handle(event, this.now, this.generator.next());
    this.#pending.push(...orders.map((order) => ({ ...order, messages })));
  }

  run() {
    this.handle({ event: "start" });
    for (let step = 0; step < MOST_STEPS && this.endings.length === 0; step += 1) {
      this.now += 1 + this.generator.below(800);
      if (this.generator.below(this.pace) === 0) this.#published = Math.min(this.last, this.#published + 1);
      const orders = this.#pending;
      this.#pending = [];
      for (const order of orders) this.#obey(order);
      if (this.endings.length > 0) break;
      this.#renew();
      if (this.#question) this.#answer();
      else if (this.#stream) this.#speak();
      if (this.#alarm !== null && this.#alarm <= this.now) {
        this.#alarm = null;
        this.handle({ event: "woke" });
      }
    }
    // Nothing follows the end, whatever still comes.
    for (const event of [{ event: "received", message: { content: "ended" }, attempt: 99 }, { event: "woke" }, { event: "tokenRefreshed" }]) this.handle(event);
    this.late += this.#pending.length;
  }

  #obey({ order, attempt, after, index, ending, messages }) {
    if (order === "deliver") {
      const message = messages[index];
      this.late += this.endings.length;
      if (message?.position) this.seen.push(message.position.seq);
      if (message?.body.kind === "ended") this.ends += 1;
    }
    if (order === "deliverEnd") this.ends += 1;
    if (order === "finish") this.endings.push(ending);
    if (order === "wake") this.#alarm = this.now + after;
    if (order === "disconnect") this.#stream = this.#question = null;
    if (order === "refreshToken") {
      if (this.#renewal !== null) this.renewalsAtOnce += 1;
      this.#renewal = this.now + this.generator.below(3_000);
    }
    if (order === "poll") this.#question = { attempt, after };
    if (order === "connect") this.#connect(attempt, after);
  }

  #connect(attempt, after) {
    if (this.now >= this.tokenEnd) return this.#fail({ trouble: "status", status: 401 }, attempt);
    if (this.generator.below(4) === 0) return this.#fail(["broken", { trouble: "status", status: 503 }, { trouble: "status", status: 404 }][this.generator.below(3)], attempt);
    this.#stream = { attempt, sent: after?.seq ?? 0 };
    this.handle({ event: "opened", attempt });
  }

  #fail(trouble, attempt) {
    this.#stream = null;
    this.handle({ event: "ended", trouble, attempt });
  }

  #renew() {
    if (this.#renewal === null || this.#renewal > this.now) return;
    this.#renewal = null;
    if (this.generator.below(3) === 0) {
      this.failedRenewals += 1;
      return this.handle({ event: "tokenNotRefreshed", trouble: this.generator.below(2) ? { trouble: "status", status: 503 } : "broken" });
    }
    if (this.now >= this.tokenEnd) return this.handle({ event: "tokenNotRefreshed", trouble: { trouble: "status", status: 401 } });
    this.renewals += 1;
    this.tokenEnd = this.now + this.life;
    this.handle({ event: "tokenRefreshed", expiresAt: this.tokenEnd });
  }

  #answer() {
    const { after, attempt } = this.#question;
    this.#question = null;
    if (this.now >= this.tokenEnd) return this.handle({ event: "pollFailed", trouble: { trouble: "status", status: 401 }, attempt });
    if (this.generator.below(4) === 0) return this.handle({ event: "pollFailed", trouble: "broken", attempt });
    const from = after?.seq ?? 0;
    const isOver = this.#published === this.last;
    const state = { type: "reconnected", epoch: 1, payload: { lastSeq: isOver ? this.last - 1 : this.#published, recovered: false } };
    const messages = from > this.#published
      ? [readMessage(JSON.stringify(state)), ...(isOver ? [this.#event(this.last)] : [])]
      : Array.from({ length: this.#published - from }, (_, index) => this.#event(from + 1 + index));
    this.handle({ event: "polled", messages: messages.map(factsOf), isOver, attempt }, messages);
  }

  /** The event as it is read: `null` if it is damaged. */
  #event(seq, covers) {
    const type = seq === this.last ? "job_complete" : seq % 5 ? "job_progress" : "new_kind";
    const text = JSON.stringify({ type, epoch: 1, seq, covers, payload: { progress: seq / this.last } });
    return readMessage(this.damage[seq] === "text" ? text.slice(1) : text);
  }

  #speak() {
    const { attempt, sent } = this.#stream;
    const what = this.generator.below(20);
    if (what === 0) return this.#fail({ trouble: "closed", code: 1001, isLimit: false }, attempt);
    if (sent >= this.#published) {
      if (sent >= this.last) return this.#fail({ trouble: "closed", code: 1000, isLimit: false }, attempt);
      if (what < 3) this.handle({ event: "heard", attempt });
      return;
    }
    const next = what % 2 ? sent + 1 : sent + 1 + this.generator.below(this.#published - sent);
    if (this.damage[next] === "length") return this.#fail("unreadable", attempt);
    this.#stream.sent = next;
    // Lost on the way.
    if (what === 1) return;
    const message = this.#event(next, next > sent + 1 ? sent + 1 : undefined);
    for (let times = what === 2 ? 2 : 1; times > 0; times -= 1) this.handle({ event: "received", message: factsOf(message), attempt }, [message]);
  }
}

const module = await WebAssembly.compile(readFileSync(process.argv[2]));
let [ended, outlived] = [0, 0];
for (let seed = 1; seed <= SEEDS; seed += 1) {
  const life = 60_000 + new SampleSource(seed).below(200_000);
  const world = new World(await FollowMachine.create(module, { tokenExpiry: life }), seed, life);
  world.run();
  const { endings, ends, late, renewals, failedRenewals, renewalsAtOnce, seen, now, tokenEnd } = world;
  assert.deepEqual([endings.length, late, renewalsAtOnce], [1, 0, 0], `${seed}`);
  assert.ok(seen.every((seq, index) => index === 0 || seq > seen[index - 1]), `${seed}: ${seen}`);
  // Only a token whose renewal failed ends it before the end.
  if (endings[0] === "ended") assert.equal(ends, 1, `${seed}`);
  else assert.ok(endings[0] === "unauthorized" && failedRenewals > 0 && now >= tokenEnd, `${seed}: ${endings}`);
  if (endings[0] === "ended") [ended, outlived] = [ended + 1, outlived + (renewals > 2 ? 1 : 0)];
}
assert.ok(ended > SEEDS * 0.95, `${ended} ended`);
// Many of them outlived several tokens.
assert.ok(outlived > SEEDS / 4, `${outlived} outlived their tokens`);
console.log(`${SEEDS} worlds: ${ended} jobs ended, ${outlived} outlived several tokens`);
