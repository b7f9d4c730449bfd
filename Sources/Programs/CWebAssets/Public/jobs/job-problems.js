// What went wrong with a job, a row, a book or a photo, in the language of the page, by the code of the server.

import { loadMessages } from "../messages/messages.js";

/** Remarks about rows of a table end with the value; it is shown as it is. */
const OF_ROWS = /^(author_|column_count|date_|duplicate_|isbn_|kept_|list_too_long|number_|quote_|rating_|row_|title_)/;

const PHRASES = {
  fr: () => import("../messages/fr/problems.js"),
  de: () => import("../messages/de/problems.js"),
  it: () => import("../messages/it/problems.js"),
  en: () => import("../messages/en/problems.js"),
};

/** The phrases of the language of the page; before they are loaded, the server's own text is shown. */
let phrases = {};

/** Learns the phrases of a language: few pages need them, and none more than one language. */
export async function learnProblems(language) {
  phrases = await loadMessages(PHRASES, language).catch(() => ({}));
}

/** The phrase for a code; `null` for one without. */
function phraseOf(code) {
  return Object.hasOwn(phrases, code) ? phrases[code] : null;
}

/** The value at the end of a remark, in brackets; empty without one. */
function valueOf(words, code) {
  // What is said of numbers may have brackets of its own; other values may.
  const start = code.startsWith("isbn_") ? words.lastIndexOf(" (") : words.indexOf(" (");
  return start >= 0 && words.endsWith(")") ? words.slice(start) : "";
}

/** A remark about one row, book or photo; one whose code is not known stays as the server wrote it. */
export function remarkInWords(problem, say) {
  const { code, field } = problem;
  const message = typeof problem.message === "string" ? problem.message : "";
  const phrase = phraseOf(code);
  if (phrase === null) return message || (code ?? "");
  // A column that the message begins with, or a photo, is its place.
  const column = field && message.startsWith(`${field}: `) ? field : null;
  const photo = /^photo (\d+): /.exec(message)?.[1];
  const place = column ?? (photo ? say("photoNumber", { number: photo }) : null);
  const text = OF_ROWS.test(code) ? phrase + valueOf(column ? message.slice(column.length + 2) : message, code) : phrase;
  return place ? say("remarkOf", { place, text }) : text;
}

/** Why a job failed or a request was refused, as a sentence; what the server wrote if its code is not known; else empty. */
export function failureInWords(failure, say) {
  const { code, message } = failure ?? {};
  const phrase = phraseOf(code);
  if (phrase !== null) return `${phrase.charAt(0).toUpperCase()}${phrase.slice(1)}.`;
  // Codes that other parts of the server share have sentences.
  const shared = `refused-${code}`;
  const sentence = say(shared);
  return sentence === shared ? message ?? code ?? "" : sentence;
}
