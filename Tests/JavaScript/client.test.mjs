// The driver of the package under node, with a network and a clock that are written down.

import assert from "node:assert/strict";
import { test } from "node:test";
import { ageInWords, FreshnessClient, FreshnessError } from "../../JavaScript/freshness/index.js";
import { throughCaches } from "../../JavaScript/freshness/metadata.js";
import { eventStream, newEngine, STEADY, World } from "./world.mjs";

const A = "http://server.test/a";

test("two watchers of one address poll once, and see one snapshot", async () => {
  const world = new World();
  world.answer = (_, count) => ({ body: { count } });
  const seen = [[], []];
  seen.forEach((list) => world.client.resource(A).subscribe((snapshot) => list.push(snapshot)));
  await world.run(25_000);
  assert.deepEqual(world.requests.map(({ at }) => at), [0, 10_000, 20_000]);
  assert.deepEqual(seen[0].map(({ value }) => value?.count), seen[1].map(({ value }) => value?.count));
  assert.equal(seen[0].at(-1), seen[1].at(-1));
  assert.equal(world.client.resource(A).snapshot.value.count, 3);
  world.client.close();
});

test("numbers beyond all time and size are ages and waits like others, and stop nothing", async () => {
  const far = ["9007199254740993", "99999999999999999999", "1e400", "-9e15", "9e15"];
  for (const number of far) {
    for (const said of [
      { fields: { Age: number } }, { fields: { "X-MD-RT-Age-Ms": number } }, { fields: { "Content-Length": number } },
      { fields: { "Cache-Control": `max-age=${number}` } }, { fields: { "Retry-After": number }, status: 503 },
      { about: true }, { meta: `{"rtCacheAgeMs":${number}}` }, { meta: `{"nextExpectedSpreadMs":${number}}` },
      { meta: `{"rtFetchedAt":"-271821-04-20T00:00:00Z","rtCacheAgeMs":${number}}` },
      { meta: `{"serverTime":"-271821-04-20T00:00:00Z","rtFetchedAt":"+275760-09-13T00:00:00Z"}` },
    ]) {
      const world = new World();
      world.answer = () => ({ status: said.status, headers: said.fields, body: `{"meta":${said.meta ?? "{}"}}` });
      const about = () => ({ madeAt: Number(number), serverTime: -Number(number), spread: number });
      const resource = world.client.resource(A, said.about ? { about } : {});
      resource.subscribe(() => {});
      await world.run(100);
      const what = JSON.stringify({ ...said, number });
      assert.equal(resource.snapshot.isLoading, false, what);
      if (said.status !== 503) assert.notEqual(resource.snapshot.value, null, what);
      await world.run(60_000);
      assert.ok(world.requests.length > 1 || said.status === 503, what);
      world.client.close();
    }
  }
});

test("unexpected words, shapes and functions stop nothing", async () => {
  const nested = `${"[".repeat(5_000)}${"]".repeat(5_000)}`;
  for (const [said, options] of [
    [{ body: { meta: { rtStatus: "constructor" } } }], [{ body: { meta: { responseMode: "toString" } } }],
    [{ body: '{"meta":{"rtStatus":"__proto__"}}' }], [{ headers: { "x-md-rt-status": "valueOf" }, body: {} }], [{ body: nested }],
    [{ body: {} }, { about: () => ({ hasRealtime: 1 }) }], [{ body: {} }, { contentOf: () => { throw new Error("no content"); } }],
  ]) {
    const world = new World();
    const what = JSON.stringify(said).slice(0, 80);
    world.answer = () => said;
    const resource = world.client.resource(A, options);
    resource.subscribe(() => {});
    await world.run(60_000);
    assert.ok(world.requests.length >= 4, `${what}: ${world.requests.length}`);
    assert.equal(resource.snapshot.isLoading, false, what);
    // It is well again with the next answer.
    world.answer = () => ({ body: { fine: true } });
    await world.run(60_000);
    if (!options?.contentOf) assert.equal(resource.snapshot.value.fine, true, what);
    world.client.close();
  }
});

test("the status in the fields of a response counts, unless its body has one", async () => {
  for (const [body, badge] of [[{}, "unavailable"], [{ meta: { rtStatus: "applied" } }, "live"]]) {
    const world = new World();
    world.answer = () => ({ body, headers: { "X-MD-RT-Status": "missing_cache" } });
    const resource = world.client.resource(A);
    resource.subscribe(() => {});
    await world.run(1_000);
    assert.equal(resource.snapshot.badge, badge);
    world.client.close();
  }
});

test("a time without an offset is UTC, wherever the device is", async () => {
  const zone = process.env.TZ;
  try {
    for (const [name, between] of [["America/New_York", "T"], ["Europe/Zurich", " "], ["America/New_York", "t"], ["UTC", "T"]]) {
      process.env.TZ = name;
      const world = new World();
      const made = new Date(1.7e12 - 600_000).toISOString().replace("Z", "").replace("T", between);
      world.answer = () => ({ body: { made } });
      const resource = world.client.resource(A, { about: (value) => ({ madeAt: value.made }) });
      resource.subscribe(() => {});
      await world.run(500);
      assert.ok(Math.abs(resource.age - 600_500) <= 1_500, `${name}: ${resource.age}`);
      world.client.close();
    }
  } finally {
    if (zone === undefined) delete process.env.TZ;
    else process.env.TZ = zone;
  }
});

