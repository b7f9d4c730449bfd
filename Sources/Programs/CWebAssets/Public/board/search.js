// The stop search: a combobox with a list of suggestions, and the stops nearby when asked for.

import { searchStops, stopsNearby, wasCancelled } from "./api.js";
import { element, newElement, setText } from "../shared/dom.js";
import { sentences } from "../messages/messages.js";
import searchMessages from "../messages/search.js";
import { distance } from "../shared/times.js";

const DEBOUNCE_MS = 180;
const SHORTEST_QUERY = 2;
const LONGEST_LIST = 10;
const POSITION = { enableHighAccuracy: true, timeout: 12_000, maximumAge: 60_000 };

export class StopSearch {
  #input = element("stop-search");
  #panel = element("suggestions-panel");
  #list = element("stop-suggestions");
  #message = element("search-message");
  #stops = [];
  #active = -1;
  #timer = null;
  #request = null;
  #pending = false;
  #chooseFirst = false;

  /** context() → { messages, language, locale, favourites }; onChoose({ id, name }). */
  constructor({ context, onChoose }) {
    this.context = context;
    this.onChoose = onChoose;
    this.#input.addEventListener("input", () => this.#typed());
    this.#input.addEventListener("focus", () => this.#offerFavourites());
    this.#input.addEventListener("keydown", (event) => this.#pressed(event));
    this.#input.addEventListener("blur", () => this.#left());
    this.#list.addEventListener("pointerdown", (event) => event.preventDefault());
    this.#list.addEventListener("click", (event) => this.#clicked(event));
    element("nearby").addEventListener("pointerdown", (event) => event.preventDefault());
    element("nearby").addEventListener("click", () => this.findNearby());
  }

