// The page of jobs: starting them, following them to their end, and looking at what became of every row.

import { element } from "../shared/dom.js";
import { JobApi } from "./job-api.js";
import { JobCard } from "./job-card.js";
import { learnProblems } from "./job-problems.js";
import { expiryOf, JobRun } from "./job-run.js";
import { JobStart } from "./job-start.js";
import { keysAreOn } from "../shared/keys.js";
import { pressGuard } from "../shared/press-guard.js";
import { visitMemory } from "../shared/visit-memory.js";
import { begin, WorkPage } from "../shared/work-page.js";

/** The messages by language: one is loaded, and another when it is chosen. */
const MESSAGES = {
  fr: () => import("../messages/fr/jobs.js"),
  de: () => import("../messages/de/jobs.js"),
  it: () => import("../messages/it/jobs.js"),
  en: () => import("../messages/en/jobs.js"),
};
const KEPT = "jobs";
/** The jobs that are kept in a tab. */
const MOST_JOBS = 20;

class JobsPage extends WorkPage {
  #cards = [];
  #isByKeys = false;

  constructor(words) {
    super(words);
    this.api = new JobApi((time, took) => {
      const now = this.device.now();
      this.clock.learn(time, { askedAt: now - took, answeredAt: now });
    });
    this.startForm = new JobStart(this);
    // What is begun with a pointer or by dropping a file needs no ring around what comes of it.
    for (const name of ["keydown", "pointerdown", "drop"]) addEventListener(name, () => (this.#isByKeys = name === "keydown"), true);
    // The newest is first; it is added last.
    for (const job of keptJobs().reverse()) this.#add(job);
    this.speak();
  }

  // MARK: Jobs

  /** A job was started. */
  started(answer, name, pipeline) {
    const job = { id: answer.jobId, token: answer.token, tokenExpiry: expiryOf(answer), pipeline, name, isEndKnown: false };
    // The same key gives the same job again.
    const known = this.#cards.find(({ run }) => run.job.id === job.id);
    if (known) return known.focus(this.#isByKeys);
    const card = this.#add(job);
    while (this.#cards.length > MOST_JOBS) this.forget(this.#cards.at(-1));
    this.#keep();
    this.#showList();
    card.focus(this.#isByKeys);
  }

  #add(job) {
    const run = new JobRun(job, {
      api: this.api,
      onChange: () => pressGuard.run(card, () => card.show()),
      onKeep: () => this.#keep(),
      onEnd: () => this.#ended(card),
    });
    const card = new JobCard(run, this);
    this.#cards.unshift(card);
    element("jobs").prepend(card.root);
    card.speak();
    run.start();
    return card;
  }

  /** Announces the end of a job once, even if the page is reloaded. */
  #ended(card) {
    const { job } = card.run;
    if (job.isEndKnown) return;
    job.isEndKnown = true;
    this.#keep();
    this.announcer.say(`${card.name}: ${card.stateInWords()}`, { now: this.device.now(), urgent: true });
  }

  /** Removes a job from the page; it continues on the server. */
  forget(card) {
    card.run.stop();
    card.root.remove();
    this.#cards = this.#cards.filter((other) => other !== card);
    this.#keep();
    this.#showList();
  }

  #keep() {
    visitMemory.write(KEPT, this.#cards.map(({ run }) => run.job));
  }

  // MARK: Showing

  speak() {
    super.speak();
    document.title = this.say("jobsPage");
    this.startForm.speak();
    for (const card of this.#cards) card.speak();
    this.#showList();
    if (this.#cards.length > 0) this.learn();
  }

  /** Learns the words for what may go wrong, once there is something that may. */
  async learn() {
    const { language } = this;
    await learnProblems(language);
    // With another language chosen meanwhile, its phrases come last.
    if (language !== this.language) return this.learn();
    for (const card of this.#cards) card.speak();
  }

  #showList() {
    element("no-jobs").hidden = this.#cards.length > 0;
  }

  tick() {
    for (const card of this.#cards) card.tick();
  }

  #move(step) {
    const at = this.#cards.findIndex(({ root }) => root.contains(document.activeElement));
    const to = at < 0 ? (step > 0 ? 0 : this.#cards.length - 1) : Math.min(Math.max(at + step, 0), this.#cards.length - 1);
    this.#cards[to]?.root.focus();
  }

  actOf(event) {
    if (event.key === "ArrowDown") return () => this.#move(1);
    if (event.key === "ArrowUp") return () => this.#move(-1);
    if (!keysAreOn()) return null;
    return { o: () => this.startForm.choose(), "?": () => this.help() }[event.key] ?? null;
  }
}

/** The jobs of this tab, as far as they can be read. */
function keptJobs() {
  const kept = visitMemory.read(KEPT);
  if (!Array.isArray(kept)) return [];
  return kept.filter((job) => typeof job?.id === "string" && typeof job.token === "string" && typeof job.pipeline === "string").slice(0, MOST_JOBS);
}

begin(MESSAGES, async (words) => new JobsPage(await words));