test("a module that could not be loaded is loaded again, by itself and when the user asks", async () => {
  for (const asks of [false, true]) {
    let loads = 0;
    const world = new World({ engine: async () => {
      loads += 1;
      if (loads < 2) throw new TypeError("no network");
      return newEngine();
    } });
    const resource = world.client.resource(A);
    resource.subscribe(() => {});
    await world.run(500);
    assert.deepEqual([loads, resource.snapshot.state], [1, "failing"]);
    if (asks) resource.refresh();
    await world.run(asks ? 100 : 2_000);
    assert.deepEqual([loads, resource.snapshot.state], [2, "live"]);
    world.client.close();
    await world.run(60_000);
    assert.equal(loads, 2);
  }
});

test("resources share one module, and leave nothing behind", async () => {
  const world = new World();
  for (let index = 0; index < 60; index += 1) world.client.resource(`${A}/${index}`).subscribe(() => {});
  await world.run(5_000);
  assert.equal(world.engine.machines, 60);
  world.client.close();
  assert.equal(world.engine.machines, 0);
  assert.equal(world.timersSet, 0);
  assert.throws(() => world.client.resource(A), TypeError);
});

test("copies without observers are kept, but not too many", async () => {
  const world = new World();
  for (let index = 0; index < 60; index += 1) {
    const end = world.client.resource(`${A}/${index}`).subscribe(() => {});
    await world.run(100);
    end();
  }
  await world.run(5_000);
  assert.equal(world.engine.machines, 32);
  assert.equal(world.client.resources.length, 32);
  assert.equal(world.requests.length, 60);
  world.client.close();
});

test("a resource that was let go is found again once it is watched again", async () => {
  const world = new World();
  const first = world.client.resource(A);
  for (let index = 0; index < 40; index += 1) world.client.resource(`${A}/${index}`);
  assert.equal(world.client.resources.includes(first), false);
  first.subscribe(() => {});
  await world.run(1_000);
  assert.equal(world.client.resource(A), first);
  assert.equal(first.snapshot.state, "live");
  world.client.close();
});

test("a watcher whose signal has come does not begin", async () => {
  const world = new World();
  world.client.resource(A).subscribe(() => assert.fail("told"), { signal: AbortSignal.abort() });
  await world.run(20_000);
  assert.equal(world.requests.length, 0);
  world.client.close();
});

test("a better value is kept over a lesser one, for a person who does not force it", async () => {
  const world = new World();
  world.answer = (_, count) => ({ body: { count, isFull: count !== 2 } });
  const policy = { ...STEADY, downgradeProtection: 300_000 };
  const resource = world.client.resource(A, { policy, about: ({ isFull }) => ({ hasRealtime: isFull }) });
  resource.subscribe(() => {});
  await world.run(11_000);
  assert.deepEqual([world.requests.length, resource.snapshot.value.count], [2, 1]);
  assert.deepEqual([resource.snapshot.isKept, resource.snapshot.state], [true, "kept"]);
  await world.run(10_000);
  assert.deepEqual([resource.snapshot.value.count, resource.snapshot.state], [3, "live"]);
  world.client.close();
});

test("304 leaves the snapshot the same object, and its age grows with the clock", async () => {
  const world = new World();
  world.answer = ({ headers }) => (headers["If-None-Match"] === '"1"' ? { status: 304, headers: { ETag: '"1"' } }
    : { body: { n: 1, meta: { serverTime: "2026-01-01T00:00:10.000Z", rtFetchedAt: "2026-01-01T00:00:03Z" } }, headers: { ETag: '"1"' } });
  const resource = world.client.resource(A);
  const changes = [];
  resource.subscribe((snapshot) => changes.push(snapshot));
  await world.run(4_000);
  const first = resource.snapshot;
  assert.equal(first.age, 11_000);
  assert.deepEqual([first.state, first.badge, first.error], ["live", "live", null]);
  await world.run(5_000);
  assert.equal(first.age, 16_000);
  assert.equal(resource.ageInSeconds, 16);
  await world.run(10_000);
  assert.equal(world.requests.length, 2);
  assert.equal(resource.snapshot.value, first.value);
  assert.ok(resource.age >= 26_000, "a 304 with no later source time makes nothing younger");
  world.client.close();
});

test("what was shown keeps its own age when another value has taken its place", async () => {
  const world = new World();
  world.answer = (_, count) => ({ body: { count } });
  const resource = world.client.resource(A);
  resource.subscribe(() => {});
  await world.run(2_000);
  const old = resource.snapshot;
  await world.run(10_000);
  assert.deepEqual([old.value.count, resource.snapshot.value.count], [1, 2]);
  assert.equal(old.age, 12_000);
  assert.equal(resource.snapshot.age, 2_000);
  world.client.close();
});

test("equal content stays the same object, whatever the answer says about itself", async () => {
  const world = new World();
  world.answer = (_, count) => ({ body: { list: [1, 2], meta: { serverTime: new Date(count * 1000).toISOString() } } });
  const resource = world.client.resource(A);
  const values = new Set();
  resource.subscribe(({ value }) => value && values.add(value));
  await world.run(65_000);
  assert.equal(world.requests.length, 7);
  assert.equal(values.size, 1);
  world.client.close();
});

test("a value says when it was made, and what activity it shows", async () => {
  const world = new World();
  world.answer = () => ({ body: { made: 1.7e12 - 30_000, busy: true }, headers: { Date: new Date(1.7e12).toUTCString() } });
  const policy = { ...STEADY, every: undefined, preset: "workspaces", jitter: "none" };
  const resource = world.client.resource(A, { policy, about: ({ made, busy }) => ({ madeAt: new Date(made), isActive: busy }) });
  resource.subscribe(() => {});
  await world.run(100);
  // R37: a Date covers a whole second.
  assert.equal(resource.age, 30_100 + 999);
  assert.equal(resource.snapshot.state, "ageing");
  await world.run(1_500);
  assert.equal(world.requests.length, 2, "active: 1.5 s");
  world.client.close();
});

