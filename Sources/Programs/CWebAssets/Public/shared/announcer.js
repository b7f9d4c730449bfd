// What a screen reader is told without being asked: politely, not often, and only what matters.

import { element, setText } from "./dom.js";

const LEAST_GAP_MS = 20_000;

/** Says one thing after the other. What is `urgent` does not wait for the gap. */
export class Announcer {
  #last = -LEAST_GAP_MS;
  #node = element("announcement");

  say(sentence, { now, urgent = false }) {
    if (!sentence || (!urgent && now - this.#last < LEAST_GAP_MS)) return false;
    this.#last = now;
    setText(this.#node, sentence);
    return true;
  }
}
