// What is in the watched folders and not shown, or not kept fresh by events, with the reason of each.

import { newElement } from "../shared/dom.js";

export class OmissionList {
  #isOffered = false;

  /**
   * @param {object} page - `api`, `say()`, `refusalInWords(failure)`.
   * @param {object} parts - `omissions`, `omissionsnote`, `omitted`.
   */
  constructor(page, parts) {
    this.page = page;
    this.parts = parts;
    parts.omissions.addEventListener("toggle", () => this.list());
  }

  /** Where nothing is shown, why is what a person wants to know first: it opens by itself, once. */
  show(isEmpty) {
    this.parts.omissions.hidden = false;
    if (!isEmpty || this.#isOffered) return;
    this.#isOffered = true;
    this.parts.omissions.open = true;
  }

  async list() {
    const { page, parts } = this;
    if (!parts.omissions.open) return;
    let found = [];
    let note = "";
    try {
      const answer = await page.api.omissions();
      found = Array.isArray(answer) ? answer.filter((one) => typeof one?.path === "string") : [];
      if (found.length === 0) note = page.say("noOmissions");
    } catch (failure) {
      note = page.refusalInWords(failure).join(" ");
    }
    parts.omissionsnote.textContent = note;
    parts.omitted.replaceChildren(...found.map((one) => {
      const item = newElement("li", "");
      item.dataset.reason = one.reason;
      const text = newElement("span", "", this.#sentence(one));
      // What the server wrote says more: the command to mend it, the limit that was reached.
      if (typeof one.detail === "string") text.title = one.detail;
      item.append(text);
      return item;
    }));
  }

  /** The message for a reason. An unknown reason, from a newer server, is shown with the server's text. */
  #sentence({ reason, path, detail }) {
    const known = `omission-${reason}`;
    const sentence = this.page.say(known, { path });
    return sentence === known ? detail ?? path : sentence;
  }
}
