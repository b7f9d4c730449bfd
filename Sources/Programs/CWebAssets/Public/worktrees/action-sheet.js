// The sheets in which a person decides about a worktree: merge, sync, delete, create. Nothing happens before the
// server has said what would, and a refusal says why and in which files.

import { element, makeDialog, newElement, setText } from "../shared/dom.js";
import { pressGuard } from "../shared/press-guard.js";
import { Refusal } from "./workspace-api.js";

/** What the server's table of refusals calls an operation that has another name here. */
const OPERATIONS = { remove: "delete" };

export class ActionSheet {
  #dialog = makeDialog(element("action"));
  #form = element("action-form");
  #card = null;
  #operation = null;
  #isForced = false;
  /** What a person passes over since the sheet was opened: processes by their numbers, and that commits are pushed. */
  #processes = [];
  #rewritesPushed = false;
  #number = 0;

  /** @param {object} page - `api`, `say()`, `refusalInWords(failure)`, `done(sentence)`. */
  constructor(page) {
    this.page = page;
    this.#form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#act();
    });
    // The browser says it a moment later: by then the sheet may be open for something else.
    this.#dialog.addEventListener("close", () => !this.#dialog.open && (this.#number += 1));
  }

  /** Opens the sheet of an operation: merge, sync or remove. */
  open(operation, card) {
    const { say } = this.page;
    [this.#card, this.#operation, this.#isForced] = [card, operation, false];
    [this.#processes, this.#rewritesPushed] = [[], false];
    setText(element("action-title"), say(`${operation}Title`, { name: card.name }));
    setText(element("action-explanation"), say(`${operation}Explanation`, { source: this.#source }));
    this.#form.reset();
    this.#say([]);
    this.#offer(say(operation));
    this.#block(false);
    this.#dialog.showModal();
    if (isAboutTrust(operation)) this.#showPrograms();
    else if (operation !== "remove") this.#check();
  }

  /** What the configuration would run: the person decides about these, and no others. */
  #showPrograms() {
    const { programs = [], count = 0 } = this.#card.worktree.git?.trust ?? {};
    const lines = programs.map(({ key, command, file }) => `${key} = ${command}${file ? ` (${file})` : ""}`);
    if (count > programs.length) lines.push(this.page.say("moreFiles", { count: count - programs.length }));
    this.#say([], lines);
  }

  get #source() {
    const { git, source_branch: branch } = this.#card.worktree;
    return git?.compared ?? branch ?? "";
  }

  async #check() {
    const { page } = this;
    const number = (this.#number += 1);
    this.#say([page.say("checking")]);
    try {
      const report = await page.api.check(this.#card.worktree.id, this.#operation);
      pressGuard.run(this, () => number === this.#number && this.#showReport(report));
    } catch (failure) {
      if (number === this.#number) await this.#refused(failure);
    }
  }

  #showReport(report) {
    const { page } = this;
    // What would be undone is not offered.
    this.#block(report?.has_conflicts === true);
    if (report?.has_conflicts) this.#say([page.say("wouldConflict")], report.conflict_files ?? [], "grave");
    else this.#say([page.say("noConflicts")], [], "good");
  }

  async #act() {
    if (element("action-go").hidden) return;
    const { page } = this;
    const number = (this.#number += 1);
    const given = new FormData(this.#form);
    const { worktree } = this.#card;
    const { id } = worktree;
    const source = this.#source;
    const isOn = (name) => given.get(name) === "on";
    const processes = this.#processes;
    this.#busy(true);
    this.#say([page.say("working")]);
    try {
      const answer = await {
        merge: () => page.api.merge(id, { squash: isOn("squash"), cleansUp: isOn("cleanup"), processes }),
        sync: () => page.api.sync(id, {
          strategy: given.get("strategy") ?? "rebase", fetches: isOn("fetch"), rewritesPushed: this.#rewritesPushed, processes,
        }),
        trust: () => page.api.trust(id, worktree.git?.trust?.digest),
        distrust: () => page.api.distrust(id),
        remove: () => page.api.remove(id, { isForced: this.#isForced, removesBranch: isOn("branch"), processes }),
      }[this.#operation]();
      // A worktree that was cleaned up comes back first, the merge after it.
      page.done(this.#doneInWords(answer, worktree, source), answer?.removed ?? answer?.restore);
      if (number === this.#number) this.#dialog.close();
    } catch (failure) {
      if (number === this.#number) await this.#refused(failure);
      else page.done(page.refusalInWords(failure).join(" "));
    } finally {
      this.#busy(false);
    }
  }

  /** What was done; and why a worktree stays that was to go after its merge, as the server says it. */
  #doneInWords(answer, { git, branch, path }, source) {
    const { say } = this.page;
    const name = this.#operation === "remove" ? path : git?.branch ?? branch ?? path;
    const reason = /; .* stays: (.+)$/s.exec(answer?.message ?? "")?.[1];
    const done = say(`done-${this.#operation}`, { name, source });
    return reason ? `${done} ${say("worktreeStays", { reason })}` : done;
  }

  /** Says why it was not done, and offers what the server would do all the same. */
  async #refused(failure) {
    const { page } = this;
    const number = this.#number;
    const isRefusal = failure instanceof Refusal;
    const operation = OPERATIONS[this.#operation] ?? this.#operation;
    const overrides = isRefusal && failure.code ? await page.api.overrides(failure.code, operation) : [];
    if (number !== this.#number) return;
    const processes = overrides.includes("processes") ? failure.processes.map(({ pid }) => pid) : [];
    this.#processes = [...this.#processes, ...processes];
    this.#rewritesPushed ||= overrides.includes("rewrite_pushed");
    this.#isForced = overrides.includes("force");
    const isPassable = this.#isForced || processes.length > 0 || overrides.includes("rewrite_pushed");
    this.#say(page.refusalInWords(failure), failure.files ?? [], "grave");
    this.#offer(page.say(this.#isForced ? "removeForced" : isPassable ? "anyway" : this.#operation), isPassable);
  }

  /** Shows sentences, the most important one first; `kind`: grave, good, or empty. */
  #say(sentences, files = [], kind = "") {
    element("action-message").dataset.kind = kind;
    element("action-message").replaceChildren(...sentences.map((sentence) => newElement("p", "", sentence)));
    const list = element("action-files");
    list.hidden = files.length === 0;
    list.replaceChildren(...files.map((file) => newElement("li", "", file)));
  }

  #offer(label, isGrave = false) {
    setText(element("action-go"), label);
    element("action-go").classList.toggle("grave", isGrave);
  }

  /** Whether it can be done at all: without that there is nothing to choose either. */
  #block(isBlocked) {
    element("action-go").hidden = isBlocked;
    for (const field of this.#form.querySelectorAll("[data-of]")) field.hidden = isBlocked || field.dataset.of !== this.#operation;
  }

  #busy(isBusy) {
    element("action-go").disabled = isBusy;
  }
}

function isAboutTrust(operation) {
  return operation === "trust" || operation === "distrust";
}

export class CreationSheet {
  #dialog = makeDialog(element("creation"));
  #form = element("creation-form");

  /** @param {object} page - As of `ActionSheet`, and `worktrees`. */
  constructor(page) {
    this.page = page;
    this.#form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#create();
    });
    element("creation-repository").addEventListener("change", () => this.#listBranches());
  }

  open() {
    const repositories = [...new Set(this.page.worktrees.map(({ repo_id: id }) => id).filter(Boolean))].sort();
    this.#form.reset();
    element("creation-repository").replaceChildren(...repositories.map((id) => new Option(id, id)));
    this.#say(repositories.length === 0 ? [this.page.say("noRepository")] : []);
    element("creation-go").disabled = repositories.length === 0;
    this.#dialog.showModal();
    if (repositories.length > 0) this.#listBranches();
  }

  async #listBranches() {
    const repository = element("creation-repository").value;
    // Names to choose from are a help only: without them they are typed.
    const names = await this.page.api.branches(repository).catch(() => []);
    if (repository !== element("creation-repository").value || !Array.isArray(names)) return;
    element("creation-sources").replaceChildren(...names.filter((name) => typeof name === "string").map((name) => new Option(name, name)));
  }

  async #create() {
    const { page } = this;
    const given = Object.fromEntries([...new FormData(this.#form)].map(([name, value]) => [name, String(value).trim()]));
    if (!given.branch && !given.name) return this.#say([page.say("branchNeeded")]);
    element("creation-go").disabled = true;
    this.#say([page.say("working")]);
    try {
      await page.api.create(given);
      this.#dialog.close();
      page.done(page.say("done-create", { name: given.branch || given.name }));
    } catch (failure) {
      this.#say(page.refusalInWords(failure), failure.files ?? [], "grave");
    } finally {
      element("creation-go").disabled = false;
    }
  }

  #say(sentences, files = [], kind = "") {
    element("creation-message").dataset.kind = kind;
    element("creation-message").replaceChildren(...[...sentences, ...files].map((sentence) => newElement("p", "", sentence)));
  }
}
