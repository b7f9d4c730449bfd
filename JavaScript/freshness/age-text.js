// An age in words (R28), in English, French, German and Italian.

const WORDS = {
  en: (span) => `updated ${span} ago`,
  fr: (span) => `actualisé il y a ${span}`,
  de: (span) => `vor ${span} aktualisiert`,
  it: (span) => `aggiornato ${span} fa`,
};
const MINUTE_MS = 60_000;
/** From here an age is given in hours: below, "60 min" to "89 min" are more precise. */
const HOURS_FROM_MS = 90 * MINUTE_MS;

/**
 * Returns the age in words: "updated 12 s ago".
 *
 * @param {number | null} age - In milliseconds; `null` returns an empty string.
 * @param {string} language - A language tag; English is used for unsupported languages.
 */
export function ageInWords(age, language = "en") {
  if (age === null) return "";
  const say = WORDS[language.slice(0, 2).toLowerCase()] ?? WORDS.en;
  if (age < MINUTE_MS) return say(`${Math.max(0, Math.floor(age / 1000))}\u00a0s`);
  if (age < HOURS_FROM_MS) return say(`${Math.floor(age / MINUTE_MS)}\u00a0min`);
  return say(`${Math.floor(age / (60 * MINUTE_MS))}\u00a0h`);
}
