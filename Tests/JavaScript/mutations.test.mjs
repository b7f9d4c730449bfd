// Mutations: what is shown before the server has confirmed it, what is taken back, and what is requested again.

import assert from "node:assert/strict";
import { test } from "node:test";
import { FreshnessError } from "../../JavaScript/freshness/index.js";
import { LocalChanges, MOST_CHANGES } from "../../JavaScript/freshness/local-changes.js";
import { eventStream, STEADY, World } from "./world.mjs";

const A = "http://server.test/a";
const add = (item) => (value) => (value.items.includes(item) ? value : { ...value, items: [...value.items, item] });

/** A list on a server, and a resource that shows it. */
async function list(options) {
  const world = new World();
  const items = ["one"];
  world.answer = () => ({ body: { items: [...items] }, headers: { ETag: `"${items.join()}"` } });
  const resource = world.client.resource(A, options);
  const shown = [];
  resource.subscribe(({ value, state }) => value && shown.push(`${value.items} ${state}`));
  await world.run(1_000);
  return { world, items, resource, shown };
}

/** A request whose end the test decides. */
function request() {
  let settle;
  const promise = new Promise((resolve, reject) => (settle = { resolve, reject }));
  return { send: () => promise, ...settle };
}

test("a change is shown at once as unconfirmed, and live when an answer has confirmed it", async () => {
  const { world, items, resource, shown } = await list();
  const { send, resolve } = request();
  const result = resource.mutate(send, { optimistic: add("two") });
  assert.deepEqual([resource.snapshot.value.items, resource.snapshot.state, resource.snapshot.isUnconfirmed], [["one", "two"], "unconfirmed", true]);
  items.push("two");
  resolve("done");
  assert.equal(await result, "done");
  await world.settle();
  assert.equal(world.requests.length, 2, "the list is requested at once");
  assert.deepEqual([resource.snapshot.value.items, resource.snapshot.state, resource.snapshot.isUnconfirmed], [["one", "two"], "live", false]);
  assert.deepEqual(shown, ["one live", "one,two unconfirmed", "one,two live"]);
  world.client.close();
});

test("an answer that a cache made before a change confirms nothing", async () => {
  const { world, items, resource } = await list();
  const { answer } = world;
  world.answer = () => ({ body: { items: ["one"] }, headers: { Age: "20" } });
  await resource.mutate(async () => items.push("two"), { optimistic: add("two") });
  await world.run(15_000);
  assert.deepEqual([resource.snapshot.value.items, resource.snapshot.state], [["one", "two"], "unconfirmed"]);
  // Stored since, and so made after the change.
  world.answer = () => ({ body: { items: [...items] }, headers: { Age: "2" } });
  await world.run(10_000);
  assert.deepEqual([resource.snapshot.value.items, resource.snapshot.state], [["one", "two"], "live"]);
  world.answer = answer;
  world.client.close();
});

// A stream that says no time is late by less than the silence at which it counts as lost.
for (const [name, rtt, gap, most, hasTime] of [
  ["the event of the change itself", 300, 50, 5_000, false],
  ["a stream that never rests", 2_000, 500, 6_000, true],
  ["a stream that never rests and says no time", 2_000, 500, 38_000, false],
]) {
  test(`a change is confirmed although ${name} overtakes the answer`, async () => {
    const world = new World({ policy: { every: 10_000, jitter: "none", push: {} } });
    const stream = eventStream();
    let value = { n: 1, items: ["one"] };
    const meta = () => (hasTime ? { meta: { serverTime: 1.7e12 + world.time } } : {});
    world.answer = ({ address }) => (address.endsWith("/events") ? stream.answer : { body: { ...value, ...meta() }, after: rtt });
    const about = ({ meta }) => ({ serverTime: meta?.serverTime });
    const reduce = ({ data }) => ({ value: JSON.parse(data), ...about(JSON.parse(data)) });
    const resource = world.client.resource(A, { about, stream: { address: `${A}/events`, reduce } });
    resource.subscribe(() => {});
    await world.run(10_000);
    assert.equal(resource.snapshot.isStreaming, true);
    await resource.mutate(async () => (value = { ...value, items: ["one", "two"] }), { optimistic: add("two") });
    for (let waited = 0; waited < most; waited += gap) {
      await world.run(gap);
      if (gap < 100 && waited > 0) continue;
      value = { ...value, n: value.n + 1 };
      stream.write(`data: ${JSON.stringify({ ...value, ...meta() })}\n\n`);
      await world.settle();
    }
    if (gap < 100) {
      stream.write(`data: ${JSON.stringify(value)}\n\n`);
      await world.settle();
    }
    assert.deepEqual([resource.snapshot.value.items, resource.snapshot.isUnconfirmed], [["one", "two"], false]);
    assert.ok(world.requests.filter(({ address }) => address === A).length <= 5, "and requested no more than needed");
    world.client.close();
  });
}

