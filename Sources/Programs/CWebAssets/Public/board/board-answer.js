// What an answer says as a departure board.

import { readAnswer } from "../engine/response.js";

/** What a document says as a board, as `readAnswer` says it; `null` if it is not one. */
export function readBoard(document, headers) {
  return isBoard(document) ? { ...readAnswer(document, headers), answered: document.station?.id ?? null } : null;
}

export function isBoard(document) {
  return Array.isArray(document?.departures);
}
