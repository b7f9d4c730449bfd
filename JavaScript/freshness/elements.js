// Elements for pages without a framework. Importing this file defines them:
//
//     <fresh-value src="/api/status" path="items.0.name"></fresh-value>
//     <fresh-age src="/api/status"></fresh-age>
//
// Both observe the resource at `src` while they are in the document and share it with all other observers. They reflect its
// `state` in an attribute, for style sheets, and dispatch `fresh` with the snapshot as `detail` after each change.

import { ageInWords } from "./age-text.js";
import { FreshnessClient } from "./client.js";

// Node has no elements; the module can still be imported there.
const Base = globalThis.HTMLElement ?? /** @type {typeof HTMLElement} */ (/** @type {unknown} */ (class {}));

/** The policy that an attribute names: a preset, or an interval in milliseconds. */
function policyOf(text) {
  return text === null ? undefined : /^\d+$/.test(text) ? Number(text) : text;
}

class FreshElement extends Base {
  static observedAttributes = ["src", "policy", "path", "lang"];
  /** Whether the element is updated once a second. */
  static isTicking = false;
  #end = null;
  #shown = null;
  resource = null;

  /** The client; the shared one unless another is set before the element is connected. */
  client = this.client ?? null;

  connectedCallback() {
    this.#watch();
  }

  disconnectedCallback() {
    this.#unwatch();
  }

  attributeChangedCallback(name) {
    if (!this.isConnected) return;
    if (name === "src" || name === "policy") this.#watch();
    else this.#show();
  }

  /**
   * Returns the text for a snapshot.
   *
   * @param {{ value: any, age: number | null }} snapshot
   */
  textOf(snapshot) {
    return "";
  }

  get snapshot() {
    return this.resource?.snapshot ?? null;
  }

  /** Requests a refresh now. */
  refresh(options) {
    this.resource?.refresh(options);
  }

  #watch() {
    this.#unwatch();
    const src = this.getAttribute("src");
    if (src === null) return;
    const client = this.client ?? FreshnessClient.shared;
    try {
      this.resource = client.resource(new URL(src, document.baseURI), { policy: policyOf(this.getAttribute("policy")) });
    } catch (failure) {
      // A URL or a policy that is not valid: the page continues, and its console says why.
      this.setAttribute("state", "failing");
      return console.error(failure);
    }
    this.#end = this.resource.subscribe(() => this.#show(), { ticking: /** @type {typeof FreshElement} */ (this.constructor).isTicking });
    this.#show();
  }

  #unwatch() {
    this.#end?.();
    [this.#end, this.resource, this.#shown] = [null, null, null];
  }

  #show() {
    const { snapshot } = this;
    if (snapshot === null) return;
    const text = this.textOf(snapshot);
    if (this.textContent !== text) this.textContent = text;
    if (this.#shown === snapshot) return;
    this.#shown = snapshot;
    this.setAttribute("state", snapshot.state);
    this.dispatchEvent(new CustomEvent("fresh", { detail: snapshot, bubbles: true }));
  }
}

/** Shows a value, or the member at `path`, such as `departures.0.destination`; empty if absent. */
export class FreshValue extends FreshElement {
  textOf({ value }) {
    const path = this.getAttribute("path");
    const found = path === null ? value : path.split(".").reduce((place, name) => place?.[name], value);
    if (found === null || found === undefined) return "";
    return typeof found === "object" ? JSON.stringify(found) : String(found);
  }
}

/** Shows the age of a value in words, in the language of the element. With `role="timer"` screen readers do not announce each change. */
export class FreshAge extends FreshElement {
  static isTicking = true;

  connectedCallback() {
    if (!this.hasAttribute("role")) this.setAttribute("role", "timer");
    super.connectedCallback();
  }

  textOf({ age }) {
    return ageInWords(age, /** @type {HTMLElement | null} */ (this.closest("[lang]"))?.lang);
  }
}

if (globalThis.customElements) {
  for (const [name, element] of Object.entries({ "fresh-value": FreshValue, "fresh-age": FreshAge })) {
    if (!customElements.get(name)) customElements.define(name, element);
  }
}