test("a change whose request fails is taken back, over the newest value of the server", async () => {
  const { world, items, resource, shown } = await list();
  const { send, reject } = request();
  const result = resource.mutate(send, { optimistic: add("mine") });
  items.push("theirs");
  await world.run(10_000);
  assert.deepEqual(resource.snapshot.value.items, ["one", "theirs", "mine"]);
  assert.equal(resource.snapshot.state, "unconfirmed");
  reject(new TypeError("no network"));
  await assert.rejects(result, /no network/);
  assert.deepEqual([resource.snapshot.value.items, resource.snapshot.isUnconfirmed], [["one", "theirs"], false]);
  await world.settle();
  // It may have been carried out: the server is asked.
  assert.equal(world.requests.length, 3);
  assert.deepEqual(shown, ["one live", "one,mine unconfirmed", "one,theirs,mine unconfirmed", "one,theirs live"]);
  world.client.close();
});

test("a response that is not ok is a failure with its status and the server's words", async () => {
  const { world, resource } = await list();
  const refusal = () => Promise.resolve(new Response(JSON.stringify({ detail: "the list is full" }), { status: 409 }));
  await assert.rejects(resource.mutate(refusal, { optimistic: add("two") }), (failure) => {
    assert.ok(failure instanceof FreshnessError);
    assert.deepEqual([failure.kind, failure.status, failure.problem.detail], ["refused", 409, "the list is full"]);
    return true;
  });
  assert.deepEqual(resource.snapshot.value.items, ["one"]);
  world.client.close();
});

test("an answer of an older edge confirms nothing, and the change stays until a newer one comes", async () => {
  const { world, items, resource, shown } = await list();
  const madeAt = (seconds) => new Date(Date.UTC(2026, 0, 1) + seconds * 1000).toISOString();
  const edge = (list, made) => () => ({ body: { items: list, meta: { rtFetchedAt: madeAt(made), serverTime: madeAt(made + 1) } } });
  world.answer = edge(["one"], 100);
  await resource.refresh();
  const result = resource.mutate(() => Promise.resolve("done"), { optimistic: add("two") });
  world.answer = edge(["one"], 60);
  assert.equal(await result, "done");
  await world.settle();
  assert.deepEqual([resource.snapshot.value.items, resource.snapshot.state, resource.snapshot.badge], [["one", "two"], "unconfirmed", "unknown"]);
  items.push("two");
  world.answer = edge(["one", "two"], 110);
  await world.run(20_000);
  assert.deepEqual([resource.snapshot.value.items, resource.snapshot.isUnconfirmed], [["one", "two"], false]);
  const since = shown.findIndex((line) => line.startsWith("one,two"));
  assert.deepEqual([...new Set(shown.slice(since).map((line) => line.split(" ")[0]))], ["one,two"], "it never vanishes in between");
  world.client.close();
});

