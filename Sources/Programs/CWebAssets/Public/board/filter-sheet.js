// The sheet in which lines and platforms are chosen.

import { badgeColours } from "./colours.js";
import { element, makeDialog, newElement, paintBadge, setText } from "../shared/dom.js";
import { linesOf, platformsOf } from "./views.js";

export class FilterSheet {
  #dialog = makeDialog(element("filters"));
  #pane = null;

  constructor(page) {
    this.page = page;
    element("filters-clear").addEventListener("click", () => {
      this.#pane.choose({ lines: [], platforms: [] });
      this.#dialog.close();
    });
  }

  open(pane) {
    this.#pane = pane;
    const { lines, platforms } = pane.settings;
    const served = linesOf(pane.departures);
    this.#fill("filter-lines", [...served.map(({ name }) => name), ...missing(lines, served.map(({ name }) => name))], lines, "lines", served);
    const known = platformsOf(pane.departures);
    this.#fill("filter-platforms", [...known, ...missing(platforms, known)], platforms, "platforms");
    setText(element("filters-title"), this.page.say("pair", { name: this.page.say("filters"), value: pane.name }));
    this.#dialog.showModal();
  }

  #fill(id, names, chosen, kind, served = []) {
    const group = element(id);
    group.closest("fieldset").hidden = names.length === 0;
    group.replaceChildren(...names.map((name) => this.#choice(name, chosen, kind, served.find((line) => line.name === name)?.departure)));
  }

  #choice(name, chosen, kind, departure) {
    const label = newElement("label", "choice");
    const box = document.createElement("input");
    box.type = "checkbox";
    box.checked = chosen.includes(name);
    box.addEventListener("change", () => {
      const others = this.#pane.settings[kind].filter((one) => one !== name);
      this.#pane.choose({ [kind]: box.checked ? [...others, name] : others });
    });
    const text = newElement("span", departure ? "badge" : "choice-name", name);
    if (departure) paintBadge(text, badgeColours(departure));
    label.append(box, text);
    return label;
  }
}

/** What is chosen though the board does not have it now. */
function missing(chosen, known) {
  return chosen.filter((name) => !known.includes(name));
}