test("a time in whole seconds counts as the end of its second, one in milliseconds as itself", async () => {
  const world = new World();
  const made = "2026-01-01T00:00:00.900Z";
  const ageWith = async (serverTime, second = 5) => {
    world.answer = () => ({ body: { is: 1 }, headers: { Date: `Thu, 01 Jan 2026 00:00:0${second} GMT` } });
    const resource = world.client.resource(A, { key: String(serverTime), about: () => ({ madeAt: made, serverTime }) });
    resource.subscribe(() => {});
    await world.settle();
    return resource.age;
  };
  assert.equal(await ageWith(undefined), 5_099);
  assert.equal(await ageWith("2026-01-01T00:00:05Z"), 5_099);
  assert.equal(await ageWith("2026-01-01T00:00:05.000Z"), 4_100);
  // A number may have been cut too.
  assert.equal(await ageWith(Date.parse("2026-01-01T00:00:05Z")), 5_099);
  assert.equal(await ageWith(Date.parse("2026-01-01T00:00:05.100Z")), 4_200);
  // What cannot be read says nothing.
  assert.equal(await ageWith("five past"), 5_099);
  // Made in the second of the Date: a tenth of a second old at most.
  assert.equal(await ageWith("2026-01-01T00:00:00Z", 0), 99);
  world.client.close();
});

test("what a cache hides is told by the server's fields and the Date of the cache", async () => {
  const world = new World();
  const served = 1.7e12;
  const at = (time) => new Date(time).toUTCString();
  const fields = { "X-MD-RT-Status": "applied", "X-MD-RT-Fetched-At": new Date(served - 200).toISOString(), "X-MD-RT-Age-Ms": "200" };
  world.answer = (_, count) => (count === 1
    ? { body: { is: 1 }, headers: { ...fields, ETag: '"1"', Date: at(served + 30_000) } }
    : { status: 304, headers: { ...fields, ETag: '"1"', Date: at(served + 40_000) } });
  const resource = world.client.resource(A, { policy: STEADY });
  resource.subscribe(() => {});
  await world.settle();
  assert.equal(resource.age, 200 + 30_000 + 999);
  await world.run(10_000);
  assert.equal(world.requests.length, 2);
  assert.ok(resource.age >= 40_200 && resource.age <= 40_200 + 999, `${resource.age}`);
  world.client.close();
});

test("the time of the value itself counts, and not the server's figure beside it", async () => {
  const world = new World();
  const now = 1.7e12;
  const fields = (age) => ({
    "X-MD-RT-Status": "applied", "X-MD-RT-Fetched-At": new Date(now + age - 200).toISOString(), "X-MD-RT-Age-Ms": "200", ETag: '"1"',
    Date: new Date(now + age).toUTCString(),
  });
  world.answer = (_, count) => (count === 1 ? { body: { is: 1 }, headers: fields(0) } : { status: 304, headers: fields(10_000) });
  const resource = world.client.resource(A, { policy: STEADY, about: () => ({ madeAt: now - 40_000 }) });
  resource.subscribe(() => {});
  await world.settle();
  assert.equal(resource.age, 40_999);
  await world.run(10_000);
  assert.equal(world.requests.length, 2);
  assert.equal(resource.age, 50_999);
  world.client.close();
});

test("clients spread over the time that about, or the server's fields, give after the next change", async () => {
  const world = new World({ policy: "departuresWeb" });
  const wait = async (name, spread, headers = {}) => {
    world.answer = () => ({ body: { name }, headers: { Date: new Date(1.7e12).toUTCString(), ...headers } });
    const about = () => ({ madeAt: 1.7e12 - 5_000, serverTime: 1.7e12, nextExpectedAt: 1.7e12 + 13_000, ...(spread === undefined ? {} : { spread }) });
    // Each resource draws its own place in the window.
    const waits = [];
    for (let number = 0; number < 40; number += 1) {
      const resource = world.client.resource(`${A}/${name}/${number}`, { about });
      resource.subscribe(() => {});
      await world.settle();
      assert.equal(resource.nextRequest.cause, "stated", `${name}: ${resource.nextRequest.wait}`);
      waits.push(resource.nextRequest.wait);
    }
    return Math.max(...waits) - Math.min(...waits);
  };
  const exact = await wait("exact");
  for (const [name, spread, headers] of [["about", 1_200], ["fields", undefined, { "X-MD-RT-Spread-Ms": "1200" }]]) {
    const spreadOver = await wait(name, spread, headers);
    assert.ok(spreadOver > exact + 200 && spreadOver <= exact + 1_300, `${name}: ${spreadOver}, ${exact} without`);
  }
  world.client.close();
});

test("a watcher that leaves cancels the request, and one that returns in time sends no new request", async () => {
  const world = new World();
  world.answer = (_, count) => (count === 2 ? { hang: true } : { body: { count } });
  const resource = world.client.resource(A);
  let end = resource.subscribe(() => {});
  await world.run(10_100);
  end();
  await world.run(500);
  assert.equal(world.requests[1].signal.aborted, false);
  end = resource.subscribe(() => {});
  await world.run(500);
  assert.equal(world.requests.length, 2, "drawn again within a second");
  await world.run(5_000);
  assert.equal(world.requests[1].signal.aborted, false, "the watcher that left before ends nothing later");
  end();
  await world.run(1_500);
  assert.equal(world.requests[1].signal.aborted, true);
  assert.equal(world.timersSet, 0, "nothing runs without observers");
  assert.equal(resource.snapshot.value.count, 1, "the copy stays");
  resource.subscribe(() => {});
  await world.settle();
  assert.equal(world.requests.length, 3, "R5: asks at once");
  world.client.close();
});

