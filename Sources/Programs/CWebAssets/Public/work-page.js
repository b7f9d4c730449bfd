// What the pages of the server's other parts share: language, appearance, help, keys, clocks.

import { Announcer } from "./announcer.js";
import { everySecond, ServerClock } from "./clock.js";
import { Device } from "./device.js";
import { element, fillTexts, makeDialog, setText } from "./dom.js";
import { listenToKeys } from "./keys.js";
import { memory } from "./memory.js";
import { languageOf, LOCALES, sentences } from "./words.js";
import de from "./work-words-de.js";
import en from "./work-words-en.js";
import fr from "./work-words-fr.js";
import it from "./work-words-it.js";

export const WORK_WORDS = { fr, de, it, en };
const THEMES = ["auto", "light", "dark"];

export class WorkPage {
  constructor() {
    this.device = new Device();
    this.clock = new ServerClock();
    this.announcer = new Announcer();
    const asked = new URLSearchParams(location.search);
    this.language = languageOf(asked.get("lang"), memory.read("language"), ...(navigator.languages ?? []));
    const theme = asked.get("theme");
    this.theme = THEMES.includes(theme) ? theme : memory.read("theme") ?? "auto";
    this.say = sentences(this.language, WORK_WORDS);
    for (const id of ["settings", "help"]) makeDialog(element(id));
    element("language").addEventListener("change", (event) => this.#choose("language", "lang", event.target.value));
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
    this.say = sentences(this.language, WORK_WORDS);
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

/** Begins with a page; says so on the page if it cannot. */
export async function begin(make) {
  try {
    const page = await make();
    page.run();
    document.documentElement.dataset.ready = "yes";
    return page;
  } catch (failure) {
    const say = sentences(languageOf(...(navigator.languages ?? [])), WORK_WORDS);
    element("fault").hidden = false;
    setText(element("fault-text"), say("pageFault", { reason: failure.message }));
    setText(element("fault-reload"), say("reload"));
    element("fault-reload").addEventListener("click", () => location.reload());
    throw failure;
  }
}
