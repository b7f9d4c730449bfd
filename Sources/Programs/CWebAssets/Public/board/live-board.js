// A board that is kept fresh.

import { readBoard } from "./board-answer.js";
import { boardAddress, isSameQuestion, streamAddress } from "./board-question.js";
import { BoardStream } from "./board-stream.js";
import { LiveResource } from "../engine/live-resource.js";

const SOURCE = {
  isSame: isSameQuestion,
  address: boardAddress,
  read: readBoard,
  openStream: (question, copy, listener) => new BoardStream(streamAddress(question), copy, listener),
  contentOf,
  natureOf: (body) => ({ hasRealtime: body.rt?.applied === true || ["applied", "partial"].includes(body.meta?.rtStatus) }),
  subjectOf: (question) => question.stopId ?? null,
  fields: () => ({}),
  metadata: {},
};

export class LiveBoard extends LiveResource {
  /** @param {object} options - As of `LiveResource`. */
  constructor(options) {
    super(SOURCE, options);
  }
}

/** What people see of a board: everything but clocks and request ids. */
function contentOf({ station, departures, banners, onDemand, noService }) {
  return JSON.stringify([station, departures, banners, onDemand, noService]);
}
