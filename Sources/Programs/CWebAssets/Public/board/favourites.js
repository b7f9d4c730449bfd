// The stops that a person keeps on this device, and the one that is home.

import { element, makeDialog, nameControl, newButton, newElement, newSign, setAttribute } from "../shared/dom.js";
import { memory } from "../shared/memory.js";

const MOST = 50;

export class Favourites {
  #list;
  #dialog = makeDialog(element("favourites"));

  constructor(page) {
    this.page = page;
    const kept = memory.read("favourites");
    this.#list = Array.isArray(kept) ? kept.filter((stop) => typeof stop?.id === "string").slice(0, MOST) : [];
    element("favourites-open").addEventListener("click", () => this.open());
  }

  get list() {
    return this.#list;
  }

  has(id) {
    return this.#list.some((stop) => stop.id === id);
  }

  toggle(stop) {
    if (!stop) return;
    const others = this.#list.filter(({ id }) => id !== stop.id);
    this.#keep(this.has(stop.id) ? others : [{ id: stop.id, name: stop.name }, ...others].slice(0, MOST));
  }

  /** A stop has another name than it was kept with. */
  rename(stop) {
    const kept = this.#list.find(({ id }) => id === stop.id);
    if (!kept || kept.name === stop.name) return;
    kept.name = stop.name;
    memory.write("favourites", this.#list);
  }

  #keep(list) {
    this.#list = list;
    memory.write("favourites", list.length > 0 ? list : null);
    this.page.favouritesChanged();
    this.show();
  }

  #setHome(stop) {
    memory.write("home", memory.read("home")?.id === stop.id ? null : stop);
    this.show();
  }

  open() {
    this.show();
    this.#dialog.showModal();
  }

  speak() {
    this.show();
  }

  show() {
    const home = memory.read("home");
    element("favourites-empty").hidden = this.#list.length > 0;
    element("favourites-list").replaceChildren(...this.#list.map((stop) => this.#item(stop, home?.id === stop.id)));
    // Where nothing is shown yet, the favourites are the quickest way to something.
    const welcome = element("welcome-favourites");
    welcome.hidden = this.#list.length === 0 || this.page.panes?.some(({ settings }) => settings.stop) !== false;
    welcome.replaceChildren(...this.#list.slice(0, 8).map((stop) => newButton("favourite", stop.name || stop.id, () => this.page.openStop(stop))));
  }

  #item(stop, isHome) {
    const { say } = this.page;
    const item = newElement("li", "");
    const open = newButton("favourite-name", stop.name || stop.id, () => {
      this.#dialog.close();
      this.page.openStop(stop, this.page.current);
    });
    const home = newButton("plain", "", () => this.#setHome(stop));
    home.append(newSign("home"));
    setAttribute(home, "aria-pressed", String(isHome));
    nameControl(home, say("homeStop", { stop: stop.name }));
    const remove = newButton("plain", "", () => this.toggle(stop));
    remove.append(newSign("close"));
    nameControl(remove, say("removeNamed", { stop: stop.name }));
    item.append(open, home, remove);
    return item;
  }
}
