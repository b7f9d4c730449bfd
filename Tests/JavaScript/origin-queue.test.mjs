// The origins that a page remembers (engine.md R39): bounded, and the limits of a server are not forgotten with the others.

import assert from "node:assert/strict";
import { test } from "node:test";

import { OriginQueue } from "../../JavaScript/freshness/origin-queue.js";
import { rateLimitOf } from "../../JavaScript/freshness/rate-limit.js";
import { eventStream, newEngine, STEADY, World } from "./world.mjs";

const MOST = 256;
const POLICY = { preset: "departuresWeb" };
const now = () => 0;
const settled = () => new Promise((resolve) => setImmediate(resolve));

/** A resource that records what it was told. */
const resource = () => ({ told: {}, restrain(limits) { this.told = limits; } });

/** Sends one request and ends it. */
async function request(queue, received) {
  let number = null;
  await new Promise((start) => { number = queue.ask({ priority: "normal", longPoll: null }, start); });
  queue.ended(number, { metadata: {}, ...received });
  await settled();
}

const busy = { outcome: "throttled", retryAfter: { seconds: 200 } };

test("a page that visits many servers forgets those it left, and limits in force last", async () => {
  const engine = newEngine();
  const limited = OriginQueue.of(engine, "https://limited.example/a", POLICY, now);
  const leave = limited.join(resource());
  await request(limited, busy);
  leave();
  for (let number = 0; number < 3 * MOST; number += 1) OriginQueue.of(engine, `https://host-${number}.example/a`, POLICY, now).join(resource())();
  const again = resource();
  OriginQueue.of(engine, "https://limited.example/b", POLICY, now).join(again);
  assert.equal(again.told.notBefore, 200_000);
  const fresh = resource();
  OriginQueue.of(engine, "https://host-0.example/a", POLICY, now).join(fresh);
  assert.ok(fresh.told.notBefore == null);
});

test("an origin with a resource or a request is never forgotten; more of them than a page can know share one", () => {
  const engine = newEngine();
  const queues = Array.from({ length: MOST }, (_, number) => OriginQueue.of(engine, `https://host-${number}.example/a`, POLICY, now));
  queues.forEach((queue) => queue.join(resource()));
  assert.equal(new Set(queues).size, MOST);
  const further = OriginQueue.of(engine, "https://further.example/a", POLICY, now);
  assert.ok(queues.includes(further));
  assert.equal(OriginQueue.of(engine, "https://host-7.example/b", POLICY, now), queues[7]);
});

test("an unused origin makes room, one that waits for an answer does not", () => {
  const engine = newEngine();
  const queues = Array.from({ length: MOST }, (_, number) => OriginQueue.of(engine, `https://host-${number}.example/a`, POLICY, now));
  queues.forEach((queue, number) => (number === 0 ? queue.ask({ priority: "normal", longPoll: null }, () => {}) : number === 5 ? null : queue.join(resource())));
  const further = OriginQueue.of(engine, "https://further.example/a", POLICY, now);
  assert.ok(!queues.includes(further));
  assert.equal(OriginQueue.of(engine, "https://host-0.example/a", POLICY, now), queues[0]);
});

test("a Retry-After date that cannot be measured is a minute, whatever the device's clock says", async () => {
  const engine = newEngine();
  const queue = OriginQueue.of(engine, "https://dated.example/a", POLICY, now);
  const watched = resource();
  queue.join(watched);
  await request(queue, { outcome: "throttled", retryAfter: { date: Date.parse("2001-01-01") } });
  assert.equal(watched.told.notBefore, 60_000);
});

test("a Retry-After date is measured with the answer's own time", async () => {
  const engine = newEngine();
  const queue = OriginQueue.of(engine, "https://dated.example/a", POLICY, now);
  const watched = resource();
  queue.join(watched);
  const served = Date.parse("2001-01-01");
  await request(queue, { outcome: "throttled", retryAfter: { date: served + 30_000 }, metadata: { serverTime: served } });
  assert.equal(watched.told.notBefore, 30_000);
});

