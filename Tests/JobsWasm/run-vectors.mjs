// Runs the vectors of the machine that follows jobs (following.json) in the WebAssembly build. The native build runs them in
// Tests/JobTests/Jobs/FollowVectorTests.swift.
//
//   node Tests/JobsWasm/run-vectors.mjs MODULE
//
// Prints every mismatch; ends with 1 if there is one, or if there is nothing to run.

import { readFileSync } from "node:fs";
import { FollowMachine } from "../../Sources/Programs/CWebAssets/Public/jobs/follow-machine.js";
import { randomRun } from "./random-run.mjs";

const [path] = process.argv.slice(2);
if (!path) {
  console.error("usage: run-vectors.mjs MODULE");
  process.exit(2);
}
const module = await WebAssembly.compile(readFileSync(path));
const { vectors, random: randomRuns } = JSON.parse(readFileSync(new URL("following.json", import.meta.url), "utf8"));

/** A value as text, with its members by name and without those that are missing. */
function plain(value) {
  if (Array.isArray(value)) return `[${value.map(plain)}]`;
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  const members = Object.entries(value).filter(([, member]) => member !== null).sort(([one], [other]) => (one < other ? -1 : 1));
  return `{${members.map(([name, member]) => `${name}: ${plain(member)}`)}}`;
}

const mismatches = [];
function compare(where, expected, got) {
  if (plain(expected) !== plain(got)) mismatches.push(`${where}: expected ${plain(expected)}, got ${plain(got)}`);
}

const ids = new Set();
let steps = 0;
for (const vector of vectors) {
  if (ids.has(vector.id)) mismatches.push(`${vector.id} is used twice`);
  ids.add(vector.id);
  const machine = await FollowMachine.create(module, vector.begin);
  for (const [index, { at, event, random = 0, orders, status = {} }] of vector.steps.entries()) {
    steps += 1;
    const where = `${vector.id}, step ${index + 1}`;
    compare(`${where}, orders`, orders, machine.handle(event, at, random));
    const got = machine.status;
    for (const [name, expected] of Object.entries(status)) compare(`${where}, ${name}`, expected, got[name]);
  }
}
const log = { events: 0, hash: 0x811c9dc5 };
for (let seed = 1; seed <= randomRuns.seeds; seed += 1) {
  randomRun(await FollowMachine.create(module, { tokenExpiry: 100_000 }), seed, randomRuns.mostEvents, log);
}
compare("random runs", randomRuns.gives, { events: log.events, hash: log.hash.toString(16).padStart(8, "0") });
for (const mismatch of mismatches) console.log(mismatch);
console.log(`${ids.size} vectors with ${steps} steps, and ${log.events} random events, ${mismatches.length} mismatches`);
process.exit(mismatches.length > 0 || ids.size === 0 ? 1 : 0);
