// The panel that shows how a board is kept fresh: what was asked, what came, what comes next and why.

import { AgePlot } from "./age-plot.js";
import { DiagnosticsView, saveRecords } from "../engine/diagnostics-view.js";
import { element, newButton, newElement, newSign, nameControl, setText } from "../shared/dom.js";
import { clockTimeToSecond, dataSize, duration } from "../shared/times.js";

export class Diagnostics {
  #root = element("diagnostics");
  #view = new DiagnosticsView();
  #plot = new AgePlot();

  constructor(page) {
    this.page = page;
    const head = newElement("div", "diagnostics-head");
    this.title = newElement("h2", "");
    this.save = newButton("", "", () => saveRecords(this.page.panes[0].live.diagnostics().records));
    this.hide = newButton("plain", "", () => this.toggle());
    this.hide.append(newSign("close"));
    head.append(this.title, this.save, this.hide);
    this.#root.append(head, this.#view.facts, this.#plot.root, this.#view.samples);
  }

  toggle() {
    this.#root.hidden = !this.#root.hidden;
    document.documentElement.toggleAttribute("data-diagnostics", !this.#root.hidden);
    this.speak();
    if (!this.#root.hidden) this.save.focus();
  }

  speak() {
    const { say } = this.page;
    setText(this.title, say("diagnostics"));
    setText(this.save, say("exportSamples"));
    nameControl(this.hide, say("close"));
    this.#view.speak(say);
    this.#plot.speak(say);
    this.tick();
  }

  /** Every second. */
  tick() {
    if (this.#root.hidden) return;
    const { say, locale } = this.page;
    const pane = this.page.panes[0];
    const facts = pane?.live.diagnostics();
    if (!facts) return;
    this.#view.show(facts, {
      say,
      duration,
      dataSize: (bytes) => dataSize(bytes, locale, say),
      // At the time of day of its board.
      time: (record) => clockTimeToSecond(pane.clock.at(record.startedAt - pane.live.origin), pane.zone),
    });
    this.#plot.show(facts);
  }
}