/** A world whose server holds long polls, and answers everything else at once. */
function holding(options) {
  const world = new World(options);
  world.held = [];
  world.answer = (request) => {
    if (request.headers.Prefer) {
      world.held.push(request);
      return { hang: true };
    }
    return request.headers["If-None-Match"] ? { status: 304, headers: { ETag: '"1"' } } : { body: { is: request.address }, headers: { ETag: '"1"' } };
  };
  return world;
}

test("the server holds half of a browser's connections at most; the rest polls, and no request waits behind them", async () => {
  const world = holding({ policy: { ...STEADY, longPoll: 25_000 } });
  const watch = (name) => {
    const resource = world.client.resource(`https://held.example/${name}`);
    resource.subscribe(() => {});
    return resource;
  };
  const resources = [1, 2, 3, 4, 5, 6].map(watch);
  await world.run(12_000);
  assert.equal(world.requests.length, 12);
  assert.equal(world.held.length, 3);
  assert.deepEqual(resources.map(({ nextRequest }) => nextRequest.cause).sort(), ["cadence", "cadence", "cadence", "outstanding", "outstanding", "outstanding"]);
  const seventh = watch(7);
  await world.settle();
  assert.equal(seventh.snapshot.value?.is, "https://held.example/7", "a first copy waits for no held request");
  const [{ address }] = world.held;
  resources.find((resource) => resource.address === address).refresh();
  await world.settle();
  assert.equal(world.requests.at(-1).address, address);
  assert.equal(world.requests.at(-1).headers.Prefer, undefined);
  assert.ok(world.held[0].signal.aborted, "the refresh takes the place of the long poll");
  await world.run(10_000);
  assert.equal(world.held.filter(({ signal }) => !signal.aborted).length, 3, "a place that is free is used again");
  world.client.close();
});

test("an origin has the ladder and the cap of the client's policy, as in Swift, whatever its resources have", async () => {
  const world = new World({ policy: { ...STEADY, ladder: [7_000], retryAfterCap: 60_000 } });
  world.answer = ({ address }) => (address.endsWith("/busy") ? { status: 429, headers: { "Retry-After": "200" } } : { body: {} });
  const [calm, busy] = ["calm", "busy"].map((name) => world.client.resource(`https://busy.example/${name}`, { policy: STEADY }));
  calm.subscribe(() => {});
  await world.settle();
  busy.subscribe(() => {});
  await world.settle();
  assert.deepEqual(calm.nextRequest, { wait: 60_000, cause: "retryAfter", rule: "R21" });
  world.answer = () => ({ status: 500 });
  const failing = [1, 2, 3].map((name) => world.client.resource(`https://failing.example/${name}`, { policy: { ...STEADY, ladder: [500], retryDelay: null, ladderJitter: "none" } }));
  for (const resource of failing) resource.subscribe(() => {});
  await world.settle();
  for (const { nextRequest } of failing) assert.deepEqual(nextRequest, { wait: 7_000, cause: "origin", rule: "R39" });
  world.client.close();
});

// MARK: Streams and clients

const STREAMED = { ...STEADY, push: { heartbeat: 15_000 } };

/** A world with five resources of one server, each with a stream. */
async function streaming(transport) {
  const world = new World();
  world.streams = [];
  world.answer = ({ address }) => {
    if (!address.endsWith("/events")) return { body: { is: address } };
    world.streams.push(eventStream());
    return world.streams.at(-1).answer;
  };
  world.resources = [1, 2, 3, 4, 5].map((name) => {
    const address = `https://streams.example/${name}`;
    const resource = world.client.resource(address, { policy: STREAMED, stream: { address: `${address}/events`, transport } });
    resource.subscribe(() => {});
    return resource;
  });
  await world.run(1_000);
  return world;
}

