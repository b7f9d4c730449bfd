// The page: its boards, its words and its keys. The parts it is made of do the work.

import { readAddress, writeAddress } from "./address.js";
import { Announcer } from "../shared/announcer.js";
import { everySecond, ServerClock } from "../engine/clock.js";
import { Device } from "../engine/device.js";
import { Deferred } from "../shared/deferred.js";
import { element, fillTexts, makeDialog, setText } from "../shared/dom.js";
import { validity } from "./emptiness.js";
import { Favourites } from "./favourites.js";
import { showFault } from "../shared/fault.js";
import { Engine } from "../engine/freshness.js";
import { listenToKeys } from "../shared/keys.js";
import { memory } from "../shared/memory.js";
import { isPastItsValidity } from "../shared/times.js";
import { loadChanges, Pane } from "./pane.js";
import { languageOf, loadMessages, LOCALES, sentences } from "../messages/messages.js";

const WASM = "/assets/freshness.wasm";
/** The messages by language: one is loaded, and another when it is chosen. */
const MESSAGES = {
  fr: () => import("../messages/fr/board.js"),
  de: () => import("../messages/de/board.js"),
  it: () => import("../messages/it/board.js"),
  en: () => import("../messages/en/board.js"),
};
/** The rhythm of the stream's heartbeats on the server, and how often the board is asked for beside it. */
const PUSH = { heartbeat: 15_000, safetyPoll: 60_000 };

/** What is said if not even the messages can be loaded. */
const FAULT = { fault: "{reason}", reload: "Reload" };

/** When the shell is kept for visits without a network. */
const SHELL_AFTER_MS = 4000;

class Page {
  #panes = [];
  #target = null;
  #wantedLanguage = null;
  #trip;
  #filterSheet;
  #diagnostics;
  #search;
  #name = new ServerClock();

