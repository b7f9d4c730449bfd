// The diagnostics of a resource as elements: facts, and a table of the last samples. The page supplies texts and formats.

import { nextQuestion } from "./next-question.js";
import { recordLine } from "./sample-record.js";

const COLUMNS = ["sampleTime", "sampleAnswer", "sampleDuration", "sampleBytes", "sampleAge", "sampleStatus"];

function newElement(name, className, text = "") {
  const node = document.createElement(name);
  if (className) node.className = className;
  node.textContent = text;
  return node;
}

function setText(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

export class DiagnosticsView {
  #body = document.createElement("tbody");
  #head = newElement("tr", "");
  #drawn = null;
  facts = newElement("dl", "facts");
  samples = newElement("div", "samples-scroll");

  constructor() {
    const table = newElement("table", "samples");
    const thead = document.createElement("thead");
    thead.append(this.#head);
    table.append(thead, this.#body);
    this.samples.tabIndex = 0;
    this.samples.setAttribute("role", "region");
    this.samples.append(table);
  }

  /** Sets the texts of the headings. */
  speak(say) {
    this.samples.setAttribute("aria-label", say("samples"));
    this.#head.replaceChildren(...COLUMNS.map((name) => {
      const cell = newElement("th", "", say(name));
      cell.scope = "col";
      return cell;
    }));
    this.#drawn = null;
  }

  /**
   * @param {object} facts - As of `LiveResource.diagnostics`.
   * @param {object} format - `say(name, values)`, `duration(seconds)`, `dataSize(bytes)`, `time(record)`.
   */
  show(facts, format) {
    const { say, duration, dataSize } = format;
    const { counters, policy } = facts;
    const next = nextQuestion(facts);
    const wait = next.wait === null ? "–" : duration(next.wait / 1000);
    const entries = [
      ["factNext", `${wait} · ${next.rule} ${say(`cause-${next.cause}`)}`],
      ["factCadence", `${policy.active / 1000} s`],
      ["factRequests", `${counters.requests} · ${say("factUnchanged", { percent: counters.unchangedPercent })}`],
      ["factBytes", dataSize(counters.bytes)],
      ["factGuards", say("factGuardsOf", counters)],
      ["factNotes", facts.notes.join(", ") || "–"],
    ];
    if (this.facts.children.length !== entries.length * 2) {
      this.facts.replaceChildren(...entries.flatMap(() => [document.createElement("dt"), document.createElement("dd")]));
    }
    entries.forEach(([name, value], index) => {
      setText(this.facts.children[2 * index], say(name));
      setText(this.facts.children[2 * index + 1], value);
    });
    if (this.#drawn === facts.ring) return;
    this.#drawn = facts.ring;
    this.#body.replaceChildren(...[...facts.ring].reverse().map((record) => row(record, format)));
  }
}

function row(record, { say, duration, dataSize, time }) {
  const answer = `${record.status || "–"} ${say(`outcome-${record.outcome}`)}`;
  const age = record.ageMs === null ? "–" : duration(record.ageMs / 1000);
  const status = record.rtStatus === null ? "–" : say(`status-${record.rtStatus}`);
  const cells = [time(record), answer, `${record.durationMs}\u00a0ms`, dataSize(record.bytes), age, status];
  const line = document.createElement("tr");
  line.append(...cells.map((text) => newElement("td", "", text)));
  return line;
}

/** Saves records as a file, one line for each, as native clients write them. */
export function saveRecords(records) {
  const file = new Blob(records.map((record) => `${recordLine(record)}\n`), { type: "application/jsonl" });
  const link = document.createElement("a");
  link.href = URL.createObjectURL(file);
  link.download = `freshness-web-${new Date().toISOString().replaceAll(":", "").slice(0, 15)}.jsonl`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
