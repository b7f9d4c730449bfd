// <freshness-devtools>: a panel for developers. Shows for each resource of a client when the next request goes out and by
// which rule, the counters, and the last samples, which it saves as JSON Lines. Importing this file defines it.

import { ageInWords } from "./age-text.js";
import { FreshnessClient } from "./client.js";
import { DiagnosticsView, saveRecords } from "./diagnostics-view.js";

const Base = globalThis.HTMLElement ?? /** @type {typeof HTMLElement} */ (/** @type {unknown} */ (class {}));
const TICK_MS = 1000;

/** The labels of the panel, and descriptions of the causes. */
const WORDS = {
  samples: "The last samples", sampleTime: "Time", sampleAnswer: "Answer", sampleDuration: "Took", sampleBytes: "Bytes",
  sampleAge: "Age", sampleStatus: "Status", factNext: "Next request", factCadence: "Cadence", factRequests: "Requests",
  factUnchanged: "{percent} % unchanged", factBytes: "Received", factGuards: "Guards", factNotes: "Last notes",
  factGuardsOf: "{superseded} superseded, {coalesced} coalesced, {kept} withheld, {retries} retries, {rescues} rescues",
  "cause-unwatched": "unwatched", "cause-offline": "offline", "cause-paused": "paused in the background",
  "cause-outstanding": "a request is out", "cause-cadence": "cadence", "cause-stated": "after the change that the server announced",
  "cause-learned": "after the change that a learned rhythm foretells", "cause-longPoll": "long poll",
  "cause-safetyPoll": "safety poll beside a healthy stream", "cause-retry": "silent retry", "cause-backoff": "backoff ladder",
  "cause-degraded": "ladder after a degraded answer", "cause-recheck": "recheck of an answer that would be the same",
  "cause-retryAfter": "the server's Retry-After", "cause-spread": "spread after a gap in time",
  "cause-reconnect": "spread after a reconnection", "cause-change": "gap between requests that a stream asks for",
  "cause-origin": "the server's limit for all who ask it", "cause-patience": "as many requests as a minute may have",
};

/** Returns the text for a name, or the name without its prefix. */
function say(name, values = {}) {
  const text = WORDS[name] ?? name.replace(/^(cause|outcome|status)-/, "");
  return text.replace(/\{(\w+)\}/g, (_, value) => values[value] ?? "");
}

const STYLE = `
  :host { position: fixed; inset: auto 0 0 0; z-index: 2147483000; font: 12px/1.4 ui-monospace, monospace; }
  button, summary { font: inherit; color: inherit; cursor: pointer; }
  details { background: #16191d; color: #e8eaed; max-height: 60vh; overflow: auto; box-shadow: 0 -2px 12px #0006; }
  summary { padding: .3rem .8rem; }
  section { padding: .4rem .8rem; border-top: 1px solid #3a4048; }
  h2 { font: inherit; font-weight: bold; margin: 0; overflow-wrap: anywhere; }
  button { background: #2b3138; border: 1px solid #4a525c; border-radius: 3px; margin: .3rem .3rem 0 0; }
  .facts { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: 0 1rem; margin: .3rem 0; }
  .facts dt { color: #9aa4b0; } .facts dd { margin: 0; }
  .samples-scroll { overflow-x: auto; max-height: 12rem; }
  .samples { border-collapse: collapse; white-space: nowrap; }
  .samples th, .samples td { padding: 0 1rem 0 0; text-align: left; font-weight: normal; }
  .samples th { color: #9aa4b0; }
`;

const FORMAT = {
  say,
  duration: (seconds) => `${Math.max(0, seconds).toFixed(1)}\u00a0s`,
  dataSize: (bytes) => `${bytes}\u00a0B`,
  time: (record) => new Date(record.startedAt).toLocaleTimeString("en-GB"),
};

/** One resource in the panel. */
class Section {
  #view = new DiagnosticsView();
  #title = document.createElement("h2");
  root = document.createElement("section");

  constructor(resource) {
    this.resource = resource;
    const button = (text, act) => {
      const node = document.createElement("button");
      node.textContent = text;
      node.addEventListener("click", act);
      return node;
    };
    this.#view.speak(say);
    this.root.append(
      this.#title,
      button("Refresh", () => resource.refresh()),
      button("Refresh, forced", () => resource.refresh({ isForced: true })),
      button("Save samples", () => saveRecords(resource.diagnostics()?.records ?? [])),
      this.#view.facts,
      this.#view.samples,
    );
  }

  show() {
    const { key, snapshot } = this.resource;
    const title = [key, snapshot.state, ageInWords(snapshot.age), snapshot.error?.message].filter(Boolean).join(" · ");
    if (this.#title.textContent !== title) this.#title.textContent = title;
    const facts = this.resource.diagnostics();
    if (facts) this.#view.show(facts, FORMAT);
  }
}

export class FreshnessDevtools extends Base {
  #sections = new Map();
  #timer = null;
  #details;
  #summary;

  /** The client to show; the shared one by default. */
  client = this.client ?? null;

  connectedCallback() {
    if (!this.shadowRoot) this.#build();
    this.#tick();
  }

  disconnectedCallback() {
    clearTimeout(this.#timer);
  }

  #build() {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(STYLE);
    const root = this.attachShadow({ mode: "open" });
    root.adoptedStyleSheets = [sheet];
    this.#details = document.createElement("details");
    this.#details.open = this.hasAttribute("open");
    this.#summary = document.createElement("summary");
    this.#details.append(this.#summary);
    this.#details.addEventListener("toggle", () => this.#show());
    root.append(this.#details);
  }

  #tick() {
    this.#show();
    this.#timer = setTimeout(() => this.#tick(), TICK_MS);
  }

  #show() {
    const { resources } = this.client ?? FreshnessClient.shared;
    this.#summary.textContent = `Freshness · ${resources.length} ${resources.length === 1 ? "resource" : "resources"}`;
    if (!this.#details.open) return;
    for (const [resource, section] of this.#sections) {
      if (resources.includes(resource)) continue;
      section.root.remove();
      this.#sections.delete(resource);
    }
    for (const resource of resources) {
      if (!this.#sections.has(resource)) {
        const section = new Section(resource);
        this.#sections.set(resource, section);
        this.#details.append(section.root);
      }
      this.#sections.get(resource).show();
    }
  }
}

if (globalThis.customElements && !customElements.get("freshness-devtools")) {
  customElements.define("freshness-devtools", FreshnessDevtools);
}
