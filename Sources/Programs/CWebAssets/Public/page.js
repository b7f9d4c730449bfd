// The page: its boards, its words and its keys. The parts it is made of do the work.

import { readAddress, writeAddress } from "./address.js";
import { Announcer } from "./announcer.js";
import { everySecond, ServerClock } from "./clock.js";
import { Device } from "./device.js";
import { Diagnostics } from "./diagnostics.js";
import { element, fillTexts, makeDialog, setText } from "./dom.js";
import { validity } from "./emptiness.js";
import { Favourites } from "./favourites.js";
import { FilterSheet } from "./filter-sheet.js";
import { Engine } from "./freshness.js";
import { listenToKeys } from "./keys.js";
import { memory } from "./memory.js";
import { isPastItsValidity } from "./moments.js";
import { Pane } from "./pane.js";
import { StopSearch } from "./search.js";
import { TripDialog } from "./trip.js";
import { languageOf, LOCALES, sentences } from "./words.js";

const WASM = "/assets/freshness.wasm";
/** The rhythm of the stream's heartbeats on the server, and how often the board is asked for beside it. */
const PUSH = { heartbeat: 15_000, safetyPoll: 60_000 };

/** When the shell is kept for visits without a network. */
const SHELL_AFTER_MS = 4000;

class Page {
  #panes = [];
  #target = null;
  #name = new ServerClock();

  constructor(engine) {
    this.engine = engine;
    this.device = new Device();
    this.announcer = new Announcer();
    const address = readAddress(location.search);
    this.asked = { language: address.language, theme: address.theme };
    this.language = languageOf(address.language, memory.read("language"), ...(navigator.languages ?? []));
    this.theme = address.theme ?? memory.read("theme") ?? "auto";
    this.mode = address.mode;
    this.limit = address.limit;
    this.usesStream = address.usesStream;
    this.policy = { preset: "departuresWeb", ...(this.usesStream ? { push: PUSH } : {}) };
    this.say = sentences(this.language);
    this.favourites = new Favourites(this);
    this.trip = new TripDialog(this);
    this.filterSheet = new FilterSheet(this);
    this.diagnostics = new Diagnostics(this);
    this.search = new StopSearch({ context: () => this, onChoose: (stop) => this.#chosen(stop) });
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
    this.search.focus();
  }

  #chosen(stop) {
    const pane = this.#panes.includes(this.#target) ? this.#target : this.#panes[0];
    this.#target = null;
    this.openStop(stop, pane);
  }

  openStop(stop, pane = this.#panes[0]) {
    this.trip.close();
    if (pane === this.#panes[0]) memory.write("stop", stop);
    pane.open(stop);
    scrollTo(0, 0);
    this.showMode();
  }

  /** The server told a stop's name. */
  stopNamed(pane) {
    if (pane === this.#panes[0]) memory.write("stop", pane.settings.stop);
    this.favourites.rename(pane.settings.stop);
    this.#showTitle();
  }

  openTrip(departure, pane) {
    this.trip.open(departure, pane);
  }

  openFilters(pane) {
    this.filterSheet.open(pane);
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

  chooseLanguage(language) {
    this.language = language;
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
    this.say = sentences(this.language);
    document.documentElement.lang = this.language;
    fillTexts(this.say);
    element("language").value = this.language;
    this.favourites.speak();
    this.diagnostics.speak();
    for (const pane of this.#panes) pane.speak();
    this.showMode();
  }

  showMode() {
    const root = document.documentElement;
    root.dataset.theme = this.theme;
    // Without a stop even a wall needs the search, so it looks like any page until it has one.
    root.dataset.mode = this.#panes.some(({ settings }) => settings.stop) ? this.mode : "page";
    root.dataset.panes = this.#panes.length;
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

  /** Escape where nothing else takes it: nothing is chosen any more. */
  escape() {
    document.activeElement?.blur?.();
  }

  #tick() {
    this.device.tick();
    if (document.hidden) return;
    for (const pane of this.#panes) pane.tick();
    this.diagnostics.tick();
  }

  // MARK: Listening

  #listen() {
    element("language").addEventListener("change", (event) => this.chooseLanguage(event.target.value));
    element("theme").addEventListener("change", (event) => this.chooseTheme(event.target.value));
    element("wall").addEventListener("click", () => this.chooseMode("wall"));
    element("leave-wall").addEventListener("click", () => this.chooseMode("page"));
    element("second-board").addEventListener("click", () => this.#addSecond());
    element("settings-open").addEventListener("click", () => element("settings").showModal());
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

async function begin() {
  try {
    const page = new Page(await Engine.load(fetch(WASM)));
    document.documentElement.dataset.ready = "yes";
    return page;
  } catch (failure) {
    const say = sentences(languageOf(...(navigator.languages ?? [])));
    element("fault").hidden = false;
    setText(element("fault-text"), say("fault", { reason: failure.message }));
    setText(element("fault-reload"), say("reload"));
    element("fault-reload").addEventListener("click", () => location.reload());
    throw failure;
  }
}

begin();
// Not before the board: keeping the shell takes connections that the first boards need.
setTimeout(() => navigator.serviceWorker?.register("/service-worker.js").catch(() => {}), SHELL_AFTER_MS);
