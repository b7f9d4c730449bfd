// Two groups of hosts that keep one board fresh: aligned with the producer (R31), and blind. Prints their ages as JSON.
//
//   node ab_hosts.mjs ADDRESS HOSTS SECONDS

import { FreshnessClient } from "../JavaScript/freshness/index.js";

const [address, hosts, seconds] = [process.argv[2], Number(process.argv[3]), Number(process.argv[4])];
const preset = "departuresWeb";
/** The interval of the preset: hosts start evenly over it, the same in both groups. */
const interval = 15_000;
/** Between two reads of a screen. */
const look = 250;
/** Before it is measured: a host has to hear of the producer first. */
const settling = Math.min(60_000, seconds * 250);

const wait = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));

class Host {
  ages = [];

  constructor(policy) {
    this.client = new FreshnessClient({ policy });
    this.board = this.client.resource(address);
  }

  get requests() {
    return this.board.diagnostics()?.counters.requests ?? 0;
  }

  start() {
    this.stop = this.board.subscribe(() => {});
  }
}

async function group(policy) {
  const all = Array.from({ length: hosts }, () => new Host(policy));
  await Promise.all(all.map(async (host, place) => {
    await wait((interval * (place + 0.5)) / hosts);
    host.start();
  }));
  await wait(settling);
  const before = all.reduce((sum, host) => sum + host.requests, 0);
  const began = performance.now();
  const ages = [];
  while (performance.now() - began < seconds * 1_000) {
    await wait(look);
    for (const host of all) if (host.board.age !== null) ages.push(host.board.age / 1_000);
  }
  if (ages.length === 0) throw all[0].board.snapshot.error ?? new Error("no host has shown anything");
  const took = performance.now() - began;
  const asked = all.reduce((sum, host) => sum + host.requests, 0) - before;
  for (const host of all) {
    host.stop();
    host.client.close();
  }
  ages.sort((one, other) => one - other);
  return {
    mean: ages.reduce((sum, age) => sum + age, 0) / ages.length,
    p95: ages[Math.floor(ages.length * 0.95)],
    requests: (asked / hosts) * (3_600_000 / took),
    looks: ages.length,
  };
}

const [aligned, blind] = await Promise.all([group(preset), group({ preset, alignment: null })]);
console.log(JSON.stringify({ aligned, blind }));
process.exit(0);