test("a stream that is refused with Retry-After binds every resource and every stream of the server", async () => {
  const world = new World();
  world.answer = ({ address }) => (address.endsWith("/events") ? { status: 429, headers: { "Retry-After": "100" } } : { body: {} });
  for (const name of ["a", "b"]) {
    const address = `https://streams.example/${name}`;
    world.client.resource(address, { policy: STREAMED, stream: { address: `${address}/events` } }).subscribe(() => {});
  }
  await world.run(1_000);
  const before = world.requests.length;
  await world.run(98_000);
  assert.equal(world.requests.length, before, "nothing is asked before the time");
  await world.run(60_000);
  const opened = world.requests.slice(before).filter(({ address }) => address.endsWith("/events"));
  assert.ok(opened.length > 0, "and streams are opened after it");
  world.client.close();
});

test("three event streams occupy a browser's connections at most; the other resources poll until one is free", async () => {
  const world = await streaming("events");
  const live = () => world.resources.filter(({ snapshot }) => snapshot.isStreaming).length;
  // While the first requests are out, there is no place for a third one; it is opened again a little later.
  assert.deepEqual([world.streams.length, live()], [2, 2]);
  await world.run(3_000);
  assert.deepEqual([world.streams.length, live()], [3, 3]);
  const polling = world.resources.find(({ snapshot }) => !snapshot.isStreaming);
  const polls = () => world.requests.filter(({ address }) => address === polling.address).length;
  const before = polls();
  await world.run(11_000);
  for (const stream of world.streams) stream.write(": here\n\n");
  assert.ok(polls() > before, "a resource without a stream polls");
  world.resources[0].subscribe(() => {}, { signal: AbortSignal.abort() });
  world.streams[0].end();
  await world.run(40_000);
  assert.ok(world.streams.length > 3, "a place that is free is used again");
  assert.ok(live() <= 3);
  world.client.close();
});

test("a WebSocket, and a stream of a server that shares one connection, need no place", async () => {
  const sockets = await streaming("webSocket");
  assert.equal(sockets.sockets.length, 5);
  sockets.client.close();
  const { getEntriesByType } = performance;
  performance.getEntriesByType = () => [{ name: "https://streams.example/1", nextHopProtocol: "h2" }];
  try {
    const world = await streaming("events");
    assert.equal(world.streams.length, 5);
    world.client.close();
  } finally {
    performance.getEntriesByType = getEntriesByType;
  }
});

test("however many requests of the schedule are slow, one of a person is sent at once", async () => {
  const world = new World();
  world.answer = () => ({ body: {} });
  const resources = Array.from({ length: 8 }, (_, name) => world.client.resource(`https://slow.example/${name}`));
  for (const resource of resources) resource.subscribe(() => {});
  await world.settle();
  world.answer = () => ({ hang: true });
  const before = world.requests.length;
  await world.run(10_500);
  assert.equal(world.requests.length - before, 5);
  const waiting = resources.find(({ address }) => !world.requests.slice(before).some((request) => request.address === address));
  waiting.refresh();
  await world.settle();
  assert.equal(world.requests.at(-1).address, waiting.address);
  world.client.close();
});

test("clients that are not given an engine share one, and with it the places and limits of a server", async () => {
  const [first, second] = [1, 2].map(() => new World({ engine: null }));
  assert.equal(await first.client.engine, await second.client.engine);
  first.answer = () => ({ status: 429, headers: { "Retry-After": "200" } });
  const address = "https://shared.example";
  first.client.resource(`${address}/a`).subscribe(() => {});
  await first.settle();
  const other = second.client.resource(`${address}/b`);
  other.subscribe(() => {});
  await second.settle();
  assert.deepEqual(other.nextRequest, { wait: 200_000, cause: "retryAfter", rule: "R21" });
  for (const world of [first, second]) world.client.close();
});

