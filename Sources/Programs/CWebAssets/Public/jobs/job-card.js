// One job on the page: its progress, the transport of its events, its outcome and its results.

import { fromTemplate, newElement, partsOf, setAttribute, setSign, setText } from "../shared/dom.js";
import { saveFile } from "./failed-rows.js";
import { JobRefusal } from "./job-api.js";
import { failureInWords } from "./job-problems.js";
import { JobResults, OUTCOMES, outcomeInWords } from "./job-results.js";
import { duration } from "../shared/times.js";

const SIGNS = { queued: "loading", running: "live", canceling: "loading", succeeded: "done", failed: "failing", canceled: "reduced", gone: "failing" };
const MARKS = { failed: "grave", needs_review: "mild" };
const OVER = { expired: "gone", unknownJob: "gone", unauthorized: "gone" };

export class JobCard {
  #trouble = "";
  #isForgetting = false;

  /**
   * @param {object} run - The `JobRun`.
   * @param {object} page - `say()`, `locale`, `clock`, `forget(card)`.
   */
  constructor(run, page) {
    this.run = run;
    this.page = page;
    this.root = fromTemplate("job-template");
    this.parts = partsOf(this.root);
    this.results = new JobResults(this.parts, (question) => this.#page(question));
    const acts = {
      cancel: () => this.#cancel(),
      results: () => {
        this.results.toggle();
        this.show();
      },
      failed: () => this.#saveFailed(),
      previous: () => this.results.previous(),
      next: () => this.results.next(),
      forget: () => this.#forget(),
    };
    this.root.addEventListener("click", (event) => {
      const act = event.target.closest("button[data-act]")?.dataset.act;
      if (!act) return;
      if (act !== "forget") this.#isForgetting = false;
      acts[act]();
    });
  }

  /** Moves the focus to the job; `isByKeys`: whether to show a focus ring. */
  focus(isByKeys) {
    this.parts.title.classList.toggle("ringless", !isByKeys);
    this.parts.title.focus();
  }

  get name() {
    const { pipeline, name } = this.run.job;
    return this.page.say("jobNamed", { pipeline: this.page.say(`pipeline-${pipeline}`), name });
  }

  /** The state to display: `gone` if the job has expired, is unknown or may not be read. */
  get state() {
    return OVER[this.run.ending] ?? this.run.state;
  }

  stateInWords() {
    const { say } = this.page;
    if (this.run.ending in OVER) return say(`ending-${this.run.ending}`);
    return this.run.state in SIGNS ? say(`job-${this.run.state}`) : this.run.state;
  }

  speak() {
    const { parts, page } = this;
    for (const name of ["cancel", "results", "failed", "forget"]) setText(parts[name], page.say(`do-${name}`));
    this.results.speak(page.say, page.locale, this.run.completion?.counts ?? []);
    this.show();
  }

  show() {
    const { run, parts, page } = this;
    const { say } = page;
    setAttribute(this.root, "data-state", this.state);
    setAttribute(this.root, "data-job", run.job.id);
    setSign(parts.sign, SIGNS[this.state] ?? "loading");
    setText(parts.stateword, this.stateInWords());
    setText(parts.title, this.name);
    this.#showProgress();
    const counts = inOrder(run.completion?.counts ?? []);
    this.#showCounts(counts);
    const trouble = this.#isForgetting ? say("forgetWarning") : this.#trouble || this.#failure();
    parts.trouble.hidden = trouble === "";
    setText(parts.trouble, trouble);
    const isGone = this.state === "gone";
    parts.cancel.hidden = run.isOver;
    parts.cancel.disabled = run.state === "canceling";
    setText(parts.forget, say(this.#isForgetting ? "do-forgetNow" : "do-forget"));
    parts.results.hidden = !run.isOver || isGone || !this.#hasResults;
    setAttribute(parts.results, "aria-expanded", this.results.isOpen);
    parts.failed.hidden = isGone || !(run.job.pipeline === "csv_import" && counts.some(([outcome]) => outcome === "failed"));
    if (isGone) parts.pages.hidden = true;
    this.tick();
  }

  /** Every row is in one of the counts: as a strip, and in words. */
  #showCounts(counts) {
    const { parts, page } = this;
    const { say, locale } = page;
    parts.counts.hidden = parts.shares.hidden = counts.length === 0;
    const marks = counts.map(([outcome, count]) => `${count.toLocaleString(locale)} ${outcomeInWords(outcome, say, count)}`);
    if (parts.counts.dataset.written === String(marks)) return;
    parts.counts.dataset.written = String(marks);
    parts.counts.replaceChildren(...counts.map(([outcome], index) => newElement("li", `mark ${MARKS[outcome] ?? "quiet"}`, marks[index])));
    parts.shares.replaceChildren(...counts.map(([outcome, count]) => {
      const share = newElement("span", "");
      share.dataset.outcome = outcome;
      share.style.flexGrow = count;
      return share;
    }));
    this.results.speak(say, locale, counts);
  }

  #failure() {
    return failureInWords(this.run.completion?.failure, this.page.say);
  }

  #showProgress() {
    const { run, parts, page } = this;
    const { processed, total, current, sentence } = run.progress;
    const isCounted = total !== null && total > 0 && processed !== null;
    // The bar says what the numbers say; the server's share also counts what is done before and after them.
    const fraction = isCounted && !run.isOver ? Math.min(Math.max(processed / total, 0), 1) : run.progress.fraction;
    if (fraction === null) parts.bar.removeAttribute("value");
    else parts.bar.value = fraction;
    parts.bar.closest(".progress-line").hidden = run.isOver;
    setAttribute(parts.bar, "aria-label", this.name);
    setText(parts.percent, fraction === null ? "" : new Intl.NumberFormat(page.locale, { style: "percent" }).format(Math.floor(fraction * 100) / 100));
    const count = (number) => number.toLocaleString(page.locale);
    const done = isCounted ? page.say("processedOf", { processed: count(processed), total: count(total) }) : sentence ?? "";
    setText(parts.step, run.isOver ? this.#endInWords(count) : [done, current].filter(Boolean).join(" · "));
  }

  /** How many came out well, of how many; where it stopped, how far it came. */
  #endInWords(count) {
    const { completion, job, progress } = this.run;
    if (!(completion?.total > 0)) return "";
    const successes = completion.successes ?? 0;
    const isStopped = completion.isPartial && progress.total > 0;
    const name = !isStopped ? (completion.isPartial ? "endedPartial" : "endedOf") : job.pipeline === "csv_import" ? "stoppedRows" : "stoppedItems";
    const handled = Math.max(progress.processed ?? 0, completion.total);
    return this.page.say(name, { count: successes, successes: count(successes), total: count(isStopped ? progress.total : completion.total), processed: count(handled) });
  }

