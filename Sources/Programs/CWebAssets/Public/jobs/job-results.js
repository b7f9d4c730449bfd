// The results of a job, page by page, as a table.

import { newElement, setText } from "../shared/dom.js";
import { remarkInWords } from "./job-problems.js";

/** The classes of the columns. */
const NAMES = ["line", "outcome", "title", "author", "isbn", "problems"].map((name) => `result-${name}`);
/** The outcomes in display order. */
export const OUTCOMES = ["imported", "updated", "duplicate", "removed", "blank", "enriched", "approved", "needs_review", "failed"];

const FIRST = { after: -1, before: 0 };

export class JobResults {
  /** Where the pages before this one, and this one, begin: the result before, and how many there are before. */
  #starts = [FIRST];
  #next = null;
  #answer = null;
  #number = 0;

  /**
   * @param {object} parts - The parts of the card.
   * @param {Function} ask - Asks for a page: `ask({ after, outcome })`.
   */
  constructor(parts, ask) {
    this.parts = parts;
    this.ask = ask;
    parts.outcome.addEventListener("change", () => {
      this.#starts = [FIRST];
      this.show();
    });
  }

  /** A number as people of the language write it. */
  count(number) {
    return Number.isFinite(number) ? number.toLocaleString(this.locale) : "?";
  }

  get isOpen() {
    return !this.parts.pages.hidden;
  }

  toggle() {
    this.parts.pages.hidden = this.isOpen;
    if (this.isOpen && this.#answer === null) this.show();
  }

  next() {
    if (this.#next === null) return;
    const { before } = this.#starts.at(-1);
    this.#starts.push({ after: this.#next, before: before + this.#items.length });
    this.show();
  }

  previous() {
    if (this.#starts.length < 2) return;
    this.#starts.pop();
    this.show();
  }

  /** Asks for the page that it shows. */
  async show() {
    const { parts, say } = this;
    const number = (this.#number += 1);
    setText(parts.place, say("loading"));
    const answer = await this.ask({ after: this.#starts.at(-1).after, outcome: parts.outcome.value });
    // A later page was requested since; or the card already shows why the page is missing.
    if (number !== this.#number) return;
    if (answer === null) return setText(parts.place, "");
    this.#answer = answer;
    this.#next = Number.isSafeInteger(answer.next) ? answer.next : null;
    this.#draw();
  }

  speak(say, locale, counts) {
    this.say = say;
    this.locale = locale;
    const { parts } = this;
    setText(parts.outcomelabel, say("outcome"));
    setText(parts.previous, say("previousPage"));
    setText(parts.next, say("nextPage"));
    parts.scroll.setAttribute("aria-label", say("results"));
    const known = OUTCOMES.filter((outcome) => counts.some(([name]) => name === outcome));
    const written = `${say("outcome-all")} ${known}`;
    if (parts.outcome.dataset.written !== written) {
      parts.outcome.dataset.written = written;
      const chosen = parts.outcome.value;
      parts.outcome.replaceChildren(new Option(say("outcome-all"), ""), ...known.map((outcome) => new Option(outcomeInWords(outcome, say, 2), outcome)));
      parts.outcome.value = known.includes(chosen) ? chosen : "";
    }
    this.columns = ["columnLineNumber", "outcome", "bookTitle", "bookAuthor", "bookISBN", "problems"].map((name) => say(name));
    parts.columns.replaceChildren(...this.columns.map((name) => {
      const cell = newElement("th", "", name);
      cell.scope = "col";
      cell.setAttribute("role", "columnheader");
      return cell;
    }));
    this.#draw();
  }

  get #items() {
    return Array.isArray(this.#answer?.items) ? this.#answer.items : [];
  }

  #draw() {
    const { parts, say } = this;
    parts.previous.disabled = this.#starts.length < 2;
    parts.next.disabled = this.#next === null;
    if (this.#answer === null) return;
    const items = this.#items;
    parts.rows.replaceChildren(...items.map((item) => rowOf(item, this)));
    const first = this.#starts.at(-1).before + 1;
    setText(parts.place, items.length === 0 ? say("noResults") : say("resultsPlace", { first: this.count(first), last: this.count(first + items.length - 1), total: this.count(this.#answer.total) }));
  }
}

/** The word for an outcome, of one row or of so many. */
export function outcomeInWords(outcome, say, count = 1) {
  return OUTCOMES.includes(outcome) ? say(`outcome-${outcome}`, { count }) : outcome;
}

/** A line for an item; what it does not have stays empty. */
function rowOf(item, { say, columns, locale }) {
  const value = item?.value ?? {};
  const found = typeof value.enriched === "object" && value.enriched !== null ? value.enriched : {};
  const row = document.createElement("tr");
  const problems = (Array.isArray(item?.problems) ? item.problems : []).map((problem) => remarkInWords(problem ?? {}, say));
  const sure = Number.isFinite(value.confidence) ? [new Intl.NumberFormat(locale, { style: "percent" }).format(value.confidence)] : [];
  const cells = [
    item?.line ?? (Number.isSafeInteger(item?.number) ? item.number + 1 : ""),
    [outcomeInWords(item?.outcome ?? "", say), ...sure].join(" · "),
    value.title ?? found.title,
    textOf(value.author ?? value.authors ?? found.authors),
    value.isbn ?? found.isbn,
    problems.join("; "),
  ];
  // Where the columns do not fit, their lines are stacked, with the names of the columns.
  row.setAttribute("role", "row");
  if (OUTCOMES.includes(item?.outcome)) row.dataset.outcome = item.outcome;
  row.append(...cells.map((cell, index) => {
    const node = newElement("td", NAMES[index], cell == null ? "" : String(cell));
    node.setAttribute("role", "cell");
    node.dataset.column = columns[index];
    return node;
  }));
  return row;
}

function textOf(value) {
  return Array.isArray(value) ? value.join(", ") : value;
}
