// Runs the conformance vectors in the WebAssembly build.
//
//   node Tests/EngineWasm/run-vectors.mjs MODULE [FILE ...]
//
// Without files: all of Sources/ConformanceVectors/Vectors. Prints one line for each vector and every
// mismatch; ends with 1 if there is one, if a file cannot be read, or if there is nothing to run.

import { readFileSync, readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { Engine } from "../../Sources/FreshnessWasm/freshness.js";
import { runDocument } from "./vectors.mjs";

const FOLDER = fileURLToPath(new URL("../../Sources/ConformanceVectors/Vectors", import.meta.url));

const [module, ...named] = process.argv.slice(2);
if (!module) {
  console.error("usage: run-vectors.mjs MODULE [FILE ...]");
  process.exit(2);
}
const engine = await Engine.load(readFileSync(module));
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
    console.log(`${mismatches.length ? "FAIL" : "pass"}  ${id}`);
    for (const mismatch of mismatches) console.log(`        ${mismatch}`);
  }
}
if (engine.machines !== 0) {
  failed += 1;
  console.log(`FAIL  ${engine.machines} machines were left behind`);
}
console.log(`${seen.size} vectors in ${files.length} files, ${failed} failed`);
process.exit(failed || seen.size === 0 ? 1 : 0);