test("errors are typed, say what the server said, and take no value away", async () => {
  const cases = [
    [{ status: 404, body: { detail: "no such stop" } }, { kind: "refused", status: 404 }, /a: the server refused the request \(404\): no such stop/],
    [{ status: 401, body: "" }, { kind: "unauthorised", status: 401 }, /denied access/],
    [{ status: 410, body: "" }, { kind: "gone", status: 410 }, /gone/],
    [{ status: 429, body: "", headers: { "Retry-After": "60" } }, { kind: "throttled", status: 429 }, /limits requests/],
    [{ status: 503, body: "" }, { kind: "serverError", status: 503 }, /failed \(503\)/],
    [{ fail: "connection refused" }, { kind: "unreachable", status: 0 }, /connection refused/],
    [{ hang: true }, { kind: "timedOut", status: 0 }, /no answer in time/],
    [{ body: "<html>" }, { kind: "undecodable", status: 200 }, /no JSON/],
    [{ body: { wrong: true } }, { kind: "undecodable", status: 200 }, /"list" is missing/],
  ];
  for (const [answer, wanted, message] of cases) {
    const world = new World();
    world.answer = (_, count) => (count === 1 ? { body: { list: [] } } : answer);
    const read = (document) => {
      if (!document.list) throw new TypeError('"list" is missing');
      return document.list;
    };
    const resource = world.client.resource(A, { read });
    resource.subscribe(() => {});
    await world.run(60_000);
    const { value, error, state } = resource.snapshot;
    assert.deepEqual([value, state], [[], "failing"]);
    assert.ok(error instanceof FreshnessError);
    assert.deepEqual({ kind: error.kind, status: error.status }, wanted);
    assert.match(error.message, message);
    world.client.close();
  }
});

test("a failure that lasts is one error, not one for each request", async () => {
  const world = new World();
  world.answer = () => ({ status: 500, body: "" });
  const errors = new Set();
  world.client.resource(A).subscribe(({ error }) => error && errors.add(error));
  await world.run(120_000);
  assert.ok(world.requests.length > 4);
  assert.equal(errors.size, 1);
  world.client.close();
});

test("the first value comes, or the error that came instead, or the end that the caller asked for", async () => {
  const world = new World();
  world.answer = () => ({ body: { n: 7 }, after: 300 });
  const wanted = world.client.resource(A).first();
  await world.run(400);
  assert.deepEqual(await wanted, { n: 7 });
  world.answer = () => ({ status: 404, body: "" });
  const failing = assert.rejects(world.client.resource(`${A}/other`).first(), { name: "FreshnessError", kind: "refused" });
  await world.run(400);
  await failing;
  const abort = new AbortController();
  world.answer = () => ({ hang: true });
  const ended = assert.rejects(world.client.resource(`${A}/third`).first({ signal: abort.signal }), { name: "AbortError" });
  await world.run(400);
  abort.abort();
  await ended;
  await world.run(2_000);
  assert.equal(world.requests.at(-1).signal.aborted, true);
  world.client.close();
});

test("an error of before is not the answer to a new question", async () => {
  const world = new World();
  world.answer = () => ({ status: 404, body: "" });
  const failing = assert.rejects(world.client.resource(A).first(), { kind: "refused" });
  await world.run(5_000);
  await failing;
  world.answer = () => ({ body: { n: 1 }, after: 300 });
  const again = world.client.resource(A).first();
  await world.run(1_000);
  assert.deepEqual(await again, { n: 1 });
  // And if it fails in the same way again, that is the answer.
  world.answer = () => ({ status: 404, body: "" });
  const other = world.client.resource(`${A}/b`);
  for (let turn = 0; turn < 2; turn += 1) {
    const rejected = assert.rejects(other.first(), { kind: "refused" });
    await world.run(5_000);
    await rejected;
  }
  world.client.close();
});

