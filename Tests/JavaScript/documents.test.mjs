// The code in documents: every block runs, as a module, against a small server.

import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";

const ROOT = new URL("../../", import.meta.url);
const DOCUMENTS = ["JavaScript/freshness/README.md", "Documentation/choosing-a-preset.md", "Documentation/from-tanstack-query.md"];
const read = (path) => readFileSync(new URL(path, ROOT), "utf8");
const blocks = (path, language) => [...read(path).matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, "gm"))].map(([, code]) => code);

const made = new Date(Date.now() - 3_000).toISOString();
const ANSWERS = {
  "/api/board": { departures: [{ destination: "Bern" }] },
  "/api/prices": { prices: [1, 2], measuredAt: made, isOpen: true },
  "/api/value": { number: 1 },
};
let server;
let folder;

before(async () => {
  folder = mkdtempSync(join(tmpdir(), "freshness-documents-"));
  server = createServer((request, response) => {
    if (request.url === "/api/events") {
      response.writeHead(200, { "Content-Type": "text/event-stream" });
      return response.write('data: {"number": 2}\n\n');
    }
    const body = ANSWERS[request.url];
    response.writeHead(body ? 200 : 404, { "Content-Type": "application/json" });
    response.end(request.method === "HEAD" ? undefined : JSON.stringify(body ?? { detail: "there is no such thing" }));
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
});

after(() => {
  server.closeAllConnections();
  server.close();
  rmSync(folder, { recursive: true });
});

/** Runs a block as a page would: addresses are relative to a server. Returns what it printed. */
async function run(code, name) {
  const base = `http://127.0.0.1:${server.address().port}/`;
  const prelude = `const send = fetch; globalThis.location = new URL(${JSON.stringify(base)}); globalThis.fetch = (address, options) => send(new URL(address, location), options);`;
  const path = join(folder, `${name}.mjs`);
  const entry = JSON.stringify(new URL("JavaScript/freshness/index.js", ROOT).href);
  writeFileSync(path, code.replaceAll('"@freshet/freshness"', entry));
  writeFileSync(join(folder, `${name}-start.mjs`), `${prelude}\nawait import(${JSON.stringify(`./${name}.mjs`)});`);
  const child = spawn(process.execPath, [join(folder, `${name}-start.mjs`)], { stdio: ["ignore", "pipe", "pipe"] });
  let [printed, problems] = ["", ""];
  child.stdout.on("data", (text) => (printed += text));
  child.stderr.on("data", (text) => (problems += text));
  const code_ = await new Promise((resolve) => child.on("close", resolve));
  assert.equal(code_, 0, `${name}:\n${problems}`);
  return printed;
}

for (const path of DOCUMENTS) {
  blocks(path, "js").forEach((code, index) => {
    test(`${path}: block ${index + 1} runs to its end and prints`, async () => {
      assert.notEqual(await run(code, `${path.replaceAll(/\W/g, "-")}-${index + 1}`), "");
    });
  });
}

test("the example page in the README is the one in the folder", () => {
  assert.deepEqual(blocks("JavaScript/freshness/README.md", "html"), [read("JavaScript/freshness/example.html")]);
});

blocks("JavaScript/freshness/README.md", "jsx").forEach((code, index) => {
  test(`React example ${index + 1} of the README compiles`, (context) => {
    const name = `example-${index + 1}`;
    writeFileSync(join(folder, `${name}.jsx`), code);
    const options = ["--allowJs", "--jsx", "react", "--target", "es2022", "--module", "es2022", "--noResolve", "--outDir", join(folder, "out")];
    const compiler = spawnSync("tsc", [...options, join(folder, `${name}.jsx`)], { encoding: "utf8" });
    if (compiler.error) return context.skip("no TypeScript compiler is at hand");
    assert.equal(compiler.status, 0, compiler.stdout);
    assert.match(readFileSync(join(folder, `out/${name}.js`), "utf8"), /React\.createElement\("(?:section|p)"/);
  });
});

test("the documents name only fields and figures that there are", async () => {
  const { FreshnessClient } = await import("../../JavaScript/freshness/index.js");
  const { newEngine } = await import("./world.mjs");
  const engine = newEngine();
  const policy = engine.policy({ preset: "departuresWeb" });
  const text = read("Documentation/from-tanstack-query.md") + read("Documentation/choosing-a-preset.md");
  for (const field of ["badgePartialAfter", "badgeUnavailableAfter", "background", "longPoll", "push", "downgradeProtection", "unchangedLimit", "unchangedFor", "retryDelay", "ladder"]) {
    assert.ok(field in policy && text.includes(`\`${field}\``), field);
  }
  // The table of presets, as it is written.
  const facts = (preset) => {
    const { active, recent, recentFor, idle, background } = engine.policy({ preset });
    return [active, recent, recentFor, idle, background];
  };
  assert.deepEqual(facts("departuresWeb"), [15_000, 15_000, 120_000, 15_000, null]);
  assert.deepEqual(facts("departuresNative"), [20_000, 20_000, 120_000, 20_000, null]);
  assert.deepEqual(facts("departuresWeb5s"), [5_000, 5_000, 120_000, 5_000, null]);
  assert.deepEqual(facts("workspaces"), [1_500, 3_000, 120_000, 10_000, 30_000]);
  assert.deepEqual(facts("jobs"), [2_000, 2_000, 120_000, 15_000, 15_000]);
  assert.equal(engine.policy({ every: 1_000 }).background, null);
  assert.deepEqual([policy.badgePartialAfter, policy.badgeUnavailableAfter], [25_000, 45_000]);
  assert.equal(typeof FreshnessClient.prototype.forget, "function");
});