test("a reset in Unix time is measured from Date, and from nothing else", () => {
  const fields = (entries) => new Headers({ "x-ratelimit-remaining": "4", "x-ratelimit-reset": "1767225660", ...entries });
  assert.deepEqual(rateLimitOf(fields({ date: "Thu, 01 Jan 2026 00:00:00 GMT" })), { remaining: 4, reset: 60_000 });
  assert.equal(rateLimitOf(fields({})), null);
  assert.equal(rateLimitOf(fields({ date: "Fri, 02 Jan 2026 00:00:00 GMT" })), null, "it is over");
  assert.deepEqual(rateLimitOf(fields({ "x-ratelimit-reset": "30" })), { remaining: 4, reset: 30_000 });
});

test("hundreds that wait are held back together, and requested again", async () => {
  const world = new World();
  world.answer = () => (world.time < 1_000 ? { status: 429, headers: { "Retry-After": "30" }, after: 100 } : { body: { is: "well" }, after: 5 });
  const resources = Array.from({ length: 600 }, (_, number) => world.client.resource(`https://many.example/${number}`));
  for (const each of resources) each.subscribe(() => {});
  await world.run(29_000);
  assert.ok(world.requests.length <= 6, `${world.requests.length} requests within Retry-After`);
  await world.run(60_000);
  assert.equal(resources.filter((each) => each.snapshot.value !== null).length, 600);
  assert.ok(resources.every((each) => each.snapshot.error === null));
  world.client.close();
  assert.equal(world.timersSet, 0);
});

test("requests beyond the longest queue wait in turn, and may be hurried, withdrawn and taken back like others", async () => {
  const queue = OriginQueue.of(newEngine(), "https://full.example/a", POLICY, now);
  const [started, delayed] = [[], []];
  const numbers = Array.from({ length: 4_096 + 5 + 5 }, (_, number) =>
    queue.ask({ priority: "normal", longPoll: null }, () => started.push(number), () => delayed.push(number)));
  await settled();
  assert.deepEqual([started, delayed], [[0, 1, 2, 3, 4], []]);
  // Within the queue, and beyond it.
  queue.hurry(numbers[4_000]);
  queue.hurry(numbers[4_104]);
  queue.withdraw(numbers[4_101]);
  await settled();
  // The last place is the user's.
  assert.deepEqual(started.slice(5), [4_000]);
  for (let count = 0; count < 3; count += 1) {
    queue.withdraw(numbers[started[count]]);
    await settled();
  }
  assert.deepEqual(started.slice(5), [4_000, 4_104, 5]);
  queue.ended(numbers[3], { outcome: "throttled", retryAfter: { seconds: 60 }, metadata: {} });
  await settled();
  assert.equal(delayed.length + started.length + 1, numbers.length);
  assert.equal(new Set(delayed).size, delayed.length);
  assert.ok(delayed.includes(4_102) && delayed.includes(4_105) && !delayed.includes(4_101));
});

test("time in the queue is not a failure of the server", async () => {
  const world = new World();
  world.answer = ({ address }) => ({ body: { address }, after: 3_900 });
  const resources = Array.from({ length: 20 }, (_, number) => world.client.resource(`https://slow.example/${number}`, { policy: { ...STEADY, every: 60_000 } }));
  for (const each of resources) each.subscribe(() => {});
  const queue = OriginQueue.of(world.engine, "https://slow.example/", POLICY, now);
  await world.run(50_000);
  assert.equal(queue.isRestrained, false);
  assert.equal(resources.filter((each) => each.snapshot.value !== null).length, 20);
  world.client.close();
});

test("what waits when everything ends is not sent", async () => {
  const world = new World();
  world.answer = () => ({ hang: true });
  for (let number = 0; number < 50; number += 1) world.client.resource(`https://left.example/${number}`).subscribe(() => {});
  await world.run(100);
  const sent = world.requests.length;
  await world.says("connectivity", "offline");
  assert.equal(world.requests.length, sent);
  await world.says("connectivity", "online");
  await world.run(5_000);
  const again = world.requests.length;
  world.client.close();
  await world.settle();
  assert.equal(world.requests.length, again);
});

