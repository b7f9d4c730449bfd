// The package in an application: only the files that package.json ships, found by their entries, under node; rendered on a
// server with React where it is at hand, and compiled against with TypeScript where that is.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";

const PACKAGE = fileURLToPath(new URL("../../JavaScript/freshness/", import.meta.url));
const manifest = JSON.parse(readFileSync(join(PACKAGE, "package.json"), "utf8"));
/** React as Debian packages it. */
const MODULES = "/usr/share/nodejs";
const hasReact = ["react", "react-dom"].every((name) => existsSync(join(MODULES, name)));
let folder;

/** Whether a pattern of `files` ships a file. */
const ships = (pattern, name) => (pattern.startsWith("*") ? name.endsWith(pattern.slice(1)) : name === pattern);

before(() => {
  folder = mkdtempSync(join(tmpdir(), "freshness-package-"));
  const place = join(folder, "node_modules", manifest.name);
  mkdirSync(place, { recursive: true });
  for (const name of readdirSync(PACKAGE)) {
    if (["package.json", "README.md"].includes(name) || manifest.files.some((pattern) => ships(pattern, name))) cpSync(join(PACKAGE, name), join(place, name));
  }
  if (hasReact) for (const name of ["react", "react-dom", "scheduler", "loose-envify", "js-tokens", "object-assign"]) {
    if (existsSync(join(MODULES, name))) symlinkSync(join(MODULES, name), join(folder, "node_modules", name));
  }
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
});

after(() => rmSync(folder, { recursive: true }));

/** Runs a module of the application; what it printed. */
function run(code) {
  writeFileSync(join(folder, "main.mjs"), code);
  const { status, stdout, stderr } = spawnSync(process.execPath, ["--preserve-symlinks", join(folder, "main.mjs")], { encoding: "utf8" });
  assert.equal(status, 0, stderr);
  return stdout.trim();
}

test("every entry is found by its name, and nothing happens on import", () => {
  assert.equal(run(`
    import { FreshnessClient } from "@freshet/freshness";
    import { Engine } from "@freshet/freshness/engine";
    import { FreshAge, FreshValue } from "@freshet/freshness/elements";
    import { FreshnessDevtools } from "@freshet/freshness/devtools";
    import { readFileSync } from "node:fs";
    import { createRequire } from "node:module";
    const path = createRequire(import.meta.url).resolve("@freshet/freshness/freshness.wasm");
    const engine = await Engine.load(readFileSync(path));
    const own = await new FreshnessClient().engine;
    console.log(engine.machines, own.machines, FreshAge.name, FreshValue.name, FreshnessDevtools.name);
  `), "0 0 FreshAge FreshValue FreshnessDevtools");
});

test("a server renders components without asking anything, and leaves no timer behind", (context) => {
  if (!hasReact) return context.skip("React is not at hand");
  assert.equal(run(`
    import { createElement as h } from "react";
    import { renderToString } from "react-dom/server";
    import { FreshnessClient } from "@freshet/freshness";
    import { FreshnessProvider, useAge, useFresh } from "@freshet/freshness/react";
    const client = new FreshnessClient({ fetch: () => { throw new Error("asked"); }, timers: { setTimeout() { throw new Error("a timer"); }, clearTimeout() {} } });
    function View() {
      const board = useFresh("/api/board", { policy: "departuresWeb" });
      return h("p", null, board.state, " ", String(board.isLoading), " ", String(useAge(board)), " ", String(board.value));
    }
    console.log(renderToString(h(FreshnessProvider, { client }, h(View), h(View))).replaceAll("<!-- -->", ""));
  `), "<p>loading true null null</p><p>loading true null null</p>");
});

test("uses of the declarations compile in an application, and mistakes do not", (context) => {
  cpSync(fileURLToPath(new URL("types/use.ts", import.meta.url)), join(folder, "use.ts"));
  const options = { strict: true, noEmit: true, target: "es2022", lib: ["es2022", "dom", "dom.iterable"], module: "node16", moduleResolution: "node16", types: [] };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions: options, files: ["use.ts"] }));
  const compiler = spawnSync("tsc", ["--project", folder], { encoding: "utf8" });
  if (compiler.error) return context.skip("no TypeScript compiler is at hand");
  assert.equal(compiler.status, 0, compiler.stdout);
});
