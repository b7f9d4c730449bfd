// The hand-written declarations against the code: what is exported, what objects have, which names there are. What compiles
// against them is in package.test.mjs.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { NUMBERS } from "../../JavaScript/freshness/freshness.js";
import { Device, FreshnessClient, FreshnessError } from "../../JavaScript/freshness/index.js";
import { newEngine, STEADY, World } from "./world.mjs";

const PACKAGE = new URL("../../JavaScript/freshness/", import.meta.url);
const text = (name) => readFileSync(new URL(name, PACKAGE), "utf8");
const declarations = readdirSync(PACKAGE).filter((name) => name.endsWith(".d.ts"));
const manifest = JSON.parse(text("package.json"));

/** The names that a module or a declaration exports as values. */
function exportsOf(source) {
  const declared = [...source.matchAll(/^export (?:async )?(?:class|function|const) (\w+)/gm)].map(([, name]) => name);
  const listed = [...source.matchAll(/^export \{([^}]*)\}/gm)].flatMap(([, names]) => names.split(",").map((name) => name.trim()).filter(Boolean));
  return [...new Set([...declared, ...listed])].sort();
}

/** The members of an interface or a class in a declaration. */
function membersOf(file, name) {
  const [, body] = new RegExp(`^export (?:interface|class) ${name}\\b[^{]*\\{\\n([\\s\\S]*?)^\\}`, "m").exec(text(file)) ?? assert.fail(`${file} does not declare ${name}`);
  const names = [...body.matchAll(/^  (?:readonly )?(\w+)\??[(:<]/gm)].map(([, member]) => member);
  return names.filter((member) => !["private", "constructor"].includes(member)).sort();
}

/** The names that a union of strings in a declaration has. */
function unionOf(file, name) {
  const [, body] = new RegExp(`^export type ${name} =([\\s\\S]*?);`, "m").exec(text(file)) ?? assert.fail(`${file} does not declare ${name}`);
  return [...body.matchAll(/"(\w+)"/g)].map(([, one]) => one).sort();
}

const publicOf = (prototype) => Object.getOwnPropertyNames(prototype).filter((name) => name !== "constructor").sort();

test("the scripts of the pages and of the package use values as their types allow", (context) => {
  const project = fileURLToPath(new URL("types/tsconfig.json", import.meta.url));
  const compiler = spawnSync("tsc", ["--project", project], { encoding: "utf8" });
  if (compiler.error) return context.skip("no TypeScript compiler is at hand");
  assert.equal(compiler.status, 0, compiler.stdout);
});

test("every entry of the package is there, with its declarations, and nothing in it asks for another package", () => {
  for (const [entry, places] of Object.entries(manifest.exports)) {
    for (const place of typeof places === "string" ? [places] : Object.values(places)) assert.ok(text(place.slice(2)).length > 0, `${entry}: ${place}`);
  }
  assert.equal(manifest.dependencies, undefined);
  for (const name of readdirSync(PACKAGE).filter((file) => file.endsWith(".js"))) {
    for (const [, imported] of text(name).matchAll(/^(?:import|export)[^;]*?from "([^"]+)"/gm)) {
      if (imported === "react") assert.equal(name, "react.js");
      else assert.ok(readdirSync(PACKAGE).includes(imported.replace(/^\.\//, "")), `${name} imports ${imported}`);
    }
  }
});

test("modules export what their declarations say", () => {
  for (const file of declarations) assert.deepEqual(exportsOf(text(file)), exportsOf(text(file.replace(".d.ts", ".js"))), file);
});

test("the names in unions are those of the engine", () => {
  const unions = {
    Lifecycle: "lifecycle", Connectivity: "connectivity", Mode: "mode", Status: "status", FailureKind: "failure", OutcomeName: "outcome",
    Badge: "badge", Cause: "nextCause", RefreshReason: "refreshReason",
  };
  for (const [name, table] of Object.entries(unions)) assert.deepEqual(unionOf("freshness.d.ts", name), [...NUMBERS[table]].sort(), name);
  assert.deepEqual(unionOf("freshness.d.ts", "Preset"), NUMBERS.preset.filter((name) => name !== "every").sort());
  const events = text("freshness.d.ts").split("export type MachineEvent =")[1].split(";\n\n")[0];
  const named = [...events.matchAll(/event: ("\w+"(?: \| "\w+")*)/g)].flatMap(([, names]) => names.match(/\w+/g));
  assert.deepEqual(named.sort(), [...NUMBERS.event].sort());
});

test("objects have the members that are declared, and no others", async () => {
  const engine = newEngine();
  const machine = engine.machine({ policy: { ...STEADY, push: {} }, context: { question: 1 } });
  const effects = machine.handle({ event: "started" }, 0, 0);
  const { generation, context } = effects.request;
  const answer = { outcome: "content", revision: 1 };
  const { sample } = machine.handle({ event: "answered", with: { generation, context, answer } }, 1, 0);
  const { revision, validator, hasRealtime, fulfilsAction, ...rest } = sample;
  const policy = engine.policy({ preset: "departuresWeb" });
  const world = new World();
  const resource = world.client.resource("http://server.test/a");
  resource.subscribe(() => {});
  await world.run(100);
  const pairs = [
    ["Policy", policy], ["Alignment", policy.alignment], ["Push", engine.policy({ preset: "jobs", push: {} }).push], ["Effects", effects],
    ["EngineRequest", effects.request], ["Sample", rest], ["Label", machine.label(1)], ["Appearance", machine.appearance(1)], ["Counters", machine.counters()],
    ["FreshnessMetadata", sample.metadata],
  ];
  for (const [name, object] of pairs) assert.deepEqual(membersOf("freshness.d.ts", name), Object.keys(object).sort(), name);
  assert.deepEqual(membersOf("index.d.ts", "Snapshot"), Object.keys(resource.snapshot).sort());
  assert.deepEqual(membersOf("index.d.ts", "Diagnostics"), Object.keys(resource.diagnostics()).sort());
  assert.deepEqual(membersOf("freshness.d.ts", "Engine").filter((name) => name !== "static"), publicOf(Object.getPrototypeOf(engine)));
  assert.deepEqual(membersOf("freshness.d.ts", "Machine"), publicOf(Object.getPrototypeOf(machine)));
  // What the client and its resources tell one another is private.
  const own = ["key", "address", "tags", "requestedPolicy"];
  const inner = ["tick", "end", "requestedPolicy", "changeLocally", "acceptedLocally", "takeBack"];
  const members = [...publicOf(Object.getPrototypeOf(resource)), ...own].filter((name) => !inner.includes(name)).sort();
  assert.deepEqual(membersOf("index.d.ts", "FreshResource"), members);
  assert.deepEqual(membersOf("index.d.ts", "FreshnessClient"), publicOf(FreshnessClient.prototype).filter((name) => !["becameWatched", "wentIdle"].includes(name)));
  assert.deepEqual(membersOf("index.d.ts", "Device"), publicOf(Device.prototype));
  assert.deepEqual(membersOf("index.d.ts", "FreshnessError").filter((name) => name !== "name"), Object.keys(new FreshnessError("gone")).filter((name) => name !== "name").sort());
  machine.destroy();
  world.client.close();
});
