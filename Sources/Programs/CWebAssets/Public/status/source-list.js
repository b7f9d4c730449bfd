// The realtime sources: their state, how old what they say is, and how much of it fits.

import { newElement, newSign, setAttribute, setText } from "../shared/dom.js";
import { duration } from "../shared/times.js";

const SIGNS = { good: "live", warning: "reduced", grave: "failing" };

/** How a source fares: `good`, `warning` or `grave`, and the name of the message that says it. */
export function verdictOn(source, now, { freshSec, staleSec }) {
  const age = source.sourceTime ? (now - Date.parse(source.sourceTime)) / 1000 : null;
  // Alerts are published seldom: that they are old says nothing.
  const limit = source.kind === "alerts" ? Infinity : staleSec;
  if (age === null) return { level: "grave", word: source.state === "failing" ? "stateFailing" : "stateSilent", age };
  if (age > limit) return { level: "grave", word: source.state === "failing" ? "stateFailing" : "stateStale", age };
  if (source.state === "failing") return { level: "warning", word: "stateFailing", age };
  const slow = source.kind === "alerts" ? Infinity : Math.max(freshSec, 2 * (source.periodSec ?? 0));
  if (age > slow) return { level: "warning", word: "stateLate", age };
  return { level: "good", word: "stateLive", age };
}

/** A source as it is named: with its number where there are several of its kind, with its feed where there are several. */
export function nameOf(source, { sources, timetables }, say) {
  const of = sources.filter(({ kind, feed }) => kind === source.kind && feed === source.feed).length;
  return [say(`kind-${source.kind}`), of > 1 ? String(source.number) : "", timetables.length > 1 ? `(${source.feed})` : ""].filter(Boolean).join(" ");
}

export class SourceList {
  #cards = [];

  constructor(list) {
    this.list = list;
  }

  /** @param {object} words - `say`, `number`. */
  show(status, words) {
    const { say, number } = words;
    this.#cards = status.sources.map((source) => {
      const root = newElement("li", "source");
      const title = newElement("div");
      const state = newElement("p", "source-state");
      const sign = newSign("live");
      const word = newElement("span");
      state.append(sign, word);
      title.append(newElement("h3", "", nameOf(source, status, say)), state);
      const age = newElement("p", "source-age");
      const facts = newElement("dl", "source-facts");
      const wanted = (source.matched ?? 0) + (source.unmatched ?? 0);
      const entries = [
        ["factEntities", source.entities == null ? "–" : number(source.entities)],
        ...(wanted > 0 ? [["factMatched", `${number((100 * source.matched) / wanted, 1)}\u00a0%`]] : []),
        ["factPeriod", source.periodSec ? duration(source.periodSec) : "–"],
        ["factPolls", `${number(source.pollsFailed)} / ${number(source.polls)}`],
      ];
      for (const [label, value] of entries) {
        const pair = newElement("div");
        pair.append(newElement("dt", "", say(label)), newElement("dd", "", value));
        facts.append(pair);
      }
      root.append(title, age, facts);
      if (source.lastError) root.append(newElement("p", "grave-text", source.lastError));
      return { source, root, age, word, sign };
    });
    this.list.replaceChildren(...this.#cards.map(({ root }) => root));
  }

  /** Every second: the ages grow. */
  tick(now, status, say) {
    for (const { source, root, age, word, sign } of this.#cards) {
      const verdict = verdictOn(source, now, status);
      setAttribute(root, "data-level", verdict.level);
      setText(word, say(verdict.word));
      setAttribute(sign.firstElementChild, "href", `#sign-${SIGNS[verdict.level]}`);
      const text = verdict.age === null ? "–" : duration(Math.max(0, verdict.age));
      if (age.dataset.text === text) continue;
      age.dataset.text = text;
      age.replaceChildren(text, newElement("small", "", say("ageOfSource")));
    }
  }
}
