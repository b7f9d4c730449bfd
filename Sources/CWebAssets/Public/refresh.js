// When the board is asked for again: one question at a time, one timer, and nothing while nobody looks.

import { RequestFailure } from "./api.js";
import { steadyClock } from "./clock.js";

const INTERVAL_SECONDS = 20;
const INTERVAL_JITTER_SECONDS = 2;
const BACKOFF_SECONDS = [2, 5, 10, 20];
const LONGEST_RETRY_AFTER_SECONDS = 3600;

export function nextInterval(random = Math.random()) {
  return INTERVAL_SECONDS + (random * 2 - 1) * INTERVAL_JITTER_SECONDS;
}

export function backoff(failures, retryAfter) {
  const step = BACKOFF_SECONDS[Math.min(failures, BACKOFF_SECONDS.length) - 1];
  return Math.max(step, Math.min(retryAfter ?? 0, LONGEST_RETRY_AFTER_SECONDS));
}

export class BoardRefresh {
  #generation = 0;
  #question = null;
  #inFlight = null;
  #timer = null;
  #dueAt = null;
  #notBefore = 0;
  #failures = 0;
  #paused = false;

  /** ask(question, signal); onAnswer(answer), onFailure(failure): worth another try; onRejected(failure): is not. */
  constructor({ ask, onAnswer, onFailure, onRejected }) {
    Object.assign(this, { ask, onAnswer, onFailure, onRejected });
  }

  /** Another stop, language or length: what is under way for the former question is dropped. */
  start(question) {
    this.stop();
    this.#question = question;
    this.#failures = 0;
    this.#notBefore = 0;
    this.#poll();
  }

  stop() {
    this.#generation += 1;
    this.#inFlight?.abort();
    this.#inFlight = null;
    this.#question = null;
    this.#unschedule();
  }

  /** A person asked: now, whatever the timer says. */
  refreshNow() {
    if (this.#question && !this.#inFlight) this.#poll();
  }

  pause() {
    this.#paused = true;
    this.#unschedule();
  }

  /** Somebody looks again: now, unless the server asked for more time. */
  resume() {
    this.#paused = false;
    if (!this.#question || this.#inFlight) return;
    this.#schedule(Math.max(0, (this.#notBefore - steadyClock.now()) / 1000));
  }

  /** Seconds until the next question; 0 while one is under way. */
  get secondsToNext() {
    return this.#dueAt == null ? 0 : Math.max(0, (this.#dueAt - steadyClock.now()) / 1000);
  }

  async #poll() {
    this.#unschedule();
    const generation = this.#generation;
    this.#inFlight = new AbortController();
    const outcome = await this.ask(this.#question, this.#inFlight.signal).catch((failure) => failure);
    if (generation !== this.#generation) return;
    this.#inFlight = null;
    this.#settle(outcome);
  }

  #settle(outcome) {
    if (!(outcome instanceof Error)) return this.#succeed(outcome);
    if (!(outcome instanceof RequestFailure)) throw outcome;
    if (outcome.kind === "rejected") return this.#reject(outcome);
    this.#fail(outcome);
  }

  #succeed(answer) {
    this.#failures = 0;
    this.#notBefore = 0;
    this.#schedule(nextInterval());
    this.onAnswer(answer);
  }

  #fail(failure) {
    this.#failures += 1;
    const wait = backoff(this.#failures, failure.retryAfter);
    if (failure.retryAfter) this.#notBefore = steadyClock.now() + wait * 1000;
    this.#schedule(wait);
    this.onFailure(failure);
  }

  #reject(failure) {
    this.stop();
    this.onRejected(failure);
  }

  #schedule(seconds) {
    this.#unschedule();
    if (this.#paused) return;
    this.#dueAt = steadyClock.now() + seconds * 1000;
    this.#timer = setTimeout(() => this.#poll(), seconds * 1000);
  }

  #unschedule() {
    clearTimeout(this.#timer);
    this.#timer = null;
    this.#dueAt = null;
  }
}
