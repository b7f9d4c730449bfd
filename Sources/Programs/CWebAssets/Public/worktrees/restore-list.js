// What was done to worktrees and can be taken back: a button beside what was done last, and a list of everything.

import { newElement } from "../shared/dom.js";

export class RestoreList {
  #point = null;

  /**
   * @param {object} page - `api`, `say()`, `locale`, `refusalInWords(failure)`, `done(sentence, point)`.
   * @param {object} parts - `undo`, `undoline`, `restores`, `restoresnote`, `points`.
   */
  constructor(page, parts) {
    this.page = page;
    this.parts = parts;
    parts.undo.addEventListener("click", () => this.#restore(this.#point));
    parts.restores.addEventListener("toggle", () => this.#list());
  }

  /** Offers to take back what was done last; nothing with `null`. */
  offer(point) {
    this.#point = point ?? null;
    this.parts.undoline.hidden = !point;
    this.#list();
  }

  async #restore(point) {
    const { page } = this;
    if (!point) return;
    try {
      const answer = await page.api.restore(point.id);
      page.done(page.say(`restored-${point.kind}`, { name: point.branch ?? point.path, path: point.path }), answer?.restore);
    } catch (failure) {
      page.done([...page.refusalInWords(failure), failure?.detail].filter(Boolean).join(" "));
    }
  }

  async #list() {
    const { page, parts } = this;
    if (!parts.restores.open) return;
    let points = [];
    let note = "";
    try {
      points = await page.api.restorePoints();
      if (points.length === 0) note = page.say("noRestores");
    } catch (failure) {
      note = page.refusalInWords(failure).join(" ");
    }
    parts.restoresnote.textContent = note;
    parts.points.replaceChildren(...points.map((point) => {
      const item = newElement("li", "");
      const time = (text) => new Date(text).toLocaleString(page.locale, { dateStyle: "medium", timeStyle: "short" });
      const what = page.say(`point-${point.kind}`, { name: point.branch ?? point.path, path: point.path });
      const until = page.say("keptUntil", { time: time(point.kept_until) });
      const button = newElement("button", "tool", page.say("undo"));
      button.type = "button";
      button.dataset.restore = point.id;
      button.addEventListener("click", () => this.#restore(point));
      item.append(newElement("span", "", `${time(point.created_at)}: ${what} ${until}`), button);
      return item;
    }));
  }
}
