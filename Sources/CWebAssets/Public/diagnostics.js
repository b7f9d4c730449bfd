// The panel that shows how a board is kept fresh: what was asked, what came, what comes next and why.

import { AgePlot } from "./age-plot.js";
import { element, newButton, newElement, newSign, nameControl, setText } from "./dom.js";
import { clockTimeToSecond, dataSize, duration } from "./moments.js";
import { nextQuestion } from "./next-question.js";
import { recordLine } from "./sample-record.js";

export class Diagnostics {
  #root = element("diagnostics");
  #facts = newElement("dl", "facts");
  #plot = new AgePlot();
  #body = document.createElement("tbody");
  #drawn = null;

  constructor(page) {
    this.page = page;
    const head = newElement("div", "diagnostics-head");
    this.title = newElement("h2", "");
    this.save = newButton("", "", () => this.#export());
    this.hide = newButton("plain", "", () => this.toggle());
    this.hide.append(newSign("close"));
    head.append(this.title, this.save, this.hide);
    this.table = newElement("table", "samples");
    this.head = newElement("tr", "");
    const thead = document.createElement("thead");
    thead.append(this.head);
    this.table.append(thead, this.#body);
    this.scroll = newElement("div", "samples-scroll");
    this.scroll.tabIndex = 0;
    this.scroll.setAttribute("role", "region");
    this.scroll.append(this.table);
    this.#root.append(head, this.#facts, this.#plot.root, this.scroll);
    element("diagnostics-open").addEventListener("click", () => {
      element("settings").close();
      this.toggle();
    });
  }

  toggle() {
    this.#root.hidden = !this.#root.hidden;
    document.documentElement.toggleAttribute("data-diagnostics", !this.#root.hidden);
    this.speak();
    if (!this.#root.hidden) this.save.focus();
  }

  speak() {
    const { say } = this.page;
    setText(this.title, say("diagnostics"));
    setText(this.save, say("exportSamples"));
    nameControl(this.hide, say("close"));
    this.scroll.setAttribute("aria-label", say("samples"));
    this.head.replaceChildren(...["sampleTime", "sampleAnswer", "sampleDuration", "sampleBytes", "sampleAge", "sampleStatus"].map((name) => {
      const cell = newElement("th", "", say(name));
      cell.scope = "col";
      return cell;
    }));
    this.#plot.speak(say);
    this.#drawn = null;
    this.tick();
  }

  /** Every second. */
  tick() {
    if (this.#root.hidden) return;
    const facts = this.page.panes[0]?.live.diagnostics();
    if (!facts) return;
    this.#showFacts(facts);
    this.#plot.show(facts);
    if (this.#drawn === facts.ring) return;
    this.#drawn = facts.ring;
    this.#body.replaceChildren(...[...facts.ring].reverse().map((record) => this.#row(record)));
  }

  #showFacts(facts) {
    const { say } = this.page;
    const { counters, policy } = facts;
    const next = nextQuestion(facts);
    const wait = next.wait === null ? "–" : duration(next.wait / 1000);
    const entries = [
      ["factNext", `${wait} · ${next.rule} ${say(`cause-${next.cause}`)}`],
      ["factCadence", `${policy.active / 1000} s`],
      ["factRequests", `${counters.requests} · ${say("factUnchanged", { percent: counters.unchangedPercent })}`],
      ["factBytes", dataSize(counters.bytes, this.page.locale, say)],
      ["factGuards", say("factGuardsOf", counters)],
      ["factNotes", facts.notes.join(", ") || "–"],
    ];
    if (this.#facts.children.length !== entries.length * 2) {
      this.#facts.replaceChildren(...entries.flatMap(() => [document.createElement("dt"), document.createElement("dd")]));
    }
    entries.forEach(([name, value], index) => {
      setText(this.#facts.children[2 * index], say(name));
      setText(this.#facts.children[2 * index + 1], value);
    });
  }

  /** A sample in the words of the page, at the time of day of its board. */
  #row(record) {
    const { say, locale } = this.page;
    const pane = this.page.panes[0];
    const time = clockTimeToSecond(pane.clock.at(record.startedAt - pane.live.origin), pane.zone);
    const row = document.createElement("tr");
    const answer = `${record.status || "–"} ${say(`outcome-${record.outcome}`)}`;
    const age = record.ageMs === null ? "–" : duration(record.ageMs / 1000);
    const status = record.rtStatus === null ? "–" : say(`status-${record.rtStatus}`);
    const cells = [time, answer, `${record.durationMs}\u00a0ms`, dataSize(record.bytes, locale, say), age, status];
    row.append(...cells.map((text) => newElement("td", "", text)));
    return row;
  }

  /** One line for each sample, as native clients write them. */
  #export() {
    const { records } = this.page.panes[0].live.diagnostics();
    const file = new Blob(records.map((record) => `${recordLine(record)}\n`), { type: "application/jsonl" });
    const link = document.createElement("a");
    link.href = URL.createObjectURL(file);
    link.download = `freshness-web-${new Date().toISOString().replaceAll(":", "").slice(0, 15)}.jsonl`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
  }
}
