// Which departures of a board are shown, and in which order. Pure functions.

import { delayMinutes, effectiveDeparture, isOff, isRegional, isTrain, lineName } from "./departure.js";

export const VIEWS = ["minutes", "lines", "trains", "regional", "long"];

/** The lines of a board in natural order: 2 before 10, IC 1 before IR 15. */
export function linesOf(departures) {
  const byName = new Map();
  for (const departure of departures) {
    const name = lineName(departure.line);
    if (name && !byName.has(name)) byName.set(name, departure);
  }
  return [...byName].map(([name, departure]) => ({ name, departure })).sort((a, b) => naturally(a.name, b.name));
}

/** The platforms of a board in natural order. */
export function platformsOf(departures) {
  return [...new Set(departures.map((departure) => departure.platform).filter(Boolean))].sort(naturally);
}

const collator = new Intl.Collator("en", { numeric: true, sensitivity: "base" });

export function naturally(one, other) {
  return collator.compare(one, other);
}

/** The views that make sense for a board; the first is the usual one. */
export function viewsOf(departures) {
  const trains = departures.filter(isTrain).length;
  if (trains === 0) return ["minutes", "lines"];
  if (trains === departures.length) return ["minutes", "regional", "long"];
  return ["minutes", "lines", "trains"];
}

const KEEPS = {
  trains: isTrain,
  regional: isRegional,
  long: (departure) => isTrain(departure) && !isRegional(departure),
};

/** The departures to show: filtered, and ordered as the view wants it. */
export function arrange(departures, { view, lines, platforms }) {
  const kept = departures.filter((departure) => (KEEPS[view] ?? (() => true))(departure) && passes(departure, { lines, platforms }));
  return view === "lines" ? byLine(kept) : kept;
}

export function passes(departure, { lines, platforms }) {
  const isLine = lines.length === 0 || lines.includes(lineName(departure.line));
  return isLine && (platforms.length === 0 || platforms.includes(departure.platform));
}

// MARK: By line

const MOST_ROWS_BY_LINE = 16;
const FEW_LINES = 4;

/**
 * The next departures of every line.
 *
 * Up to four lines: two of each direction. More: two of each line, of different directions where it has
 * several. A late departure of a line is always among them, so that the view hides no delay.
 */
function byLine(departures) {
  const lines = groups(departures, (departure) => lineName(departure.line));
  const isFew = lines.size <= FEW_LINES;
  const chosen = [...lines.keys()].sort(naturally).map((name) => (isFew ? ofEachDirection(lines.get(name), 2) : ofLine(lines.get(name))));
  return isFew ? capped(chosen, MOST_ROWS_BY_LINE) : chosen.flat();
}

function groups(departures, keyOf) {
  const byKey = new Map();
  for (const departure of departures) {
    const key = keyOf(departure);
    if (!byKey.has(key)) byKey.set(key, []);
    byKey.get(key).push(departure);
  }
  return byKey;
}

function ofEachDirection(departures, count) {
  const directions = [...groups(departures, (departure) => departure.destination).values()];
  return withTheLate(inOrder(directions.flatMap((direction) => direction.slice(0, count))), departures);
}

function ofLine(departures) {
  const directions = [...groups(departures, (departure) => departure.destination).values()];
  const firsts = inOrder(directions.map((direction) => direction[0])).slice(0, 2);
  const chosen = firsts.length === 2 ? firsts : departures.slice(0, 2);
  return withTheLate(chosen, departures);
}

function withTheLate(chosen, departures) {
  if (chosen.some(isRemarkable)) return chosen;
  const late = departures.find(isRemarkable);
  return late ? [...chosen.slice(0, Math.max(1, chosen.length - 1)), late] : chosen;
}

function isRemarkable(departure) {
  return isOff(departure) || (delayMinutes(departure) ?? 0) >= 2;
}

function inOrder(departures) {
  return departures.sort((a, b) => effectiveDeparture(a) - effectiveDeparture(b));
}

/** As many rows as there may be, taken from all lines in turn. */
function capped(lines, most) {
  const counts = lines.map(() => 0);
  let left = most;
  for (let round = 0; left > 0 && lines.some((line) => line.length > round); round += 1) {
    for (const [index, line] of lines.entries()) {
      if (line.length <= round || left === 0) continue;
      counts[index] += 1;
      left -= 1;
    }
  }
  return lines.flatMap((line, index) => line.slice(0, counts[index]));
}