  /**
   * @param {object} engine - The refresh machine.
   * @param {string} language - The language to begin with.
   * @param {object} messages - Its messages.
   */
  constructor(engine, language, messages) {
    this.engine = engine;
    this.language = language;
    this.messages = messages;
    this.device = new Device();
    this.announcer = new Announcer();
    const address = readAddress(location.search);
    this.asked = { language: address.language, theme: address.theme };
    this.theme = address.theme ?? memory.read("theme") ?? "auto";
    this.mode = address.mode;
    this.limit = address.limit;
    this.usesStream = address.usesStream;
    this.policy = { preset: "departuresWeb", ...(this.usesStream ? { push: PUSH } : {}) };
    this.say = sentences(language, messages);
    this.favourites = new Favourites(this);
    const deferred = (make) => new Deferred(make, (failure) => showFault(this.say, "fault", failure));
    this.#trip = deferred(async () => new (await import("./trip.js")).TripDialog(this));
    this.#filterSheet = deferred(async () => new (await import("./filter-sheet.js")).FilterSheet(this));
    this.#diagnostics = deferred(async () => new (await import("./diagnostics.js")).Diagnostics(this));
    this.#search = deferred(async () => new (await import("./search.js")).StopSearch({ context: () => this, onChoose: (stop) => this.#chosen(stop) }));
    for (const id of ["settings", "help"]) makeDialog(element(id));
    this.#open(address);
    this.#listen();
    this.speak();
    everySecond(() => this.#panes[0]?.clock ?? this.#name, () => this.#tick());
  }

  get panes() {
    return this.#panes;
  }

  get locale() {
    return LOCALES[this.language];
  }

  /** The board that keys act on: the one with the focus, else the first. */
  get current() {
    return this.#panes.find(({ root }) => root.contains(document.activeElement)) ?? this.#panes[0];
  }

  // MARK: Boards

  #open({ panes }) {
    const wanted = panes.map((pane, index) => ({ ...pane, stop: this.#stopOf(pane.stop, index) }));
    while (this.#panes.length > wanted.length) this.#panes.pop().close();
    wanted.forEach((settings, index) => (this.#panes[index] ? this.#reopen(this.#panes[index], settings) : this.#add(settings)));
    this.showMode();
  }

  #stopOf(id, index) {
    const known = [memory.read("home"), memory.read("stop"), ...this.favourites.list].find((stop) => stop && (id ? stop.id === id : index === 0));
    if (id) return { id, name: known?.name ?? "" };
    return index === 0 ? memory.read("home") ?? memory.read("stop") : null;
  }

  #reopen(pane, settings) {
    const isSame = pane.settings.stop?.id === settings.stop?.id;
    pane.settings = settings;
    if (isSame) pane.speak();
    else pane.start();
  }

  #add(settings) {
    const pane = new Pane(this, settings);
    this.#panes.push(pane);
    element("boards").append(pane.root);
    pane.start();
  }

  closePane(pane) {
    if (this.#panes.length < 2) return;
    this.#panes.splice(this.#panes.indexOf(pane), 1);
    pane.close();
    this.showMode();
    this.settingsChanged({ asNewPage: true });
  }

  #addSecond() {
    element("settings").close();
    if (this.#panes.length > 1) return this.closePane(this.#panes[1]);
    this.#add({ stop: null, view: "minutes", lines: [], platforms: [], trip: null });
    this.showMode();
    this.findStop(this.#panes[1]);
  }

  findStop(pane) {
    this.#target = pane;
    this.focusSearch();
  }

  #chosen(stop) {
    const pane = this.#panes.includes(this.#target) ? this.#target : this.#panes[0];
    this.#target = null;
    this.openStop(stop, pane);
  }

  openStop(stop, pane = this.#panes[0]) {
    this.#trip.cancel();
    this.#trip.made?.close();
    if (pane === this.#panes[0]) memory.write("stop", stop);
    pane.open(stop);
    scrollTo(0, 0);
    this.showMode();
  }

  /** Called when the server has returned a stop's name. */
  stopNamed(pane) {
    if (pane === this.#panes[0]) memory.write("stop", pane.settings.stop);
    this.favourites.rename(pane.settings.stop);
    this.#showTitle();
  }

  openTrip(departure, pane) {
    this.#trip.use((trip) => trip.open(departure, pane));
  }

  openFilters(pane) {
    this.#filterSheet.use((sheet) => sheet.open(pane));
  }

  focusSearch() {
    element("stop-search").focus();
  }

  toggleDiagnostics() {
    element("settings").close();
    this.#diagnostics.use((diagnostics) => diagnostics.toggle());
  }

  /** Loads what the page may need later. */
  async loadRest() {
    const parts = [this.#search, this.#trip, this.#filterSheet, this.#diagnostics];
    await Promise.allSettled([loadChanges(), ...parts.map((part) => part.load())]);
  }

  favouritesChanged() {
    for (const pane of this.#panes) pane.speak();
  }

  /** The other board, if there are two. */
  neighbourOf(pane) {
    return this.#panes.find((other) => other !== pane) ?? null;
  }

  // MARK: The address

  settingsChanged({ asNewPage = false } = {}) {
    const href = writeAddress(location.href, {
      panes: this.#panes.map(({ settings }) => ({ ...settings, stop: settings.stop?.id ?? null })),
      language: this.asked.language && this.language,
      theme: this.asked.theme && this.theme,
      mode: this.mode,
      limit: this.limit,
      usesStream: this.usesStream,
    });
    if (href !== location.href) history[asNewPage ? "pushState" : "replaceState"](null, "", href);
    this.#showTitle();
  }

  // MARK: Choices

  async chooseLanguage(language) {
    this.#wantedLanguage = language;
    const messages = await loadMessages(MESSAGES, language).catch(() => null);
    // Another one may have been chosen meanwhile; and without a network the page keeps the language it has.
    if (this.#wantedLanguage !== language) return;
    if (!messages) return void (element("language").value = this.language);
    this.language = language;
    this.messages = messages;
    memory.write("language", language);
    if (this.asked.language) this.asked.language = language;
    this.settingsChanged();
    this.speak();
  }

  chooseTheme(theme) {
    this.theme = theme;
    memory.write("theme", theme);
    if (this.asked.theme) this.asked.theme = theme;
    this.settingsChanged();
    this.showMode();
  }

  chooseMode(mode) {
    element("settings").close();
    this.mode = mode;
    this.settingsChanged();
    this.showMode();
    for (const pane of this.#panes) pane.speak();
  }

  // MARK: Showing

  speak() {
    this.say = sentences(this.language, this.messages);
    document.documentElement.lang = this.language;
    fillTexts(this.say);
    element("language").value = this.language;
    this.favourites.speak();
    this.#diagnostics.made?.speak();
    for (const pane of this.#panes) pane.speak();
    this.showMode();
  }

  showMode() {
    const root = document.documentElement;
    root.dataset.theme = this.theme;
    // Without a stop even a wall needs the search, so it looks like any page until it has one.
    root.dataset.mode = this.#panes.some(({ settings }) => settings.stop) ? this.mode : "page";
    root.dataset.panes = String(this.#panes.length);
    element("theme").value = this.theme;
    setText(element("second-board"), this.say(this.#panes.length > 1 ? "oneBoard" : "secondBoard"));
    this.favourites.show();
    this.#showTitle();
  }

  #showTitle() {
    const names = this.#panes.map(({ name }) => name).filter(Boolean).join(" | ");
    document.title = names ? `${names} · ${this.say("departures")}` : this.say("departures");
  }

  /** The words about the timetable at the foot of the page, and the warning when it has ended. */
  boardShown(pane) {
    if (pane !== this.#panes[0]) return;
    const timetable = pane.body?.meta?.timetable;
    const parts = timetable ? [this.say("timetable", { publisher: timetable.publisher ?? "", ...validity(timetable, this.locale) })] : [];
    if (pane.zone) parts.push(this.say("zone", { zone: pane.zone }));
    setText(element("timetable"), parts.join(" · "));
    const isPast = isPastItsValidity(timetable, pane.clock.now(), pane.zone);
    element("warning").hidden = !isPast;
    setText(element("warning"), isPast ? this.say("timetablePast", validity(timetable, this.locale)) : "");
  }

  /** Handles Escape if nothing else does: clears the focus. */
  escape() {
    if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
  }

  #tick() {
    this.device.tick();
    if (document.hidden) return;
    this.showTime();
    this.#diagnostics.made?.tick();
  }

  /** Updates all boards to the same instant, so that a response to one does not leave the others a second behind. */
  showTime() {
    const now = this.#panes[0]?.clock.now();
    for (const pane of this.#panes) pane.tick(now);
  }

  // MARK: Listening

  #listen() {
    element("language").addEventListener("change", (event) => this.chooseLanguage(event.target.value));
    // Replays an event from before the search was loaded as soon as it is loaded.
    const searches = (act) => () => this.#search.made || this.#search.use(act);
    element("stop-search").addEventListener("focus", searches((search) => search.begin()));
    element("nearby").addEventListener("click", searches((search) => search.findNearby()));
    element("theme").addEventListener("change", (event) => this.chooseTheme(event.target.value));
    element("wall").addEventListener("click", () => this.chooseMode("wall"));
    element("leave-wall").addEventListener("click", () => this.chooseMode("page"));
    element("second-board").addEventListener("click", () => this.#addSecond());
    element("settings-open").addEventListener("click", () => element("settings").showModal());
    element("diagnostics-open").addEventListener("click", () => this.toggleDiagnostics());
    element("help-open").addEventListener("click", () => this.help());
    addEventListener("popstate", () => this.#open(readAddress(location.search)));
    addEventListener("resize", () => this.mode === "wall" && this.#panes.forEach((pane) => pane.speak()));
    document.addEventListener("visibilitychange", () => document.hidden || this.#tick());
    listenToKeys(this);
  }

  help() {
    element("settings").close();
    element("help").showModal();
  }
}

/** Loads the machine and the messages side by side, and begins. */
async function begin() {
  const language = languageOf(readAddress(location.search).language, memory.read("language"), ...(navigator.languages ?? []));
  const loading = loadMessages(MESSAGES, language);
  try {
    const [engine, messages] = await Promise.all([Engine.load(fetch(WASM)), loading]);
    const page = new Page(engine, language, messages);
    document.documentElement.dataset.ready = "yes";
    return page;
  } catch (failure) {
    showFault(sentences(language, await loading.catch(() => FAULT)), "fault", failure);
    throw failure;
  }
}

const page = begin();
// Not before the board: keeping the shell takes connections that the first boards need.
setTimeout(async () => {
  await (await page).loadRest();
  // Where the network has just gone, the next visit keeps it.
  (await import("./shell.js").catch(() => null))?.keepShell();
}, SHELL_AFTER_MS);
