// Desktop notifications while the page is not visible. Off until the user turns them on.

import { element, setText } from "../shared/dom.js";
import { memory } from "../shared/memory.js";

const KEPT = "notices";
/** The longest text of a notice, in characters. */
const LONGEST = 200;

export class Notices {
  #choice = element("notify");
  #isRefused = false;

  /**
   * @param {object} page - `say()`.
   * @param {Function} onChosen - Called with the id of a notice that was pressed.
   */
  constructor(page, onChosen) {
    this.page = page;
    this.onChosen = onChosen;
    // A page that does not come over a safe way cannot show any.
    this.#choice.closest("label").hidden = !("Notification" in globalThis);
    this.#choice.checked = this.isOn;
    this.#choice.addEventListener("change", () => this.#choose(this.#choice.checked));
  }

  get isOn() {
    return memory.read(KEPT) === true && globalThis.Notification?.permission === "granted";
  }

  speak() {
    setText(element("notify-note"), this.#isRefused ? this.page.say("notifyRefused") : "");
  }

  async #choose(isRequested) {
    const answer = isRequested ? await Notification.requestPermission() : null;
    this.#isRefused = isRequested && answer !== "granted";
    memory.write(KEPT, isRequested && !this.#isRefused ? true : null);
    this.#choice.checked = this.isOn;
    this.speak();
  }

  /** Shows a notice unless the page has the focus. A later notice with the same id replaces it. */
  notify({ id, title, text }) {
    if (!this.isOn || document.hasFocus()) return;
    try {
      const notice = new Notification(title, { body: text.slice(0, LONGEST), tag: id, icon: "/assets/icon.svg" });
      notice.addEventListener("click", () => {
        focus();
        notice.close();
        this.onChosen(id);
      });
    } catch {
      // Some systems show notices of service workers only.
      this.#choice.checked = false;
    }
  }
}
