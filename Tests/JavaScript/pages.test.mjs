// The pages as they are written: their pure modules, their messages, and what the prepared files have of them.

import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { readAddress, writeAddress } from "../../Sources/Programs/CWebAssets/Public/board/address.js";
import { boardingInWords, countdown, delaySeconds, isRough, minutesOfDelay } from "../../Sources/Programs/CWebAssets/Public/board/departure.js";
import { arrange, viewsOf } from "../../Sources/Programs/CWebAssets/Public/board/views.js";
import { booksOf } from "../../Sources/Programs/CWebAssets/Public/jobs/book-list.js";
import { factsOf, readMessage } from "../../Sources/Programs/CWebAssets/Public/jobs/job-messages.js";
import { EventStreamParser } from "../../Sources/Programs/CWebAssets/Public/engine/event-stream.js";
import { LANGUAGES, languageOf, LOCALES, sentences } from "../../Sources/Programs/CWebAssets/Public/messages/messages.js";
import { Deferred } from "../../Sources/Programs/CWebAssets/Public/shared/deferred.js";
import { duration } from "../../Sources/Programs/CWebAssets/Public/shared/times.js";
import { afterAnswer, afterEvent, inOrder, isLater } from "../../Sources/Programs/CWebAssets/Public/worktrees/workspace-list.js";

const TARGET = new URL("../../Sources/Programs/CWebAssets/", import.meta.url);
const PUBLIC = new URL("Public/", TARGET);
const PREPARED = new URL("Prepared/", TARGET);
const text = (path, base = PUBLIC) => readFileSync(new URL(path, base), "utf8");
const PAGES = { board: "index", worktrees: "workspaces", jobs: "jobs" };

const messages = async (language, page) => (await import(new URL(`messages/${language}/${page}.js`, PUBLIC))).default;
const placesOf = (form) => new Set((typeof form === "string" ? [form] : Object.values(form)).flatMap((one) => [...one.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)));

for (const page of [...Object.keys(PAGES), "shared", "work", "problems"]) {
  test(`the messages of ${page} are complete in every language, with the same places and plural forms`, async () => {
    const english = await messages("en", page);
    assert.ok(Object.keys(english).length > 30);
    for (const language of LANGUAGES) {
      const all = await messages(language, page);
      assert.deepEqual(Object.keys(all).sort(), Object.keys(english).sort(), language);
      for (const [name, form] of Object.entries(all)) {
        assert.deepEqual(placesOf(form), placesOf(english[name]), `${language} ${name}`);
        if (typeof form !== "string") assert.ok(new Intl.PluralRules(LOCALES[language]).resolvedOptions().pluralCategories.every((category) => category in form || "other" in form), `${language} ${name}`);
      }
    }
  });
}