test("a loop over values gets the newest, ticks if it wants, and ends with its signal", async () => {
  const world = new World();
  world.answer = (_, count) => ({ body: { count } });
  const abort = new AbortController();
  const [slow, ages] = [[], []];
  const slowly = (async () => {
    for await (const { value } of world.client.values(A, { signal: abort.signal })) {
      slow.push(value.count);
      await new Promise((resolve) => world.timers.setTimeout(resolve, 24_000));
    }
  })();
  const ticking = (async () => {
    for await (const { age } of world.client.values(A, { ticking: true, signal: abort.signal })) ages.push(Math.floor(age / 1000));
  })();
  await world.run(52_000);
  assert.deepEqual(slow, [1, 3, 5]);
  assert.deepEqual(ages.slice(0, 10), [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  abort.abort();
  await world.run(30_000);
  await Promise.all([slowly, ticking]);
  assert.equal(world.timersSet, 0);
  // Breaking out ends the watching too.
  world.answer = () => ({ body: {} });
  const watched = (async () => {
    for await (const _ of world.client.values(`${A}/b`)) break;
  })();
  await world.run(2_000);
  await watched;
  const count = world.requests.length;
  await world.run(60_000);
  assert.equal(world.requests.length, count);
  // Closing the client ends every loop.
  const closed = (async () => {
    for await (const _ of world.client.values(`${A}/c`)) { /* goes on */ }
  })();
  await world.run(100);
  world.client.close();
  await closed;
});

test("an iteration that waits can be ended, and so can several at once", async () => {
  const world = new World();
  world.answer = () => ({ body: { n: 1 } });
  const resource = world.client.resource(A);
  const iterator = resource.values();
  await world.run(100);
  assert.equal(world.requests.length, 0, "nothing begins before the first value is wanted");
  const first = iterator.next();
  await world.run(1_000);
  assert.equal((await first).value.value.n, 1);
  const waiting = [iterator.next(), iterator.next()];
  await world.run(1_000);
  assert.deepEqual(await iterator.return(), { done: true, value: undefined });
  assert.deepEqual((await Promise.all(waiting)).map(({ done }) => done), [true, true]);
  assert.equal((await iterator.next()).done, true);
  await world.run(30_000);
  assert.equal(world.requests.length, 1, "no observer");
  world.client.close();
});

test("an address may be relative to what only the application's fetch knows", async () => {
  const world = new World();
  const resource = world.client.resource("/api/value");
  const first = resource.first();
  await world.run(1_000);
  assert.deepEqual(await first, {});
  assert.equal(resource.diagnostics().ring[0].resource, "GET /api/value");
  world.client.close();
});

test("out of sight it pauses, back in sight it asks at once; offline it says so and waits", async () => {
  const world = new World();
  const resource = world.client.resource(A, { policy: { ...STEADY, background: null } });
  resource.subscribe(() => {});
  await world.run(1_000);
  await world.says("lifecycle", "background");
  await world.run(100_000);
  assert.equal(world.requests.length, 1);
  assert.equal(resource.nextRequest.cause, "paused");
  await world.says("lifecycle", "foreground");
  assert.equal(world.requests.length, 2);
  await world.says("connectivity", "offline");
  await world.run(100_000);
  assert.equal(world.requests.length, 2);
  assert.deepEqual([resource.snapshot.state, resource.snapshot.isOffline, resource.snapshot.error], ["offline", true, null]);
  assert.deepEqual(resource.nextRequest, { wait: null, cause: "offline", rule: "R24" });
  await world.says("connectivity", "online");
  await world.run(2_000);
  assert.equal(world.requests.length, 3);
  await world.run(5_000);
  await world.says("focused");
  assert.equal(world.requests.length, 4);
  world.client.close();
});

test("a resource keeps the last samples only", async () => {
  const world = new World();
  const resource = world.client.resource(A, { policy: { ...STEADY, every: 1_000 } });
  resource.subscribe(() => {});
  await world.run(300_000);
  const { records, ring, counters } = resource.diagnostics();
  assert.ok(counters.requests > 290, `${counters.requests}`);
  assert.deepEqual([records.length, ring.length, records.at(-1)], [200, 50, ring.at(-1)]);
  world.client.close();
});

test("a person's refresh asks now, and a forced one takes what comes", async () => {
  const world = new World();
  const resource = world.client.resource(A);
  resource.subscribe(() => {});
  await world.run(3_000);
  resource.snapshot.refresh();
  await world.run(10);
  assert.equal(world.requests.length, 2);
  resource.refresh({ isForced: true });
  await world.run(10);
  assert.equal(world.requests.length, 3);
  assert.equal(resource.diagnostics().ring.at(-1).origin, "person");
  world.client.close();
});

test("a clock that runs backwards stands still for the driver, and breaks nothing", async () => {
  const world = new World();
  const resource = world.client.resource(A);
  resource.subscribe(() => {});
  await world.run(5_000);
  world.time -= 3_000;
  assert.equal(resource.age, 5_000);
  resource.refresh();
  await world.settle();
  assert.equal(world.requests.length, 2);
  world.client.close();
});

test("headers come from the client and the resource, and another person gets another copy", async () => {
  let token = "one";
  const world = new World({ headers: () => ({ Authorization: `Bearer ${token}` }) });
  world.answer = ({ headers }) => ({ body: { of: headers.Authorization }, headers: { ETag: '"x"' } });
  const resource = world.client.resource(A, { headers: { "X-Mine": "1" } });
  resource.subscribe(() => {});
  await world.run(1_000);
  assert.equal(world.requests[0].headers["X-Mine"], "1");
  const shown = [];
  resource.subscribe(({ value }) => shown.push(value?.of ?? null));
  token = "two";
  world.client.forget();
  await world.run(1_000);
  assert.equal(world.requests[1].headers["If-None-Match"], undefined, "R19: no validator of the other person");
  assert.deepEqual([shown[0], shown.at(-1)], [null, "Bearer two"]);
  world.client.close();
});

test("an engine that does not load is an error that the next watcher gets over", async () => {
  let isBroken = true;
  const world = new World({
    engine: { then: (resolve, reject) => (isBroken ? reject(new TypeError("no module")) : resolve(new Response(null, { status: 404 }))) },
  });
  const { client } = world;
  const resource = client.resource(A);
  const end = resource.subscribe(() => {});
  await world.settle();
  assert.deepEqual([resource.snapshot.error.kind, resource.snapshot.state, resource.snapshot.isLoading], ["engine", "failing", false]);
  assert.match(resource.snapshot.error.message, /did not start: no module/);
  await assert.rejects(client.resource(`${A}/2`).first(), { kind: "engine" });
  end();
  isBroken = false;
  resource.forget();
  resource.subscribe(() => {});
  await world.settle();
  assert.match(resource.snapshot.error.message, /the module answered 404/);
  client.close();
  // A policy that is not one is said where it is seen.
  const other = new World();
  const wrong = other.client.resource(A, { policy: "fast" });
  wrong.subscribe(() => {});
  await other.run(100);
  assert.match(wrong.snapshot.error.message, /policy.preset: "fast" is not one of/);
  other.client.close();
});

test("one address with two policies is a mistake, and a key of its own mends it", () => {
  const { client } = new World();
  client.resource(A, { policy: 5_000 });
  client.resource(A);
  client.resource(new URL(A), { policy: 5_000 });
  assert.throws(() => client.resource(A, { policy: "jobs" }), /a is kept fresh with the policy 5000/);
  client.resource(A, { policy: "jobs", key: "slow" });
  client.close();
});

test("a listener that throws does not keep the others from hearing", async () => {
  const world = new World();
  const thrown = [];
  globalThis.reportError = (failure) => thrown.push(failure.message);
  const heard = [];
  world.client.resource(A).subscribe(({ value }) => {
    if (value) throw new Error("a view broke");
  });
  world.client.resource(A).subscribe(({ value }) => value && heard.push(value));
  await world.run(100);
  assert.deepEqual([heard.length, thrown], [1, ["a view broke"]]);
  world.client.close();
});

// MARK: Ages (R37)

const STREAMED = { ...STEADY, push: { heartbeat: 15_000, safetyPoll: 60_000 } };

test("the time in which an answer or an event is read is part of the age", async () => {
  const world = new World();
  const stream = eventStream();
  world.answer = ({ address }, count) => (address.endsWith("/events") ? stream.answer : { body: { count }, after: 200 });
  const resource = world.client.resource(A, {
    policy: STREAMED,
    stream: { address: `${A}/events`, reduce: ({ data }) => { world.time += 400; return { value: JSON.parse(data) }; } },
    read: (document) => { world.time += 500; return document; },
    // Compared with the copy before.
    contentOf: (value) => { world.time += 150; return JSON.stringify(value); },
  });
  resource.subscribe(() => {});
  await world.run(200);
  assert.equal(resource.age, 200 + 500);
  resource.refresh();
  await world.run(200);
  // Two values are compared: the copy and what came.
  assert.equal(resource.age, 200 + 500 + 300);
  await world.run(2_000);
  assert.equal(resource.snapshot.isStreaming, true);
  stream.write('data: {"count": 9}\n\n');
  await world.settle();
  assert.equal(resource.snapshot.value.count, 9);
  assert.equal(resource.age, 200 + 400 + 300, "the way of an event is that of the last answer, without its decoding");
  world.client.close();
});

test("a cache with a Date of its own adds the end of one second, not of two, and shows under a second as well", async () => {
  const world = new World();
  const served = Date.parse("2026-01-01T00:00:01Z");
  const age = async (name, { meta, hidden, after = 50 }) => {
    world.answer = () => ({ body: { meta }, after, headers: { Date: new Date(served + hidden).toUTCString() } });
    const resource = world.client.resource(`${A}/${name}`, { policy: STEADY });
    resource.subscribe(() => {});
    await world.run(after);
    return resource.age;
  };
  const [whole, exact] = ["2026-01-01T00:00:01Z", "2026-01-01T00:00:01.100Z"];
  const made = { rtFetchedAt: "2026-01-01T00:00:00.500Z" };
  assert.equal(await age("both cut", { meta: { ...made, serverTime: whole }, hidden: 20_000 }), 20_500 + 999 + 50);
  assert.equal(await age("exact", { meta: { ...made, serverTime: exact }, hidden: 20_000 }), 20_500 + 999 + 50);
  assert.equal(await age("own age", { meta: { ...made, serverTime: exact, rtCacheAgeMs: 600 }, hidden: 20_000 }), 20_500 + 999 + 50);
  // 0.9 s between the two, in an exchange of 50 ms.
  assert.equal(await age("under a second", { meta: { ...made, serverTime: exact }, hidden: 1_000 }), 1_500 + 999 + 50);
  // The same in an exchange of a second: the server took its time.
  assert.equal(await age("slow", { meta: { ...made, serverTime: exact }, hidden: 1_000, after: 1_000 }), 600 + 1_000);
  // Cut, it may be the same second.
  assert.equal(await age("no cache", { meta: { ...made, serverTime: whole }, hidden: 0 }), 500 + 999 + 50);
  world.client.close();
});

test("an Age of 0 stands for any time within its second", async () => {
  const world = new World();
  for (const [field, expected] of [["x", 0], ["1", 1_999], ["0", 1_000]]) {
    world.answer = () => ({ body: {}, headers: { Age: field } });
    const resource = world.client.resource(`${A}/${field}`, { policy: STEADY });
    resource.subscribe(() => {});
    await world.settle();
    assert.equal(resource.age, expected, field);
  }
  world.client.close();
});

test("what a stream delivers with nothing but its own time counts to the server's clock", async () => {
  const world = new World();
  const stream = eventStream();
  const now = 1.7e12;
  world.answer = ({ address }) => (address.endsWith("/events") ? stream.answer : { body: { n: 0, meta: { serverTime: new Date(now + world.time).toISOString() } }, headers: { Date: new Date(now + world.time).toUTCString() } });
  const reduce = ({ data }) => ({ value: { n: 1 }, madeAt: Number(data) });
  const resource = world.client.resource(A, { policy: STREAMED, stream: { address: `${A}/events`, reduce } });
  resource.subscribe(() => {});
  await world.run(2_000);
  stream.write(`data: ${now - 38_000}\n\n`);
  await world.settle();
  assert.equal(resource.snapshot.value.n, 1);
  // A server time in a whole second may be of its end.
  assert.ok(resource.age >= 40_000 && resource.age <= 40_999, `${resource.age}`);
  world.client.close();
});

test("a spread is a number of milliseconds, also as a text", async () => {
  const world = new World({ policy: "departuresWeb" });
  world.answer = () => ({ body: {}, headers: { Date: new Date(1.7e12).toUTCString() } });
  const about = () => ({ madeAt: 1.7e12, serverTime: 1.7e12, nextExpectedAt: 1.7e12 + 14_000, spread: "2000" });
  const waits = [];
  for (let number = 0; number < 30; number += 1) {
    const resource = world.client.resource(`${A}/${number}`, { about });
    resource.subscribe(() => {});
    await world.settle();
    waits.push(resource.nextRequest.wait);
  }
  assert.ok(Math.max(...waits) - Math.min(...waits) < 2_500, `${Math.min(...waits)} to ${Math.max(...waits)}`);
  world.client.close();
});

// MARK: Streams

test("an event stream brings values, polling slows down beside it, and its end is made up for", async () => {
  const world = new World();
  const streams = [];
  world.answer = ({ address }) => {
    if (!address.endsWith("/events")) return { body: { n: 0 } };
    streams.push(eventStream());
    return streams.at(-1).answer;
  };
  const resource = world.client.resource(A, { policy: STREAMED, stream: { address: `${A}/events`, resumes: true } });
  const seen = [];
  resource.subscribe(({ value }) => value && seen.at(-1) !== value.n && seen.push(value.n));
  await world.run(2_000);
  assert.equal(resource.snapshot.isStreaming, true);
  streams[0].write('id: 41\ndata: {"n": 1}\n\n');
  await world.run(1_000);
  assert.deepEqual(seen, [0, 1]);
  const polls = () => world.requests.filter(({ address }) => address === A).length;
  const before = polls();
  for (let beat = 0; beat < 3; beat += 1) {
    streams[0].write(": still here\n\n");
    await world.run(10_000);
  }
  assert.equal(polls(), before, "no poll while the stream is healthy");
  assert.equal(resource.nextRequest.cause, "safetyPoll");
  streams[0].end();
  await world.run(20_000);
  const opened = world.requests.filter(({ address }) => address !== A);
  assert.equal(opened.length, 2);
  assert.equal(opened[1].headers["Last-Event-ID"], "41");
  world.client.close();
  await world.settle();
  assert.equal(opened[1].signal.aborted, true);
});

test("a policy with a push is for resources with a stream; others are asked for at the interval", async () => {
  const world = new World();
  const resource = world.client.resource(A, { policy: STREAMED });
  resource.subscribe(() => {});
  await world.run(35_000);
  assert.equal(world.requests.length, 4);
  assert.equal(resource.nextRequest.cause, "cadence");
  world.client.close();
});

test("an event that cannot be read ends the stream, its connection included", async () => {
  const world = new World();
  const streams = [];
  world.answer = ({ address }) => {
    if (!address.endsWith("/events")) return { body: { n: 0 } };
    streams.push(eventStream());
    return streams.at(-1).answer;
  };
  const resource = world.client.resource(A, { policy: STREAMED, stream: { address: `${A}/events` } });
  resource.subscribe(() => {});
  await world.run(2_000);
  const opened = world.requests.find(({ address }) => address.endsWith("/events"));
  streams[0].write("data: {not JSON\n\n");
  await world.run(50);
  assert.equal(opened.signal.aborted, true, "nothing goes on reading");
  assert.deepEqual(resource.snapshot.value, { n: 0 });
  world.client.close();
});

test("a stream that says that something is missing leads to a request", async () => {
  const world = new World();
  const stream = eventStream();
  world.answer = ({ address }, count) => (address.endsWith("/events") ? stream.answer : { body: { count } });
  const reduce = ({ name, data }, value) => (name === "reset" ? "gap" : name === "same" ? "unchanged" : name === "beat" ? null : { value: { ...value, ...JSON.parse(data) } });
  const resource = world.client.resource(A, { policy: STREAMED, stream: { address: `${A}/events`, reduce } });
  resource.subscribe(() => {});
  await world.run(2_000);
  const polls = () => world.requests.filter(({ address }) => address === A).length;
  const before = polls();
  stream.write('event: beat\ndata: 1\n\nevent: patch\ndata: {"b": 2}\n\nevent: same\ndata: 1\n\n');
  await world.run(1_000);
  assert.equal(resource.snapshot.value.b, 2);
  assert.equal(polls(), before);
  stream.write("event: reset\ndata: 1\n\n");
  await world.run(3_000);
  assert.ok(polls() > before);
  world.client.close();
});

test("a WebSocket brings values as well; one that closes or says nonsense is lost", async () => {
  const world = new World();
  world.answer = () => ({ body: { n: 0 } });
  const resource = world.client.resource(A, { policy: STREAMED, stream: { address: `${A}/socket`, transport: "webSocket", protocols: ["v1"] } });
  resource.subscribe(() => {});
  await world.run(1_000);
  const [first] = world.sockets;
  assert.deepEqual([first.address, first.protocols], ["ws://server.test/a/socket", ["v1"]]);
  assert.equal(resource.snapshot.isStreaming, false);
  first.onopen();
  await world.run(1_000);
  assert.equal(resource.snapshot.isStreaming, true);
  first.onmessage({ data: '{"n": 5}' });
  first.onmessage({ data: new ArrayBuffer(4) });
  await world.settle();
  assert.equal(resource.snapshot.value.n, 5);
  first.onclose({ code: 1006 });
  await world.run(3_000);
  assert.equal(first.isClosed, true);
  assert.equal(world.sockets.length, 2);
  world.sockets[1].onopen();
  world.sockets[1].onmessage({ data: "nonsense" });
  await world.settle();
  assert.equal(world.sockets[1].isClosed, true);
  assert.equal(resource.snapshot.state, "live");
  await world.run(30_000);
  world.client.close();
  await world.settle();
  assert.equal(world.sockets.every(({ isClosed }) => isClosed), true);
});

test("fields that cannot be had for a while stop nothing", async () => {
  for (const transport of ["webSocket", "events"]) {
    const world = new World();
    world.answer = () => ({ body: { at: world.time }, after: 5 });
    const headers = () => {
      if (world.time > 3_000 && world.time < 30_000) throw new Error("no token");
      return { Authorization: "token" };
    };
    const resource = world.client.resource(A, { policy: STEADY, headers, stream: { address: `${A}/socket`, transport } });
    resource.subscribe(() => {});
    await world.run(2_000);
    if (transport === "webSocket") world.sockets[0].onclose({ code: 1006 });
    await world.run(28_000);
    assert.equal(resource.snapshot.value.at, 0);
    await world.run(120_000);
    assert.ok(resource.snapshot.value.at > 60_000, `${transport}: ${resource.snapshot.value.at}`);
    assert.equal(resource.snapshot.error, null);
    world.client.close();
    assert.equal(world.timersSet, 0);
  }
});

test("without a free machine a resource fails, and begins when there is one", async () => {
  const world = new World();
  world.answer = () => ({ body: { is: "well" }, after: 5 });
  const machine = world.engine.machine.bind(world.engine);
  let isFull = true;
  world.engine.machine = (...given) => {
    if (isFull) throw Object.assign(new Error("too many machines"), { code: "tooManyMachines" });
    return machine(...given);
  };
  const resource = world.client.resource(A);
  resource.subscribe(() => {});
  await world.run(3_000);
  assert.equal(resource.snapshot.state, "failing");
  assert.equal(resource.snapshot.error.kind, "engine");
  isFull = false;
  resource.refresh();
  await world.run(1_000);
  assert.deepEqual([resource.snapshot.state, resource.snapshot.value], ["live", { is: "well" }]);
  world.client.close();
  assert.equal(world.timersSet, 0);
});

// MARK: Words, and a real server

test("ages in words", () => {
  const minute = 60_000;
  assert.equal(ageInWords(12_900), "updated 12\u00a0s ago");
  assert.equal(ageInWords(89 * minute, "de-CH"), "vor 89\u00a0min aktualisiert");
  assert.equal(ageInWords(200 * minute, "fr"), "actualisé il y a 3\u00a0h");
  assert.equal(ageInWords(0, "it"), "aggiornato 0\u00a0s fa");
  assert.equal(ageInWords(1_000, "xx"), "updated 1\u00a0s ago");
  assert.equal(ageInWords(null), "");
});

test("with nothing set, the module beside the package and the platform's own fetch and clock do it", async () => {
  const { createServer } = await import("node:http");
  const server = createServer((_, response) => response.writeHead(200, { "Content-Type": "application/json" }).end('{"ok":true}'));
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const client = new FreshnessClient();
  assert.deepEqual(await client.resource(`http://127.0.0.1:${server.address().port}/`).first(), { ok: true });
  client.close();
  server.closeAllConnections();
  server.close();
});

test("a client that closes no longer listens to the page", async () => {
  const heard = new Set();
  const target = () => ({ hidden: false, baseURI: "https://page.example/", addEventListener: (name, _, { signal }) => {
    heard.add(name);
    signal.addEventListener("abort", () => heard.delete(name));
  } });
  const before = [globalThis.document, globalThis.addEventListener];
  globalThis.document = target();
  globalThis.addEventListener = target().addEventListener;
  try {
    const client = new FreshnessClient({ engine: newEngine(), fetch: async () => new Response("{}") });
    assert.deepEqual([...heard].sort(), ["focus", "freeze", "offline", "online", "pagehide", "pageshow", "resume", "visibilitychange"]);
    client.close();
    assert.deepEqual([...heard], []);
  } finally {
    [globalThis.document, globalThis.addEventListener] = before;
  }
});

test("an Age is a whole number of seconds, of several the first", () => {
  const transit = (age) => throughCaches({}, new Headers({ age }), { taken: 0 }).transit;
  assert.deepEqual(["12", "0", " 7 , 90"].map(transit), [12_000, 1, 7_000]);
  assert.deepEqual(["-0", "0.9", "12abc", "", "-5"].map(transit), [0, 0, 0, 0, 0]);
});

test("a refresh key that is held asks for the engine twelve times a minute at most", async () => {
  let loads = 0;
  const world = new World({ engine: async () => {
    loads += 1;
    throw new TypeError("no network");
  } });
  const resource = world.client.resource(A);
  resource.subscribe(() => {});
  for (let turn = 0; turn < 600; turn += 1) {
    resource.refresh();
    await world.run(100);
  }
  // And the attempts that it makes by itself.
  assert.ok(loads >= 12 && loads <= 18, `${loads}`);
  world.client.close();
});
