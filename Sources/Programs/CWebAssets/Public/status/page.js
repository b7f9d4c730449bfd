// The page of the server's status: what serves now, how the sources fare, how punctual the lines are.

import { element, newElement, partsOf, setAttribute, setSign, setText } from "../shared/dom.js";
import { freshnessLine } from "../shared/freshness-line.js";
import { Engine } from "../engine/freshness.js";
import { HistoryPoints } from "./history-points.js";
import { keysAreOn } from "../shared/keys.js";
import { delayInWords, missingLines, worstLines } from "./line-list.js";
import { LiveResource } from "../engine/live-resource.js";
import { matchCard, timetableCard, verdictOnTimetable } from "./match-list.js";
import { nextQuestion } from "../engine/next-question.js";
import { Plots } from "./plots.js";
import { nameOf, SourceList, verdictOn } from "./source-list.js";
import { statusSource } from "./status-source.js";
import { begin, WorkPage } from "../shared/work-page.js";

const WASM = "/assets/freshness.wasm";
/** The messages by language: one is loaded, and another when it is chosen. */
const MESSAGES = {
  fr: () => import("../messages/fr/status.js"),
  de: () => import("../messages/de/status.js"),
  it: () => import("../messages/it/status.js"),
  en: () => import("../messages/en/status.js"),
};
/** The rhythm of the stream's heartbeats on the server. */
const POLICY = { preset: "workspaces", push: { heartbeat: 15_000 } };
const SIGNS = { live: "live", ageing: "live", reduced: "reduced", stale: "reduced", kept: "reduced", loading: "loading", offline: "offline", failing: "failing" };
const LEVELS = ["good", "warning", "grave"];
const LEVEL_SIGNS = { good: "done", warning: "reduced", grave: "failing" };

class StatusPage extends WorkPage {
  #shownState = null;
  #level = null;