/** The modules that a page loads, at once or later, without messages. */
function modulesOf(path, found = new Set()) {
  if (found.has(path) || /^messages\/\w\w\//.test(path)) return found;
  found.add(path);
  for (const [, name] of text(path).matchAll(/(?:from |import |import\()"(\.[^"]+)"/g)) {
    modulesOf(new URL(name, new URL(path, "file:///")).pathname.slice(1), found);
  }
  return found;
}

/** The messages that come with a script which is loaded later, of every language: messages/trip.js. */
const laterMessages = async (modules) =>
  Promise.all(modules.filter((path) => /^messages\/\w{3,}\.js$/.test(path) && path !== "messages/messages.js").map(async (path) => (await import(new URL(path, PUBLIC))).default));

test("messages that come later are complete in every language, with the same places", async () => {
  const all = await laterMessages([...modulesOf("board/page.js")]);
  assert.equal(all.length, 3);
  for (const later of all) {
    assert.deepEqual(Object.keys(later).sort(), [...LANGUAGES].sort());
    for (const language of LANGUAGES) {
      assert.deepEqual(Object.keys(later[language]).sort(), Object.keys(later.en).sort(), language);
      for (const [name, form] of Object.entries(later[language])) assert.deepEqual(placesOf(form), placesOf(later.en[name]), `${language} ${name}`);
    }
  }
});

for (const [page, html] of Object.entries(PAGES)) {
  test(`every message that the page ${page} names is among those it loads, and others are not loaded`, async () => {
    const modules = [...modulesOf(`${page}/page.js`)];
    const code = modules.filter((path) => !path.startsWith("messages/")).map((path) => text(path)).join("\n") + text(`pages/${html}.html`);
    const all = Object.assign({}, await messages("en", page), ...(await laterMessages(modules)).map(({ en }) => en));
    const named = [...code.matchAll(/\bsay\((?:\w+ )?"([\w-]+)"/g), ...code.matchAll(/data-(?:text|label|placeholder)="([\w-]+)"/g)].map(([, name]) => name);
    assert.ok(named.length > 40);
    assert.deepEqual(named.filter((name) => !(name in all)), []);
    const literals = new Set([...code.matchAll(/["'`]([\w-]+)["'`]/g)].map(([, name]) => name));
    const beginnings = [...code.matchAll(/`([\w-]+-)\$\{/g)].map(([, one]) => one);
    const endings = [...code.matchAll(/\$\{[^}]*\}([A-Z]\w+)`/g)].map(([, one]) => one);
    const shared = new Set(Object.keys(await messages("en", "shared")));
    const isNamed = (name) => literals.has(name) || beginnings.some((one) => name.startsWith(one)) || endings.some((one) => name.endsWith(one));
    assert.deepEqual(Object.keys(all).filter((name) => !shared.has(name) && !isNamed(name)), []);
  });
}

test("a page loads one language: no module imports messages at once but the messages of its own language", () => {
  const folders = readdirSync(PUBLIC, { recursive: true, withFileTypes: false }).map(String).filter((path) => path.endsWith(".js") && !path.startsWith("engine/"));
  assert.ok(folders.length > 60);
  for (const path of folders) {
    for (const [, name] of text(path).matchAll(/^import [^;]*from "([^"]*messages\/\w\w\/[^"]*)"/gm)) assert.fail(`${path} imports ${name}`);
  }
});

test("copies hold what the prepared file holds, and say who they are for", () => {
  const names = readdirSync(PREPARED);
  const copies = names.filter((name) => /\.(?:br|gz)$/.test(name));
  assert.ok(copies.length > 20);
  for (const name of copies) {
    const plain = name.replace(/\.(?:br|gz)$/, "");
    const source = [new URL(plain, PREPARED), new URL(`engine/${plain}`, PUBLIC), new URL(`jobs/${plain}`, PUBLIC)].find((each) => existsSync(each));
    const unpack = name.endsWith(".br") ? brotliDecompressSync : gunzipSync;
    assert.deepEqual(unpack(readFileSync(new URL(name, PREPARED))), readFileSync(source), name);
  }
});

test("a sentence is made with its values and plural forms", () => {
  const say = sentences("en", { one: "at {time}", many: { one: "{count} row", other: "{count} rows" } });
  assert.equal(say("one", { time: "12:04" }), "at 12:04");
  assert.equal(say("many", { count: 1 }), "1 row");
  assert.equal(say("many", { count: 2 }), "2 rows");
  assert.equal(say("unknown"), "unknown");
  assert.equal(languageOf(null, "xx", "de-AT", "fr"), "de");
  assert.equal(languageOf("pt"), "en");
});

test("an address is read as it was written", () => {
  const settings = readAddress("?stop=8501120&lang=de&theme=dark&line=S1&line=RE33");
  assert.equal(settings.panes[0].stop, "8501120");
  assert.equal(settings.language, "de");
  const href = writeAddress("http://localhost/", settings);
  assert.deepEqual(readAddress(new URL(href).search), settings);
});

test("delays are rounded once, and departed rows are told by the second", () => {
  assert.deepEqual([0, 59, 60, 3599, 7200].map((seconds) => duration(seconds).replace(/\s/, " ")), ["0 s", "59 s", "1 min", "59 min", "2 h"]);
  assert.deepEqual([-60, 0, 29, 30, 60].map((seconds) => minutesOfDelay(seconds, false) + 0), [-1, 0, 0, 1, 1]);
  const departure = { scheduledDeparture: "2026-11-24T07:00:00Z" };
  const at = Date.parse(departure.scheduledDeparture);
  assert.deepEqual(countdown(departure, at - 61_000), { kind: "minutes", minutes: 2 });
  assert.deepEqual(countdown(departure, at - 13_000), { kind: "arriving" });
  assert.deepEqual(countdown({ ...departure, cancelled: true }, at), { kind: "none" });
});

test("a row says until when one may phone today, and from then on that it is too late", async () => {
  const until = Date.parse("2026-11-24T22:30:00Z");
  const departure = { scheduledDeparture: "2026-11-24T22:50:00Z", boarding: "phone_agency", booking: { bookBy: "2026-11-24T22:30:00Z", phone: "0800 1" } };
  for (const language of LANGUAGES) {
    const say = sentences(language, await messages(language, "board"));
    const context = { say, zone: "Europe/Zurich" };
    const boarding = (now, changes = {}) => boardingInWords({ ...departure, ...changes }, { ...context, now });
    const first = say("boarding-phone_agency");
    const before = say("phoneBefore", { time: "23:30" });
    assert.deepEqual(boarding(until - 1), { text: before, short: first, name: `${before} · 0800 1` });
    for (const now of [until, until + 3_600_000]) assert.deepEqual(boarding(now), { text: say("bookingClosed") });
    // On the day before, and without an instant, the time would say nothing; a driver has no closing time.
    assert.equal(boarding(until - 86_400_000).text, first);
    assert.equal(boarding(until - 23.5 * 3_600_000 + 1).text, before, "the day is that of the stop");
    for (const booking of [undefined, { bookBy: null }, { bookBy: "soon" }]) assert.equal(boarding(until, { booking }).text, first);
    assert.equal(boarding(until, { boarding: "ask_driver" }).text, say("boarding-ask_driver"));
  }
});

test("views and filters only choose among the departures that there are", () => {
  const departures = ["S1", "RE33", "S1"].map((name, index) => ({ key: String(index), line: name, number: name, category: name.replace(/\d+/, ""), platform: String(index), scheduledDeparture: `2026-11-24T07:0${index}:00Z` }));
  for (const view of viewsOf(departures)) {
    const kept = arrange(departures, { view, lines: [], platforms: [] });
    assert.ok(kept.every((one) => departures.includes(one)), view);
  }
});

test("worktrees follow answers and events, and never go back", () => {
  const tree = (id, state) => ({ id, path: `/${id}`, activity: { state } });
  const first = afterAnswer({ revision: "a-1", full: true, changed: [tree("x", "idle"), tree("y", "working")] }, null);
  assert.deepEqual(inOrder(first.worktrees).map(({ id }) => id), ["y", "x"]);
  const second = afterEvent({ type: "worktree:updated", payload: { worktree_id: "x", updates: { activity: { state: "needs_you" } } } }, "a-2", first);
  assert.deepEqual(inOrder(second.worktrees).map(({ id }) => id), ["x", "y"]);
  assert.equal(isLater(second.revision, first.revision), true);
  assert.equal(afterEvent({ type: "worktree:deleted", payload: { worktree_id: "x" } }, "b-3", second), null);
  assert.equal(afterAnswer({ revision: "a-3", changed: [] }, null), null);
});

test("books and messages of jobs are read, whatever else there is", () => {
  assert.deepEqual(booksOf("Dune; Frank Herbert\n9783161484100\n\n  x "), [{ title: "Dune", author: "Frank Herbert" }, { isbn: "9783161484100" }, { title: "x" }]);
  assert.equal(readMessage('\uFEFF{"type":"job_progress","epoch":"2","seq":7}').position.seq, 7);
  assert.deepEqual(["", "[]", "null", '{"type":1}'].map(readMessage), [null, null, null, null]);
});

test("a stream names its reconnection time, in whole milliseconds and not without a limit", () => {
  const parser = new EventStreamParser();
  const times = [parser.retry];
  for (const piece of ["retry: 20", "00\n", "retry: x1\nretry: -5\n\n", "retry: 99999999999\n"]) {
    parser.feed(piece);
    times.push(parser.retry);
  }
  assert.deepEqual(times, [null, null, 2_000, 2_000, 300_000]);
});

test("of a message the machine gets what decides how following goes on", () => {
  const facts = (message) => factsOf(readMessage(JSON.stringify(message)));
  assert.deepEqual(factsOf(null), { content: "unreadable" });
  assert.deepEqual(facts({ type: "job_progress", epoch: 1, seq: 7, covers: 5, payload: {} }), { position: { epoch: 1, seq: 7 }, epoch: 1, covers: 5, content: "other" });
  assert.deepEqual(facts({ type: "job_progress", epoch: 1, seq: 0 }), { position: null, epoch: 1, covers: null, content: "other" });
  assert.equal(facts({ type: "error", epoch: 1, seq: 8, payload: {} }).content, "ended");
  const snapshot = { type: "reconnected", epoch: 2, payload: { lastSeq: 4, recovered: false } };
  assert.deepEqual(facts(snapshot), { position: null, epoch: 2, covers: null, content: { content: "snapshot", lastSeq: 4, isRecovered: false } });
});

test("a part that is loaded later is made once; of uses that wait the last is made, and a failure can be tried again", async () => {
  let [made, attempts] = [0, 0];
  const failures = [];
  const part = new Deferred(async () => {
    attempts += 1;
    if (attempts === 1) throw new Error("no network");
    return { number: (made += 1) };
  }, (failure) => failures.push(failure.message));
  const calls = [];
  part.use((one) => calls.push(one.number));
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual([failures, calls, part.made], [["no network"], [], null]);
  part.use(() => calls.push("first"));
  part.use((one) => calls.push(one.number));
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(calls, [1]);
  part.use((one) => calls.push(one.number));
  assert.deepEqual(calls, [1, 1]);
  assert.equal(made, 1);
});

test("a vehicle of a headway has a predicted time and no delay", () => {
  const departure = { scheduledDeparture: "2026-11-27T10:13:00Z", realtimeDeparture: "2026-11-27T10:06:40Z", rawDelaySec: null };
  assert.equal(delaySeconds(departure), -380);
  assert.equal(delaySeconds({ ...departure, certainty: "headway" }), null);
  assert.deepEqual([isRough({ ...departure, certainty: "headway" }), isRough({ certainty: "headway", realtimeDeparture: null })], [false, true]);
});