test("an answer that was requested before the server accepted a change does not confirm it", async () => {
  const { world, items, resource, shown } = await list();
  const old = [...items];
  world.answer = (_, count) => (count === 2 ? { body: { items: old }, headers: { ETag: '"old"' }, after: 3_000 } : { body: { items: [...items] } });
  resource.refresh();
  await world.settle();
  assert.equal(world.requests.length, 2);
  const accepted = resource.mutate(async () => items.push("two"), { optimistic: add("two") });
  await accepted;
  await world.run(2_000);
  assert.deepEqual([world.requests.length, resource.snapshot.state, resource.snapshot.value.items], [2, "unconfirmed", ["one", "two"]]);
  await world.run(2_000);
  assert.equal(world.requests.length, 3, "another request follows the one that was out");
  assert.deepEqual([resource.snapshot.state, resource.snapshot.value.items], ["live", ["one", "two"]]);
  const since = shown.indexOf("one,two unconfirmed");
  assert.deepEqual([...new Set(shown.slice(since))], ["one,two unconfirmed", "one,two live"], "the change never vanishes in between");
  world.client.close();
});

test("a 304 to a later request says that the server has the value without the change", async () => {
  const { world, resource } = await list();
  world.answer = () => ({ status: 304, headers: { ETag: '"one"' } });
  await resource.mutate(async () => {}, { optimistic: add("two") });
  await world.settle();
  assert.deepEqual([resource.snapshot.value.items, resource.snapshot.state], [["one"], "live"]);
  world.client.close();
});

test("changes are shown in their order, and each ends by itself", async () => {
  const { world, items, resource } = await list();
  const [first, second] = [request(), request()];
  const results = [resource.mutate(first.send, { optimistic: add("two") }), resource.mutate(second.send, { optimistic: add("three") })];
  assert.deepEqual(resource.snapshot.value.items, ["one", "two", "three"]);
  first.reject(new Error("refused"));
  await assert.rejects(results[0]);
  assert.deepEqual([resource.snapshot.value.items, resource.snapshot.isUnconfirmed], [["one", "three"], true]);
  items.push("three");
  second.resolve();
  await results[1];
  await world.run(1_000);
  assert.deepEqual([resource.snapshot.value.items, resource.snapshot.isUnconfirmed], [["one", "three"], false]);
  world.client.close();
});

test("the same object is shown until something changes", async () => {
  const { world, resource } = await list();
  const { send } = request();
  resource.mutate(send, { optimistic: add("two") });
  const { value } = resource.snapshot;
  await world.run(25_000);
  assert.equal(resource.snapshot.value, value);
  world.client.close();
});

test("offline and failing are said before unconfirmed, and never live", async () => {
  const { world, resource } = await list();
  const { send } = request();
  resource.mutate(send, { optimistic: add("two") });
  await world.says("connectivity", "offline");
  await world.run(1_000);
  assert.deepEqual([resource.snapshot.state, resource.snapshot.isUnconfirmed], ["offline", true]);
  await world.says("connectivity", "online");
  world.answer = () => ({ status: 500 });
  resource.refresh();
  await world.run(1_000);
  assert.deepEqual([resource.snapshot.state, resource.snapshot.isUnconfirmed, resource.snapshot.value.items], ["failing", true, ["one", "two"]]);
  world.client.close();
});

test("a mutation that is canceled before it begins sends nothing", async () => {
  const { world, resource } = await list();
  await assert.rejects(resource.mutate(() => assert.fail("sent"), { optimistic: add("two"), signal: AbortSignal.abort() }), { name: "AbortError" });
  assert.deepEqual(resource.snapshot.value.items, ["one"]);
  world.client.close();
});

test("forgetting drops changes with the copy", async () => {
  const { world, resource } = await list();
  const { send, resolve } = request();
  const result = resource.mutate(send, { optimistic: add("two") });
  resource.forget();
  assert.equal(resource.snapshot.value, null);
  resolve();
  await result;
  await world.run(1_000);
  assert.deepEqual([resource.snapshot.value.items, resource.snapshot.state], [["one"], "live"]);
  world.client.close();
});

