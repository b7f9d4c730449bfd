// The languages of the pages, and how a message is made in one of them. A page loads one language at a time.

/** Languages by the order in which a page offers them. */
export const LANGUAGES = ["fr", "de", "it", "en"];
export const LOCALES = { fr: "fr-CH", de: "de-CH", it: "it-CH", en: "en-GB" };

/** The first of the wanted languages that the pages have; English without one. */
export function languageOf(...wanted) {
  const known = wanted.filter(Boolean).map((one) => one.slice(0, 2).toLowerCase());
  return known.find((one) => LANGUAGES.includes(one)) ?? "en";
}

/**
 * Loads the messages of a language.
 *
 * @param {Record<string, () => Promise<{ default: object }>>} modules - Imports the module of each language.
 * @param {string} language - One of `LANGUAGES`.
 */
export async function loadMessages(modules, language) {
  return (await modules[language]()).default;
}

/**
 * Returns the function that makes messages: say("updatedAgo", { age: "12 s" }). Of plural forms `count` chooses one; a
 * name without a message is returned as it is.
 *
 * @param {string} language - One of `LANGUAGES`.
 * @param {Record<string, string | Record<string, string>>} messages - The messages of that language.
 */
export function sentences(language, messages) {
  const plural = new Intl.PluralRules(LOCALES[language]);
  return (name, values = {}) => {
    const form = messages[name] ?? name;
    const text = typeof form === "string" ? form : form[plural.select(values.count)] ?? form.other;
    return text.replace(/\{(\w+)\}/g, (_, value) => values[value] ?? "");
  };
}
