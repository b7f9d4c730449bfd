// A bridge from JSON Lines to refresh machines: world.py owns the world and its clock, this file only carries events in
// and effects out. One line in, one line out:
//
//   {"create": [[id, policy], …]}   → {"created": n, "policy": the whole policy of the last one}
//   {"step": [event, …]}            → [effect, …], in the same order
//   {"destroy": [id, …]}            → {"destroyed": n}
//
// An event is [id, now, random, kind, …], kind 0 started, 1 woke, 2 answered with content, 3 answered "unchanged",
// 4 answered with a failure, 5 a person refreshes. An answer goes on with generation, question, identity and the values
// of answerOf. An effect is [alarm, snapshot, cancel, request], a request is [generation, validator, question, identity], and
// anything that is not there is null.
//
//   node engine.mjs HOST MODULE     HOST is the folder of freshness.js

import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const [host, module] = process.argv.slice(2).map((path) => resolve(path));
const { Engine } = await import(pathToFileURL(resolve(host, "freshness.js")));
const engine = await Engine.load(readFileSync(module));
const machines = new Map();

/** The values of an answer, in the order of the line. */
function answerOf([revision, validator, serverTime, fetchedAt, cacheAge, transit, nextExpectedAt, maxAge, spread, deviceTime], kind) {
  const metadata = { serverTime, fetchedAt, cacheAge, transit, status: "applied", mode: "full" };
  const hints = { nextExpectedAt, maxAge };
  if (spread !== null) hints.spread = spread;
  const told = { metadata, hints, deviceTime };
  return kind === 2
    ? { outcome: "content", revision, validator, hasRealtime: true, status: 200, bytes: 4000, ...told }
    : { outcome: "unchanged", status: 304, ...told };
}

function eventOf(line) {
  const kind = line[3];
  if (kind === 0) return { event: "started" };
  if (kind === 1) return { event: "woke" };
  if (kind === 5) return { event: "refreshRequested", with: { refresh: "person" } };
  const [, , , , generation, question, identity, ...values] = line;
  const answer = kind === 4 ? { outcome: values[0] } : answerOf(values, kind);
  return { event: "answered", with: { generation, context: { question, identity }, answer } };
}

function step(line) {
  const { alarm, snapshot, cancel, request } = machines.get(line[0]).handle(eventOf(line), line[1], line[2]);
  const asked = request && [request.generation, request.validator, request.context.question, request.context.identity];
  return [alarm, snapshot === "none" ? null : snapshot, cancel, asked];
}

function create(descriptions) {
  let policy = null;
  for (const [id, description] of descriptions) {
    policy = engine.policy(description);
    machines.set(id, engine.machine({ policy: description, context: { question: 1, identity: 0 } }));
  }
  return { created: descriptions.length, policy };
}

function destroy(ids) {
  for (const id of ids) {
    machines.get(id).destroy();
    machines.delete(id);
  }
  return { destroyed: ids.length };
}

for await (const text of createInterface({ input: process.stdin, crlfDelay: Infinity })) {
  const order = JSON.parse(text);
  const answer = order.step ? order.step.map(step) : order.create ? create(order.create) : destroy(order.destroy);
  process.stdout.write(JSON.stringify(answer) + "\n");
}
