// What the pages of the server's other parts share: language, appearance, help, keys, clocks.

import { Announcer } from "./announcer.js";
import { everySecond, ServerClock } from "../engine/clock.js";
import { Device } from "../engine/device.js";
import { element, fillTexts, makeDialog } from "./dom.js";
import { showFault } from "./fault.js";
import { listenToKeys } from "./keys.js";
import { memory } from "./memory.js";
import { languageOf, loadMessages, LOCALES, sentences } from "../messages/messages.js";

/** What is said if not even the messages can be loaded. */
const FAULT = { pageFault: "{reason}", reload: "Reload" };
const THEMES = ["auto", "light", "dark"];

export class WorkPage {
  #modules;
  #wantedLanguage = null;

  /** @param {object} words - `modules`: the modules of messages by language; `language`; `messages`: those of that language. */
  constructor({ modules, language, messages }) {
    this.#modules = modules;
    this.language = language;
    this.messages = messages;
    this.device = new Device();
    this.clock = new ServerClock();
    this.announcer = new Announcer();
    const theme = new URLSearchParams(location.search).get("theme");
    this.theme = THEMES.includes(theme) ? theme : memory.read("theme") ?? "auto";
    this.say = sentences(language, messages);
    for (const id of ["settings", "help"]) makeDialog(element(id));
    element("language").addEventListener("change", (event) => this.#chooseLanguage(event.target.value));
    element("theme").addEventListener("change", (event) => this.#choose("theme", "theme", event.target.value));
    element("settings-open").addEventListener("click", () => element("settings").showModal());
    element("help-open").addEventListener("click", () => this.help());
    document.addEventListener("visibilitychange", () => document.hidden || this.tick());
    listenToKeys(this, (page, event) => page.actOf(event));
  }

  /** Begins to tick; the page is whole. */
  run() {
    everySecond(() => this.clock, () => {
      this.device.tick();
      if (!document.hidden) this.tick();
    });
  }

  get locale() {
    return LOCALES[this.language];
  }

  help() {
    element("settings").close();
    element("help").showModal();
  }

  async #chooseLanguage(language) {
    this.#wantedLanguage = language;
    const messages = await loadMessages(this.#modules, language).catch(() => null);
    // Another one may have been chosen meanwhile; and without a network the page keeps the language it has.
    if (this.#wantedLanguage !== language) return;
    if (!messages) return void (element("language").value = this.language);
    this.messages = messages;
    this.#choose("language", "lang", language);
  }

  #choose(name, parameter, value) {
    this[name] = value;
    memory.write(name, value);
    const address = new URL(location.href);
    if (address.searchParams.has(parameter)) {
      address.searchParams.set(parameter, value);
      history.replaceState(null, "", address);
    }
    this.speak();
  }

  /** Every word again, in the language that is chosen. */
  speak() {
    this.say = sentences(this.language, this.messages);
    const root = document.documentElement;
    root.lang = this.language;
    root.dataset.theme = this.theme;
    element("language").value = this.language;
    element("theme").value = this.theme;
    fillTexts(this.say);
  }

  /** Called every second while the page is seen. */
  tick() {}

  /** What a key does; `null` for nothing. */
  actOf() {
    return null;
  }
}

/**
 * Begins with a page; says so on the page if it cannot.
 *
 * @param {object} modules - The modules of messages by language.
 * @param {(words: object) => Promise<object>} make - Makes the page, of what its constructor takes.
 */
export async function begin(modules, make) {
  const language = languageOf(new URLSearchParams(location.search).get("lang"), memory.read("language"), ...(navigator.languages ?? []));
  const loading = loadMessages(modules, language);
  try {
    const page = await make(loading.then((messages) => ({ modules, language, messages })));
    page.run();
    document.documentElement.dataset.ready = "yes";
    return page;
  } catch (failure) {
    showFault(sentences(language, await loading.catch(() => FAULT)), "pageFault", failure);
    throw failure;
  }
}
