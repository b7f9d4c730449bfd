// What is asked about a board, as an address of the API.

/** { stopId, language, limit } as the parameters of the board. */
function parameters({ stopId, language, limit }) {
  return new URLSearchParams({ stop_id: stopId, lang: language, limit, include_alerts: "1" });
}

export const boardAddress = (question) => `/api/stationboard?${parameters(question)}`;
export const streamAddress = (question) => `/api/stationboard/stream?${parameters(question)}`;

export function isSameQuestion(one, other) {
  return one != null && other != null && boardAddress(one) === boardAddress(other);
}
