// Asks a running server as many pages would: each is the page's own LiveBoard, with its reader, its driver and the
// module of the engine. Prints what `freshet-lab crowd --json` prints.
//
//   node crowd.mjs SERVER STOP CLIENTS SETTLE SECONDS [PRESET]
//
// The scripts are those of which the server's page is made; the engine is the server's.

const [server, stopId, ...numbers] = process.argv.slice(2);
const [clients, settle, seconds] = numbers.slice(0, 3).map(Number);
const preset = numbers[3] ?? "departuresWeb";
const RAMP_MS = 5000;

const module = await (await fetch(new URL("/assets/freshness.wasm", server))).arrayBuffer();

// What the scripts expect of a page.
globalThis.location = new URL(server);
const plainFetch = globalThis.fetch;
const counts = new Array(seconds).fill(0);
let failures = 0;
let began = 0;
globalThis.fetch = async (address, options) => {
  const second = Math.floor((performance.now() - began) / 1000) - settle;
  if (second >= 0 && second < seconds) counts[second] += 1;
  try {
    return await plainFetch(new URL(address, server), options);
  } catch (failure) {
    failures += 1;
    throw failure;
  }
};

const SOURCES = new URL("../../Sources/Programs/CWebAssets/Public/", import.meta.url);
const script = (path) => import(new URL(path, SOURCES));
const [{ Engine }, { LiveBoard }] = await Promise.all([script("engine/freshness.js"), script("board/live-board.js")]);
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
const requests = counts.reduce((sum, one) => sum + one, 0);
const mean = requests / seconds;
const busiest = Math.max(...counts);
console.log(JSON.stringify({ clients, seconds, requests, mean, busiest, ratio: requests === 0 ? 0 : busiest / mean, failures, perSecond: counts }));
process.exit(0);
