// Runs the conformance vectors in the WebAssembly build.
//
//   node Tests/EngineWasm/run-vectors.mjs MODULE [--results RESULTS] [FILE ...]
//
// RESULTS is a JSON file that `freshet-lab report parity` reads: what differed for each vector, and the
// FNV-1a hashes of the module and of the vectors.
// Without files: all of Sources/Engine/ConformanceVectors/Vectors. Prints one line for each vector and every
// mismatch; ends with 1 if there is one, if a file cannot be read, or if there is nothing to run.

import { readFileSync, readdirSync, renameSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { Engine } from "../../JavaScript/freshness/freshness.js";
import { runDocument } from "./vectors.mjs";

const FOLDER = fileURLToPath(new URL("../../Sources/Engine/ConformanceVectors/Vectors", import.meta.url));

/** The FNV-1a hash of some bytes, 64 bits, as 16 hexadecimal digits. */
function digest(bytes) {
  let high = 0xcbf29ce4, low = 0x84222325;
  for (const byte of bytes) {
    low = (low ^ byte) >>> 0;
    // Times 2^40 + 0x1b3, in halves of 32 bits.
    const product = low * 0x1b3;
    high = (Math.imul(high, 0x1b3) + Math.floor(product / 2 ** 32) + (low << 8)) >>> 0;
    low = product >>> 0;
  }
  return [high, low].map((half) => half.toString(16).padStart(8, "0")).join("");
}

const [module, ...rest] = process.argv.slice(2);
const place = rest.indexOf("--results");
const [, resultsFile] = place < 0 ? [] : rest.splice(place, 2);
const named = rest;
if (!module || (place >= 0 && !resultsFile)) {
  console.error("usage: run-vectors.mjs MODULE [--results RESULTS] [FILE ...]");
  process.exit(2);
}
const moduleBytes = readFileSync(module);
const engine = await Engine.load(moduleBytes);
const outcome = {};
const files = named.length ? named
  : readdirSync(FOLDER).filter((name) => name.endsWith(".json")).sort().map((name) => join(FOLDER, name));
const seen = new Set();
let failed = 0;
for (const file of files) {
  let results;
  try {
    results = runDocument(engine, JSON.parse(readFileSync(file, "utf8")));
  } catch (error) {
    failed += 1;
    console.log(`FAIL  ${basename(file)}\n        ${error.message}`);
    continue;
  }
  for (const { id, mismatches } of results) {
    if (seen.has(id)) mismatches.push("the id is used twice");
    seen.add(id);
    if (mismatches.length) failed += 1;
    outcome[id] = mismatches;
    console.log(`${mismatches.length ? "FAIL" : "pass"}  ${id}`);
    for (const mismatch of mismatches) console.log(`        ${mismatch}`);
  }
}
if (engine.machines !== 0) {
  failed += 1;
  console.log(`FAIL  ${engine.machines} machines were left behind`);
}
if (resultsFile) {
  const parts = [...files].sort((a, b) => (basename(a) < basename(b) ? -1 : 1))
    .flatMap((file) => [Buffer.from(basename(file)), Buffer.from([0]), readFileSync(file)]);
  writeFileSync(`${resultsFile}.new`, JSON.stringify({
    suite: digest(Buffer.concat(parts)),
    runtime: `node ${process.version}`,
    module: { bytes: moduleBytes.length, digest: digest(moduleBytes) },
    vectors: outcome,
  }));
  renameSync(`${resultsFile}.new`, resultsFile);
}
console.log(`${seen.size} vectors in ${files.length} files, ${failed} failed`);
process.exit(failed || seen.size === 0 ? 1 : 0);
