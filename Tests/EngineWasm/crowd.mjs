// Asks a running server as many pages would: each is the page's own LiveBoard, with its reader, its driver and the
// module of the engine. Prints what `freshet crowd --json` prints.
//
//   node crowd.mjs SERVER STOP CLIENTS SETTLE SECONDS [PRESET]
//
// The scripts are those that the server gives its pages.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";

const [server, stopId, ...numbers] = process.argv.slice(2);
const [clients, settle, seconds] = numbers.slice(0, 3).map(Number);
const preset = numbers[3] ?? "departuresWeb";
const RAMP_MS = 5000;

/** Fetches a script and all that it imports into a folder; returns their paths. */
async function scripts(path, folder, found = []) {
  if (found.includes(path)) return found;
  found.push(path);
  const answer = await fetch(new URL(path, server));
  if (!answer.ok) throw new Error(`${path} answered ${answer.status}`);
  const text = await answer.text();
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
  for (const [, name] of text.matchAll(/^(?:import|export|\}) .*?from "([^"]+)";$/gm)) {
    await scripts(new URL(name, new URL(path, server)).pathname, folder, found);
  }
  return found;
}

const folder = mkdtempSync(join(tmpdir(), "freshet-crowd-"));
writeFileSync(join(folder, "package.json"), '{"type":"module"}');
const [board, engineScript] = ["/assets/live-board.js", "/assets/freshness.js"];
await scripts(engineScript, folder, await scripts(board, folder));
const module = await (await fetch(new URL("freshness.wasm", new URL(engineScript, server)))).arrayBuffer();

// What the scripts expect of a page.
globalThis.location = new URL(server);
const plainFetch = globalThis.fetch;
const tally = new Array(seconds).fill(0);
let failures = 0;
let began = 0;
globalThis.fetch = async (address, options) => {
  const second = Math.floor((performance.now() - began) / 1000) - settle;
  if (second >= 0 && second < seconds) tally[second] += 1;
  try {
    return await plainFetch(new URL(address, server), options);
  } catch (failure) {
    failures += 1;
    throw failure;
  }
};

const script = (path) => import(pathToFileURL(join(folder, path)));
const [{ Engine }, { LiveBoard }] = await Promise.all([script(engineScript), script(board)]);
rmSync(folder, { recursive: true });
const engine = await Engine.load(module);
const device = {
  now: () => performance.now(),
  listen(listener) {
    listener({ event: "lifecycle", with: { to: "foreground" } });
    listener({ event: "connectivity", with: { to: "online" } });
    return () => {};
  },
};
began = performance.now();
for (let number = 0; number < clients; number += 1) {
  const board = new LiveBoard({ engine, policy: { preset }, device, onChange() {}, onArrival() {} });
  setTimeout(() => board.watch({ stopId, language: "en", limit: 1 }), Math.random() * RAMP_MS);
}
await new Promise((resolve) => setTimeout(resolve, (settle + seconds) * 1000));
const requests = tally.reduce((sum, one) => sum + one, 0);
const mean = requests / seconds;
const busiest = Math.max(...tally);
console.log(JSON.stringify({ clients, seconds, requests, mean, busiest, ratio: requests === 0 ? 0 : busiest / mean, failures, perSecond: tally }));
process.exit(0);