test("more requests than a healthy server can answer wait as long as it takes: none is cut, and all get a value", async () => {
  const world = new World({ policy: { every: 5_000, jitter: "none" } });
  let aborted = 0;
  world.answer = ({ signal }) => {
    signal.addEventListener("abort", () => (aborted += 1));
    return { body: { at: world.time }, after: 1_000 };
  };
  const resources = Array.from({ length: 200 }, (_, index) => world.client.resource(`https://busy.example/${index}`));
  for (const resource of resources) resource.subscribe(() => {});
  await world.run(300_000);
  assert.equal(aborted, 0);
  // Five places, a second each.
  assert.ok(world.requests.length >= 1_490 && world.requests.length <= 1_510, `${world.requests.length}`);
  assert.deepEqual([...new Set(resources.map(({ snapshot }) => snapshot.error))], [null]);
  assert.ok(Math.max(...resources.map(({ age }) => age)) <= 45_000);
  world.client.close();
});

test("the clock of a browser has fractions of a millisecond, those of the machine and of timers have none", async () => {
  const world = new World({ policy: { every: 5_000, jitter: "none" } });
  const { device } = world.client;
  device.now = () => world.time + 0.43;
  world.answer = () => ({ body: {}, after: 1_000 });
  const resources = Array.from({ length: 100 }, (_, index) => world.client.resource(`https://fraction.example/${index}`));
  const errors = new Set();
  for (const resource of resources) resource.subscribe(({ error }) => error && errors.add(error.kind));
  await world.run(120_000);
  assert.deepEqual([...errors], []);
  const outcomes = new Set(resources.flatMap((resource) => resource.diagnostics().ring.map(({ outcome }) => outcome)));
  assert.deepEqual([...outcomes], ["content"]);
  world.client.close();
});

test("while its origin fails, a request that waits times out, and says so", async () => {
  const world = new World({ policy: { every: 5_000, jitter: "none" } });
  world.answer = () => ({ hang: true });
  const resources = Array.from({ length: 30 }, (_, index) => world.client.resource(`https://down.example/${index}`));
  for (const resource of resources) resource.subscribe(() => {});
  await world.run(60_000);
  assert.ok(resources.slice(0, 6).every(({ snapshot }) => snapshot.state === "failing"));
  assert.ok(resources.filter(({ snapshot }) => snapshot.state === "failing").length >= 10);
  world.client.close();
});

test("a listener that asks again when it hears of the end takes no place for ever", async () => {
  const world = new World({ policy: { every: 10_000, jitter: "none" } });
  world.answer = () => ({ body: {}, after: 300 });
  const other = world.client.resource("https://one.example/other");
  other.subscribe(() => {});
  const ended = world.client.resource("https://one.example/ended");
  ended.subscribe(({ isLoading, value }) => !isLoading && value === null && ended.refresh());
  for (let turn = 0; turn < 7; turn += 1) {
    await world.run(100);
    ended.forget();
  }
  await world.run(1_000);
  const before = world.requests.length;
  await world.run(100_000);
  assert.equal(world.requests.slice(before).filter(({ address }) => address.endsWith("other")).length, 10);
  world.client.close();
  assert.deepEqual([world.engine.machines, world.timersSet], [0, 0]);
});

test("a listener that closes the client when it hears of the end leaves nothing behind", async () => {
  for (const act of ["close", "forget"]) {
    const world = new World();
    world.answer = () => ({ body: {}, after: 1_000 });
    const resources = Array.from({ length: 5 }, (_, index) => world.client.resource(`https://end.example/${index}`));
    let acts = 0;
    resources[0].subscribe(({ isLoading }) => {
      if (isLoading || acts > 3) return;
      acts += 1;
      if (act === "close") world.client.close();
      else resources[0].forget();
    });
    for (const resource of resources.slice(1)) resource.subscribe(() => {});
    await world.run(100);
    world.client.close();
    const before = world.requests.length;
    await world.run(60_000);
    assert.deepEqual([world.requests.length - before, world.engine.machines, world.timersSet], [0, 0, 0]);
  }
});

