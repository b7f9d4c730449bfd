// The last board of a stop, kept on the device, so that a page that opens without a network has something to
// show, with its age. It is never taken for an answer: the refresh machine knows nothing of it.

import { memory } from "../shared/memory.js";

const MOST_BOARDS = 3;
const MOST_DEPARTURES = 40;
const LEAST_GAP_MS = 10_000;

let lastSave = -LEAST_GAP_MS;

/** Keeps a board. `age`: of its data, in milliseconds. */
export function saveBoard({ stop, language, body, age, now }) {
  if (now - lastSave < LEAST_GAP_MS) return;
  lastSave = now;
  const { station, departures, banners, noService, meta } = body;
  const kept = { station, departures: departures.slice(0, MOST_DEPARTURES), banners, noService, meta: { timetable: meta?.timetable } };
  const others = boards().filter((board) => board.stop !== stop);
  memory.write("last", [{ stop, language, body: kept, age, savedAt: Date.now() }, ...others].slice(0, MOST_BOARDS));
}

/** The board of a stop: `{ body, age }`, or `null`. The device's own clock is all there is to tell its age by. */
export function savedBoard(stop) {
  const board = boards().find((saved) => saved.stop === stop);
  if (!board?.body?.departures) return null;
  return { body: board.body, age: Math.max(0, board.age) + Math.max(0, Date.now() - board.savedAt) };
}

function boards() {
  const saved = memory.read("last");
  return Array.isArray(saved) ? saved : [];
}
