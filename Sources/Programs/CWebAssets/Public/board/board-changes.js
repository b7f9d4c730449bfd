// What changed on a board, in words.

import { delayMinutes, isOff, lineName } from "./departure.js";
import { remarksOf } from "./rows.js";

const MOST_SENTENCES = 3;

/** What changed for people between two boards: cancelled, moved to another platform, later or earlier; `context` is that of `remarksOf`. */
export function changesInWords(before, after, context) {
  const { say } = context;
  const known = new Map(before.map((departure) => [departure.key, departure]));
  const changed = after.filter((departure) => known.has(departure.key) && isChange(known.get(departure.key), departure));
  const sentences = changed.slice(0, MOST_SENTENCES).map((departure) => sentence(departure, context));
  const rest = changed.length - sentences.length;
  return [...sentences, rest > 0 ? say("moreChanges", { count: rest }) : null].filter(Boolean).join(". ");
}

function isChange(before, after) {
  if (isOff(before) !== isOff(after)) return true;
  if (after.platformChanged && before.platform !== after.platform) return true;
  return Math.abs((delayMinutes(after) ?? 0) - (delayMinutes(before) ?? 0)) >= 2;
}

function sentence(departure, context) {
  const { say } = context;
  const remarks = remarksOf(departure, context).map(({ text, name }) => name ?? text).join(", ");
  return say("changeOf", { line: lineName(departure.line), destination: departure.destination ?? "", remarks: remarks || say("onTime") });
}