  /** Whether there is anything to look at: a job that failed before its first row has no results. */
  get #hasResults() {
    const total = this.run.completion?.total ?? null;
    return total === null ? this.run.state !== "failed" : total > 0;
  }

  /** What changes by time alone. */
  tick() {
    const { run, parts, page } = this;
    const age = run.heardAt === null ? null : duration((performance.now() - run.heardAt) / 1000);
    const heard = run.isOver ? "" : [page.say(run.isLive ? `by-${run.transport}` : "by-none"), age && page.say("updatedAgo", { age })].filter(Boolean).join(" · ");
    setText(parts.heard, heard);
    const expiry = run.completion?.expiresAt ?? null;
    const left = expiry === null ? null : (expiry - page.clock.now()) / 1000;
    const isHinted = left !== null && this.state !== "gone" && this.#hasResults;
    // A hint only: whether they are gone, the server says.
    setText(parts.expiry, isHinted ? (left > 0 ? page.say("keptFor", { span: duration(left) }) : page.say("perhapsGone")) : "");
  }

  // MARK: What a person does

  /** Removes the job from the page. For a job that is not over, the first press only shows that it continues. */
  #forget() {
    if (this.run.isOver || this.#isForgetting) return this.page.forget(this);
    this.#isForgetting = true;
    this.show();
  }

  async #cancel() {
    await this.#trying(() => this.run.cancel());
  }

  async #saveFailed() {
    const file = await this.#trying(() => this.page.api.failedRows(this.run.job));
    if (file) saveFile(file);
  }

  #page(question) {
    return this.#trying(() => this.page.api.results(this.run.job, question));
  }

  /** Does something; with a new token if the old one is refused. `null` if it was not done, and the card says why. */
  async #trying(act) {
    this.#trouble = "";
    try {
      return await act().catch(async (failure) => {
        if (failure.status !== 401) throw failure;
        await this.run.renew();
        return act();
      });
    } catch (failure) {
      const { say } = this.page;
      if (failure.status === 410) this.run.markGone();
      else if (failure instanceof JobRefusal) this.#trouble = failureInWords({ code: failure.code, message: failure.detail }, say) || say("failedServer", { status: failure.status });
      else this.#trouble = say(failure?.name === "TimeoutError" ? "failedTimeout" : "failedUnreachable");
      return null;
    } finally {
      this.show();
    }
  }
}

/** The counts in display order, with unknown outcomes last. */
function inOrder(counts) {
  const rank = ([outcome]) => (OUTCOMES.indexOf(outcome) + OUTCOMES.length + 1) % (OUTCOMES.length + 1);
  return [...counts].sort((one, other) => rank(one) - rank(other));
}
