// Asks for the token of the server, and keeps it as long as this tab lives: never in the address.

import { element, setText } from "./dom.js";
import { visitMemory } from "./visit-memory.js";

export class TokenForm {
  #root = element("token-form");
  #input = element("token");
  #token;

  /**
   * @param {string} name - Under which the token is kept.
   * @param {Function} onToken - Called when a person has given one.
   */
  constructor(name, onToken) {
    this.name = name;
    const kept = visitMemory.read(name);
    this.#token = typeof kept === "string" ? kept : null;
    this.#root.addEventListener("submit", (event) => {
      event.preventDefault();
      const token = this.#input.value.trim();
      if (!token) return this.#input.focus();
      this.#token = token;
      visitMemory.write(name, token);
      this.#input.value = "";
      this.hide();
      onToken();
    });
  }

  /** The fields of a request. */
  get fields() {
    // A string that no header field can carry is not a token; the server says so.
    return this.#token && /^[\x21-\x7e]+$/.test(this.#token) ? { Authorization: `Bearer ${this.#token}` } : {};
  }

  get isShown() {
    return !this.#root.hidden;
  }

  /** Asks; the server refused what there was, or there was nothing. */
  ask(say) {
    setText(element("token-refused"), this.#token ? say("tokenRefused") : "");
    if (this.isShown) return;
    this.#root.hidden = false;
    if (document.activeElement === document.body) this.#input.focus();
  }

  hide() {
    this.#root.hidden = true;
  }
}