test("a listener that closes the client whatever it hears ends it once", async () => {
  const world = new World();
  world.answer = () => ({ body: {}, after: 1_000 });
  const resources = Array.from({ length: 20 }, (_, index) => world.client.resource(`https://once.example/${index}`));
  let heard = 0;
  for (const resource of resources) {
    resource.subscribe(() => {
      heard += 1;
      if (heard > 1) world.client.close();
    });
  }
  await world.run(100);
  world.client.close();
  const before = world.requests.length;
  await world.run(60_000);
  assert.deepEqual([world.requests.length - before, world.engine.machines, world.timersSet], [0, 0, 0]);
});

test("what the application could not send is not a failure of the server", async () => {
  let isThere = false;
  const world = new World({ headers: () => {
    if (!isThere) throw new TypeError("no token yet");
    return {};
  } });
  world.answer = () => ({ body: {}, after: 50 });
  const resources = Array.from({ length: 6 }, (_, index) => world.client.resource(`https://token.example/${index}`));
  for (const resource of resources) resource.subscribe(() => {});
  await world.run(1_000);
  isThere = true;
  await world.run(3_000);
  assert.deepEqual([...new Set(resources.map(({ snapshot }) => snapshot.state))], ["live"]);
  world.client.close();
});

test("a device that slept with requests out blames no server", async () => {
  const world = new World({ policy: { every: 15_000, jitter: "none" } });
  let isAsleep = false;
  world.answer = () => (isAsleep ? { hang: true } : { body: { at: world.time }, after: 100 });
  const resources = Array.from({ length: 5 }, (_, index) => world.client.resource(`https://sleep.example/${index}`));
  for (const resource of resources) resource.subscribe(() => {});
  await world.run(14_000);
  isAsleep = true;
  await world.run(1_500);
  world.time += 3_600_000;
  isAsleep = false;
  const woke = world.time;
  await world.run(3_000);
  assert.ok(resources.every(({ snapshot }) => snapshot.value.at >= woke));
  world.client.close();
});

test("the share of a limit is that of the resources that poll", async () => {
  const world = new World({ policy: { every: 1_000, jitter: "none" } });
  world.answer = () => ({ body: {}, headers: { RateLimit: '"d";r=10;t=10' }, after: 20 });
  const ends = Array.from({ length: 31 }, (_, index) => world.client.resource(`https://limit.example/gone-${index}`).subscribe(() => {}));
  await world.run(3_000);
  for (const end of ends) end();
  await world.run(60_000);
  world.client.resource("https://limit.example/watched").subscribe(() => {});
  await world.run(60_000);
  const before = world.requests.length;
  await world.run(60_000);
  assert.ok(world.requests.length - before >= 55, `${world.requests.length - before}`);
  world.client.close();
});

test("a tap during a Retry-After waits for its end, and not for the limits of the schedule", async () => {
  const world = new World();
  world.answer = (_, count) => (count === 1
    ? { status: 429, headers: { "Retry-After": "1", RateLimit: '"default";r=1;t=300' } }
    : { body: { n: 1 } });
  const resource = world.client.resource("https://a.example/1");
  resource.subscribe(() => {});
  await world.run(500);
  resource.refresh();
  await world.run(400);
  assert.equal(world.requests.length, 1);
  await world.run(200);
  assert.equal(world.requests.length, 2);
  world.client.close();
});