test("tags request the resources that have them, and no others", async () => {
  const world = new World();
  world.answer = ({ address }) => ({ body: { address } });
  const tagged = { a: ["list"], b: ["list", "count"], c: ["count"], d: [] };
  for (const [name, tags] of Object.entries(tagged)) world.client.resource(`${A}/${name}`, { tags }).subscribe(() => {});
  await world.run(1_000);
  const since = world.requests.length;
  assert.equal(since, 4);
  world.client.invalidate("list");
  await world.settle();
  assert.deepEqual(world.requests.slice(since).map(({ address }) => address.at(-1)), ["a", "b"]);
  await world.client.mutate(async () => {}, { invalidates: ["count", "none"] });
  await world.settle();
  assert.deepEqual(world.requests.slice(since + 2).map(({ address }) => address.at(-1)), ["b", "c"]);
  assert.throws(() => world.client.resource(`${A}/e`, { tags: Array.from({ length: 33 }, (_, index) => `${index}`) }), RangeError);
  world.client.close();
});

test("a resource without observers is requested when it has one again", async () => {
  const world = new World();
  world.answer = () => ({ body: {} });
  const resource = world.client.resource(A, { tags: ["list"] });
  const end = resource.subscribe(() => {});
  await world.run(1_000);
  end();
  await world.run(2_000);
  world.client.invalidate("list");
  await world.run(30_000);
  assert.equal(world.requests.length, 1);
  resource.subscribe(() => {});
  await world.settle();
  assert.equal(world.requests.length, 2);
  world.client.close();
});

test("a mutation and what is invalidated do not wait behind a long poll", async () => {
  const world = new World({ policy: { ...STEADY, longPoll: 25_000 } });
  let items = ["one"];
  const answered = () => ({ body: { items: [...items] }, headers: { ETag: `"${items.length}"` } });
  world.answer = ({ headers }) => (headers.Prefer ? { hang: true } : answered());
  const resource = world.client.resource(A);
  resource.subscribe(() => {});
  await world.run(15_000);
  const held = () => world.requests.at(-1).headers.Prefer !== undefined;
  assert.ok(held());
  const before = world.requests.length;
  await resource.mutate(async () => (items = ["one", "two"]), { optimistic: add("two") });
  await world.settle();
  assert.deepEqual([world.requests[before].at, resource.snapshot.value.items, resource.snapshot.isUnconfirmed], [15_000, ["one", "two"], false]);
  world.client.close();
});

test("changes that wait have a limit, and one that throws is left out", () => {
  const changes = new LocalChanges();
  changes.add(() => {
    throw new Error("a value of another kind");
  });
  changes.add((value) => value + 1);
  assert.equal(changes.apply(1), 2);
  for (let number = 2; number < MOST_CHANGES; number += 1) changes.add((value) => value);
  assert.throws(() => changes.add((value) => value), RangeError);
  assert.equal(changes.confirm(1e15), false, "their requests are out");
  changes.clear();
  assert.equal(changes.apply(1), 1);
  const entry = changes.add((value) => value + 1);
  changes.accepted(entry, 30.7, 4);
  assert.deepEqual([changes.confirm(29), changes.confirm(30, 4), changes.apply(1)], [false, false, 2]);
  assert.deepEqual([changes.confirm(30, 5), changes.apply(1)], [true, 1]);
  changes.accepted(changes.add((value) => value + 1), 40);
  for (let number = 1; number < MOST_CHANGES; number += 1) changes.add((value) => value);
  changes.add((value) => value + 2);
  assert.deepEqual([changes.count, changes.apply(1)], [MOST_CHANGES, 3], "the oldest that was accepted makes room");
  assert.throws(() => changes.add((value) => value), RangeError);
});