  constructor(engine, words) {
    super(words);
    this.root = element("status-page");
    this.parts = partsOf(this.root);
    this.sources = new SourceList(this.parts.sources);
    this.plots = new Plots(this.parts.plots);
    this.points = new HistoryPoints(() => this.#showPlots());
    const onReceived = (received) => this.clock.learnFrom(received);
    this.live = new LiveResource(statusSource(), { engine, policy: POLICY, device: this.device, onChange: () => this.#show(), onReceived });
    this.parts.refresh.addEventListener("click", () => this.#refresh());
    for (const button of this.root.querySelectorAll("[data-range]")) button.addEventListener("click", () => this.#choose(button.dataset.range));
    this.speak();
    this.live.watch({});
  }

  #refresh() {
    this.live.refresh();
    if (this.live.body) this.points.ask();
  }

  #choose(range) {
    for (const button of this.root.querySelectorAll("[data-range]")) setAttribute(button, "aria-pressed", String(button.dataset.range === range));
    this.points.choose(range);
  }

  actOf(event) {
    if (!keysAreOn()) return null;
    return { r: () => this.#refresh(), "?": () => this.help() }[event.key] ?? null;
  }

  speak() {
    super.speak();
    document.title = this.say("statusPage");
    this.#show();
    this.#showPlots();
  }

  get #words() {
    const status = this.live.body;
    return {
      say: this.say,
      locale: this.locale,
      number: (value, digits = 0) => Number(value).toLocaleString(this.locale, { minimumFractionDigits: digits, maximumFractionDigits: digits }),
      feedsAreSeveral: (status?.timetables.length ?? 0) > 1,
      zone: status?.timetables[0]?.timezone ?? "UTC",
      staleSec: status?.staleSec ?? 180,
      now: this.#now,
    };
  }

  /** The server's time: that of its report, and what has passed since. */
  get #now() {
    const status = this.live.body;
    const age = this.live.appearance()?.label.age ?? 0;
    return status ? Date.parse(status.servedAt) + age : this.clock.now();
  }

  // MARK: Showing

  #show() {
    const status = this.live?.body;
    if (status) {
      const words = this.#words;
      this.points.begin(this.#now);
      this.sources.show(status, words);
      this.parts.nosources.hidden = status.sources.length > 0;
      const worst = status.today.flatMap((today) => today.worst).sort((one, other) => (one.punctualPercent ?? 100) - (other.punctualPercent ?? 100));
      const missing = status.today.flatMap((today) => today.missing).sort((one, other) => other.tripsMissing - one.tripsMissing);
      this.parts.worst.replaceChildren(worstLines(worst, words));
      this.parts.missing.replaceChildren(missingLines(missing, words));
      // For other realtime, the list of sources shows the share that matches.
      const matches = status.matches.filter(({ received }) => received > 0).map((match) => matchCard(match, words));
      this.parts.matches.replaceChildren(...(matches.length > 0 ? matches : [newElement("p", "soft", this.say("noMatches"))]));
      this.parts.timetables.replaceChildren(...status.timetables.map((timetable) => timetableCard(timetable, words)));
      this.#showTiles(status, words);
    }
    this.tick();
  }

  #showTiles(status, { number }) {
    const { say } = this;
    const sum = (name) => status.today.reduce((total, { total: counts }) => total + counts[name], 0);
    const predicted = sum("predicted");
    const observed = sum("departures") - sum("unobserved");
    const percent = (part, whole) => (whole > 0 ? [number((100 * part) / whole, 1), "%"] : ["–", ""]);
    const medians = status.today.map(({ total }) => total.medianDelaySec).filter((value) => value != null);
    const tiles = status.today.length === 0 ? [] : [
      [say("tilePunctual"), percent(sum("onTime") + sum("upTo3"), predicted), say("tilePunctualNote", { count: number(predicted) })],
      [say("tileMedian"), [medians.length === 1 ? delayInWords(medians[0]) : "–", "min"], say("tileMedianNote", { delay: delayInWords(status.today[0].total.p90DelaySec) })],
      [say("tileCovered"), percent(observed - sum("unpredicted"), observed), say("tileCoveredNote", { count: number(observed) })],
      [say("tileMissing"), [number(sum("tripsMissing")), ""], say("tileMissingNote", { count: number(sum("trips")), cancelled: number(sum("tripsCancelled")) })],
    ];
    this.parts.tiles.replaceChildren(...tiles.map(([name, [value, unit], note]) => {
      const tile = newElement("div", "tile");
      const number = newElement("dd", "", value);
      if (unit && value !== "–") number.append("\u00a0", newElement("small", "", unit));
      tile.append(newElement("dt", "", name), number, newElement("dd", "tile-note", note));
      return tile;
    }));
  }

  #showPlots() {
    const known = this.points?.known;
    const { nohistory, plots } = this.parts;
    const isShown = Boolean(known?.series);
    plots.hidden = !isShown;
    nohistory.hidden = isShown || !known;
    if (known && !isShown) setText(nohistory, this.say(known.isOff ? "historyOff" : "historyFails"));
    if (isShown) this.plots.show(known, this.#words);
  }

  tick() {
    const status = this.live?.body;
    if (status) {
      this.points.begin(this.#now);
      this.sources.tick(this.#now, status, this.say);
      this.#showVerdict(status);
    }
    this.#showFreshness();
  }

  /** What an operator has to know before anything else. */
  #showVerdict(status) {
    const { say } = this;
    const verdicts = status.sources.map((source) => ({ source, ...verdictOn(source, this.#now, status) }));
    const bad = verdicts.filter(({ level }) => level !== "good");
    const warnings = [
      ...bad.map(({ source, word }) => ["grave", `${nameOf(source, status, say)}: ${say(word)}${source.lastError ? ` – ${source.lastError}` : ""}`]),
      ...status.matches.filter((match) => match.status !== "ok").map((match) => ["warning", say(`match-${match.status}`)]),
      ...status.timetables.filter((one) => verdictOnTimetable(one) !== "good").map((one) => [verdictOnTimetable(one), one.daysLeft < 0 ? say("timetableOver") : say("timetableEnds", { count: one.daysLeft, days: one.daysLeft })]),
      ...status.timetables.filter(({ held }) => held).map(() => ["warning", say("timetableHeld")]),
      ...status.timetables.filter(({ source }) => source && source.state !== "ok").map(({ source }) => ["warning", say(source.state === "refused" ? "sourceRefused" : "verdictStatic")]),
      ...(status.timetables.length === 0 ? [["grave", say("failedNoTimetable")]] : []),
      ...(status.history && !status.history.isWritten ? [["warning", say("historyNotWritten")]] : []),
    ];
    const levels = [...verdicts.map(({ level }) => level), ...warnings.slice(bad.length).map(([level]) => level)];
    const level = LEVELS.findLast((one) => levels.includes(one)) ?? "good";
    const good = status.sources.length === 0 ? say("verdictTimetable") : say("verdictGood", { count: status.sources.length });
    const text = warnings.length === 0 ? good : bad.length > 0 ? say("verdictSources", { count: bad.length, all: status.sources.length }) : say("verdictWarning");
    this.parts.verdict.hidden = false;
    setAttribute(this.parts.verdict, "data-level", level);
    setSign(this.parts.verdictsign, LEVEL_SIGNS[level]);
    setText(this.parts.verdicttext, text);
    const written = warnings.map(([, sentence]) => sentence).join("\n");
    if (this.parts.warnings.dataset.written !== written) {
      this.parts.warnings.dataset.written = written;
      this.parts.warnings.replaceChildren(...warnings.map(([, sentence]) => newElement("li", "", sentence)));
    }
    if (this.#level !== null && this.#level !== level) this.announcer.say(text, { now: this.device.now(), urgent: level === "grave" });
    this.#level = level;
  }

  #showFreshness() {
    const appearance = this.live?.appearance();
    if (!appearance) return;
    const steady = this.device.now();
    const retryIn = appearance.nextCause === "outstanding" ? 0 : nextQuestion({ appearance, now: steady }).wait;
    const { problem } = this.live.failure ?? {};
    const line = freshnessLine({ appearance, problem, retryIn, saved: null, shownAt: null, zone: null }, this.say);
    setAttribute(this.root, "data-state", line.state);
    setSign(this.parts.sign, SIGNS[line.state] ?? "loading");
    setText(this.parts.state, line.title);
    setText(this.parts.detail, line.detail);
    if (this.#shownState !== line.state) {
      const isChange = this.#shownState !== null && ["failing", "offline"].some((one) => one === line.state || one === this.#shownState);
      this.#shownState = line.state;
      if (isChange) this.announcer.say(line.title, { now: steady, urgent: true });
    }
  }
}

begin(MESSAGES, async (words) => {
  const [engine, loaded] = await Promise.all([Engine.load(fetch(WASM)), words]);
  return new StatusPage(engine, loaded);
});