test("resources that share a long limit hear of the next one soon after it resets", async () => {
  const world = new World();
  world.answer = () => {
    const isFirst = world.time < 30_000;
    return { body: { n: 1 }, headers: { RateLimit: isFirst ? '"default";r=2;t=30' : '"default";r=600;t=60' } };
  };
  const resources = Array.from({ length: 30 }, (_, number) => world.client.resource(`https://a.example/${number}`));
  for (const resource of resources) resource.subscribe(() => {});
  await world.run(30_000);
  assert.equal(world.requests.length, 30);
  await world.run(90_000);
  // The first of thirty, within ten seconds on average, ends the wait of all.
  assert.ok(world.requests.length >= 150, `${world.requests.length}`);
  world.client.close();
});

test("requests that the queue has no room for are sent when it has, those of the user first", async () => {
  const world = new World({ policy: { ...STEADY, every: 60_000 } });
  world.answer = () => ({ body: { n: 1 }, after: 1 });
  const resources = Array.from({ length: 4_200 }, (_, number) => world.client.resource(`https://a.example/${number}`));
  for (const resource of resources) resource.subscribe(() => {});
  await world.run(5_000);
  assert.equal(new Set(world.requests.map(({ address }) => address)).size, 4_200);
  // The server hangs: no tap is lost, and none moves in a circle.
  world.answer = () => ({ hang: true });
  for (const resource of resources) resource.refresh();
  await world.run(100);
  assert.ok(resources.every(({ nextRequest }) => nextRequest.cause === "outstanding"));
  world.client.close();
});

test("a resource that is forgotten in its last second has no observer afterwards", async () => {
  const world = new World();
  const resources = Array.from({ length: 60 }, (_, number) => world.client.resource(`https://a.example/${number}`));
  const ends = resources.map((resource) => resource.subscribe(() => {}));
  await world.run(3_000);
  for (const end of ends) end();
  world.client.forget();
  await world.run(10_000);
  assert.ok(world.client.resources.length <= 32, `${world.client.resources.length}`);
  assert.equal(world.timersSet, 0);
  world.client.close();
});

test("a request that is hurried again right after it was admitted is sent once, and blocks nothing", async () => {
  const queue = OriginQueue.of(newEngine(), "https://full.example/a", POLICY, now);
  const started = [];
  const ask = (number) => queue.ask({ priority: "normal", longPoll: null }, () => started.push(number));
  const numbers = Array.from({ length: 4_096 + 5 }, (_, number) => ask(number));
  await settled();
  // Another one takes its room in the queue before it starts.
  ask("another");
  queueMicrotask(() => queue.hurry(numbers[10]));
  queue.hurry(numbers[10]);
  await settled();
  queue.withdraw(numbers[0]);
  queue.withdraw(numbers[1]);
  await settled();
  assert.deepEqual(started, [0, 1, 2, 3, 4, 10, 5]);
});

test("a window of requests is not spent twice, whatever order its responses arrive in", async () => {
  const world = new World();
  const used = new Map();
  let refused = 0;
  let chance = 7;
  world.answer = () => {
    chance = (chance * 16_807) % 2_147_483_647;
    const index = Math.floor(world.time / 60_000);
    const count = (used.get(index) ?? 0) + 1;
    used.set(index, count);
    // The seconds are cut.
    const headers = { RateLimit: `"default";r=${Math.max(10 - count, 0)};t=${Math.floor(60 - (world.time % 60_000) / 1_000)}` };
    if (count > 10) refused += 1;
    return count > 10 ? { status: 429, headers: { ...headers, "Retry-After": "5" } } : { body: { n: 1 }, headers, after: 20 + (chance % 40) };
  };
  for (let number = 0; number < 6; number += 1) {
    world.client.resource(`https://a.example/${number}`).subscribe(() => {});
    await world.run(1_234);
  }
  await world.run(3_600_000);
  assert.ok(refused <= 12, `${refused} refused`);
  assert.ok([...used.values()].slice(1, -1).every((count) => count >= 3), "no window is left unused");
  world.client.close();
});