  /** Makes messages, those of the search included. */
  get #say() {
    const { language, messages } = this.context();
    return sentences(language, { ...messages, ...searchMessages[language] });
  }

  /** Begins where a person is: the field may have the focus, and text. */
  begin() {
    if (document.activeElement === this.#input) this.#offerFavourites();
  }

  // MARK: Requesting

  #typed() {
    this.#cancel();
    const query = this.#input.value.trim();
    if (query.length === 0) return this.#offerFavourites();
    if (query.length < SHORTEST_QUERY) return this.#close();
    this.#pending = true;
    this.#timer = setTimeout(() => this.#search(query), DEBOUNCE_MS);
  }

  /** Before anything is typed: the stops that a person keeps. */
  #offerFavourites() {
    if (this.#input.value.trim()) return this.#typed();
    const { favourites } = this.context();
    const say = this.#say;
    if (favourites.list.length === 0) return this.#close();
    this.#offer(favourites.list.slice(0, LONGEST_LIST), say("favourites"));
  }

  #search(query) {
    const { language } = this.context();
    const say = this.#say;
    if (this.#panel.hidden) this.#notify(say("searching"));
    const ask = (signal) => searchStops(query, language, signal);
    this.#ask(ask, (stops) => this.#offer(stops, stops.length ? say("found", { count: stops.length }) : say("noMatch", { query })));
  }

  findNearby() {
    this.#cancel();
    this.#input.value = "";
    this.#input.focus();
    this.#offer([], this.#say("locating"));
    if (!navigator.geolocation) return this.#notify(this.#say("noPosition"));
    const request = (this.#request = new AbortController());
    const unlessCancelled = (next) => (result) => request.signal.aborted || next(result);
    navigator.geolocation.getCurrentPosition(
      unlessCancelled(({ coords }) => this.#showNearby(coords)),
      unlessCancelled((problem) => this.#notify(this.#say(problem.code === 1 ? "positionDenied" : "noPosition"))),
      POSITION,
    );
  }

  #showNearby(place) {
    const { language } = this.context();
    const say = this.#say;
    const ask = (signal) => stopsNearby(place, language, signal);
    this.#ask(ask, (stops) => this.#offer(stops, stops.length ? say("nearbyFound", { count: stops.length }) : say("noNearby")));
  }

  async #ask(question, onStops) {
    this.#request?.abort();
    const request = (this.#request = new AbortController());
    try {
      const stops = await question(request.signal);
      if (!request.signal.aborted) onStops(stops.slice(0, LONGEST_LIST));
    } catch (failure) {
      if (!request.signal.aborted && !wasCancelled(failure)) this.#offer([], this.#say(failure?.error === "no_timetable" ? "searchNoTimetable" : "searchFailed"));
    }
  }

  #cancel() {
    clearTimeout(this.#timer);
    this.#timer = null;
    this.#request?.abort();
    this.#request = null;
    this.#pending = false;
    this.#chooseFirst = false;
  }

  // MARK: The list

  #offer(stops, message) {
    this.#stops = stops;
    this.#pending = false;
    this.#list.replaceChildren(...stops.map((stop, index) => this.#option(stop, index)));
    this.#list.hidden = stops.length === 0;
    this.#activate(-1);
    this.#notify(message);
    this.#message.classList.toggle("unseen", stops.length > 0);
    if (this.#chooseFirst && stops.length > 0) this.#choose(0);
  }

  #notify(message) {
    setText(this.#message, message);
    this.#panel.hidden = false;
    this.#input.setAttribute("aria-expanded", String(this.#stops.length > 0));
  }

  #option(stop, index) {
    const option = newElement("li", "suggestion");
    option.id = `stop-suggestion-${index}`;
    option.setAttribute("role", "option");
    option.append(newElement("span", "suggestion-name", nameOf(stop)), newElement("span", "suggestion-note", this.#noteOf(stop)));
    return option;
  }

  #noteOf(stop) {
    if (stop.distance_m != null) return distance(stop.distance_m, this.context().locale);
    if (stop.city == null && stop.canton == null) return "";
    const city = stop.city && !nameOf(stop).startsWith(stop.city) ? stop.city : null;
    return [city, stop.canton].filter(Boolean).join(" · ");
  }

  #activate(index) {
    this.#active = index;
    [...this.#list.children].forEach((option, at) => option.setAttribute("aria-selected", String(at === index)));
    const option = this.#list.children[index];
    if (!option) return this.#input.removeAttribute("aria-activedescendant");
    this.#input.setAttribute("aria-activedescendant", option.id);
    option.scrollIntoView({ block: "nearest" });
  }

  /** A permission question or another window takes the focus for a while: the list stays. */
  #left() {
    if (document.activeElement !== this.#input) this.#close();
  }

  #close() {
    this.#cancel();
    this.#stops = [];
    this.#activate(-1);
    this.#panel.hidden = true;
    this.#input.setAttribute("aria-expanded", "false");
  }

  // MARK: Keys and choices

  #pressed(event) {
    const act = { ArrowDown: () => this.#move(1), ArrowUp: () => this.#move(-1), Enter: () => this.#enter(), Escape: () => this.#escape() }[event.key];
    if (!act || event.isComposing) return;
    event.preventDefault();
    act();
  }

  #move(step) {
    if (this.#stops.length === 0) return this.#typed();
    const places = this.#stops.length + 1;
    this.#activate(((this.#active + 1 + step + places) % places) - 1);
  }

  /** Enter before the answer is there chooses the first suggestion once it is. */
  #enter() {
    if (this.#active >= 0 || (this.#stops.length > 0 && !this.#pending)) return this.#choose(Math.max(0, this.#active));
    this.#chooseFirst = this.#pending;
  }

  #escape() {
    if (this.#panel.hidden) this.#input.value = "";
    this.#close();
  }

  #clicked(event) {
    const option = event.target.closest("[role=option]");
    if (option) this.#choose([...this.#list.children].indexOf(option));
  }

  #choose(index) {
    const stop = this.#stops[index];
    this.#input.value = "";
    this.#close();
    this.#input.blur();
    this.onChoose({ id: stop.stationId ?? stop.id, name: nameOf(stop) });
  }
}

function nameOf(stop) {
  return stop.stationName ?? stop.name ?? stop.stop_name ?? stop.id;
}
