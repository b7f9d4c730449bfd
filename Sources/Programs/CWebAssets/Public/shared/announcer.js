// Unprompted screen reader announcements: polite, rate-limited, and only for important changes.

import { element, setText } from "./dom.js";

const LEAST_GAP_MS = 20_000;

/** Announces at most one sentence per gap and drops the others. `urgent` sentences ignore the gap. */
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
