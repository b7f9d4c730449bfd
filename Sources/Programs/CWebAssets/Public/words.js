// The languages of the page, and how a sentence is made in one of them.

import de from "./words-de.js";
import en from "./words-en.js";
import fr from "./words-fr.js";
import it from "./words-it.js";

const WORDS = { fr, de, it, en };

export const LANGUAGES = Object.keys(WORDS);
export const LOCALES = { fr: "fr-CH", de: "de-CH", it: "it-CH", en: "en-GB" };

/** The first wish that is one of ours. */
export function languageOf(...wishes) {
  const known = wishes.filter(Boolean).map((wish) => wish.slice(0, 2).toLowerCase());
  return known.find((wish) => LANGUAGES.includes(wish)) ?? "en";
}

/**
 * The sentences of one language: say("updatedAgo", { age: "12 s" }); where it has plural forms, `count` chooses.
 *
 * @param {string} language - One of `LANGUAGES`.
 * @param {object} own - Words of another page than the board, by language; they come before the board's.
 */
export function sentences(language, own = {}) {
  const plural = new Intl.PluralRules(LOCALES[language]);
  return (name, values = {}) => {
    const form = own[language]?.[name] ?? own.en?.[name] ?? WORDS[language][name] ?? WORDS.en[name] ?? name;
    const text = typeof form === "string" ? form : form[plural.select(values.count)] ?? form.other;
    return text.replace(/\{(\w+)\}/g, (_, value) => values[value] ?? "");
  };
}
