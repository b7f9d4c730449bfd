// One worktree on the page: what its agent does, what is asked of a person, and the state of git.

import { reasonInWords } from "./agent-reason.js";
import { fromTemplate, newElement, part, partsOf, setAttribute, setSign, setText, shown } from "../shared/dom.js";
import { duration } from "../shared/times.js";
import { stateOf } from "./workspace-list.js";

const SIGNS = { working: "live", needs_you: "reduced", done_unseen: "done", idle: "timetable", ended: "failing", unknown: "loading" };
/** How much of a prompt or a message is shown. */
const LONGEST_WORDS = 1200;
const MOST_FILES = 20;
/** The names of agents, by the word of the server. */
const AGENTS = { "claude-code": "Claude Code", codex: "Codex" };
const DAY = 86_400;
/** What a state is known from, by the word of the server. */
const SOURCES = { claude_log: "source-log", codex_log: "source-log", neutral_log: "source-log", claude_registry: "source-registry", process: "source-process" };

export class WorktreeCard {
  #shown = { words: null, todos: null, agents: null };

  /** @param {object} acts - `diff`, `seen`, `sync`, `merge`, `remove`: each takes the card. */
  constructor(acts) {
    this.root = fromTemplate("card-template");
    this.parts = partsOf(this.root);
    this.root.addEventListener("click", (event) => {
      const act = event.target.closest("button[data-act]")?.dataset.act;
      if (act) acts[act](this);
    });
  }

  get name() {
    return titleOf(this.worktree);
  }

  show(worktree, say) {
    this.worktree = worktree;
    const { parts } = this;
    const state = stateOf(worktree);
    setAttribute(this.root, "data-state", state in SIGNS ? state : "unknown");
    setAttribute(this.root, "data-id", worktree.id);
    setSign(parts.sign, SIGNS[state] ?? SIGNS.unknown);
    setText(parts.stateword, state in SIGNS ? say(`state-${state}`) : state);
    setText(parts.title, this.name);
    setText(parts.branch, worktree.git?.branch ?? (worktree.branch || say("detached")));
    // On a page of several machines, where it is.
    const { machine } = worktree;
    setText(parts.path, machine ? `${machine.name}: ${worktree.path}` : worktree.path);
    const isGone = machine && machine.state !== "live";
    const reason = isGone ? say("machineUnreachable", { machine: machine.name }) : reasonInWords(worktree.activity?.reason, say);
    parts.reason.hidden = !reason;
    setText(parts.reason, reason);
    this.#showAgents(worktree.activity ?? {}, say);
    this.#showWords(worktree, say);
    this.#showTodos(worktree.todos ?? [], isGone, say);
    this.#showGit(worktree, say);
    for (const button of this.root.querySelectorAll("button[data-act]")) setText(button, say(button.dataset.act));
    part(this.root, "seen").hidden = state !== "done_unseen";
    for (const name of ["merge", "sync"]) parts[name].hidden = worktree.is_main === true;
    parts.remove.hidden = worktree.is_main === true;
    parts.trust.hidden = !worktree.git?.trust;
    if (isTrusted(worktree)) setText(parts.trust, say("distrust"));
    setAttribute(parts.buttons, "aria-label", say("actionsOf", { name: this.name }));
    // What changes it is done on its machine.
    parts.buttons.hidden = Boolean(machine);
  }

  /** How long states have lasted, at a time of the server. */
  tick(now, say, locale) {
    for (const node of [this.parts.since, ...this.parts.agents.querySelectorAll("time")]) {
      const since = Date.parse(node.dateTime);
      setText(node, Number.isNaN(since) ? "" : say("sinceAge", { age: spanOf((now - since) / 1000, locale) }));
      setAttribute(node, "title", Number.isNaN(since) ? null : new Date(since).toLocaleString(locale));
    }
  }

  /** Who it is; of several each with its own state. */
  #showAgents({ agents = [], confidence, state, since, source }, say) {
    const { who, agents: list } = this.parts;
    setAttribute(this.parts.since, "datetime", since ?? "");
    const one = agents.length === 1 ? [agentName(agents[0]), agents[0].tool] : [];
    const isGuess = confidence === "low" && state !== "unknown";
    setText(who, [...one, isGuess && say("guessed")].filter(Boolean).join(" · "));
    setAttribute(who, "title", source && source !== "none" ? say("knownFrom", { source: SOURCES[source] ? say(SOURCES[source]) : source }) : null);
    list.hidden = agents.length < 2;
    const written = JSON.stringify([agents, say("guessed")]);
    if (this.#shown.agents === written) return;
    this.#shown.agents = written;
    list.replaceChildren(...(agents.length < 2 ? [] : agents).map((agent) => {
      const item = newElement("li", "");
      const time = newElement("time", "soft");
      time.dateTime = agent.since ?? "";
      const known = agent.state in SIGNS ? say(`state-${agent.state}`) : agent.state;
      item.append(newElement("strong", "", agentName(agent)), shown(` ${[known, agent.tool].filter(Boolean).join(" · ")} `), time);
      if (agent.reason) item.append(newElement("span", "agent-reason", reasonInWords(agent.reason, say)));
      return item;
    }));
  }

  #showWords({ latest_user_prompt: prompt, latest_claude_message: message }, say) {
    const entries = [["prompt", prompt], ["message", message]].filter(([, text]) => text);
    const written = JSON.stringify([entries, say("prompt")]);
    this.parts.words.hidden = entries.length === 0;
    if (this.#shown.words === written) return;
    this.#shown.words = written;
    this.parts.words.replaceChildren(...entries.flatMap(([name, text]) => [newElement("dt", "", say(name)), newElement("dd", "", cut(text))]));
  }

  #showTodos(list, isGone, say) {
    // A server that speaks to other clients too may write the status in their words, and the agent's own beside it.
    const todos = list.map((todo) => ({ ...todo, status: todo.originalStatus ?? todo.status }));
    const { todos: root, todolist, todocount, todonow } = this.parts;
    root.hidden = todos.length === 0;
    const done = todos.filter(({ status }) => status === "completed").length;
    setText(todocount, say("todosDone", { count: done, total: todos.length }));
    // What was in progress on an unreachable machine need not be now.
    todonow.hidden = Boolean(isGone);
    setText(todonow, todos.filter(({ status }) => status === "in_progress").map(({ content }) => content).join(", "));
    const written = JSON.stringify([todos, say("todosDone")]);
    if (this.#shown.todos === written) return;
    this.#shown.todos = written;
    todolist.replaceChildren(...todos.map(({ content, status }) => {
      const item = newElement("li", "todo");
      const known = ["pending", "in_progress", "completed", "cancelled"].includes(status);
      item.dataset.status = known ? status : "pending";
      item.append(newElement("span", "unseen", `${known ? say(`todo-${status}`) : status}: `), newElement("span", "", content ?? ""));
      return item;
    }));
  }

  #showGit(worktree, say) {
    const marks = gitMarks(worktree, say);
    const written = JSON.stringify(marks);
    if (this.parts.git.dataset.written !== written) {
      this.parts.git.dataset.written = written;
      this.parts.git.replaceChildren(...marks.map(({ kind, text }) => newElement("li", `mark ${kind}`, text)));
    }
    const files = worktree.git?.conflicts ?? [];
    this.parts.conflicts.hidden = files.length === 0;
    setText(this.parts.conflicts, files.length > 0 ? say("conflictsIn", { files: named(files, say) }) : "");
  }
}

function agentName({ agent }) {
  return AGENTS[agent] ?? agent ?? "";
}

/** A duration; in days where hours say little. */
function spanOf(seconds, locale) {
  if (seconds < 2 * DAY) return duration(seconds);
  return new Intl.NumberFormat(locale, { style: "unit", unit: "day", unitDisplay: "long" }).format(Math.floor(seconds / DAY));
}

export function titleOf(worktree) {
  return worktree.session_title?.title || worktree.latest_session_title || worktree.name || worktree.branch || worktree.path;
}

/** A list of files as a text, and how many more there are. */
export function named(files, say) {
  const rest = files.length - MOST_FILES;
  return files.slice(0, MOST_FILES).join(", ") + (rest > 0 ? ` ${say("moreFiles", { count: rest })}` : "");
}

/** Whether a person trusts what the repository's configuration names. */
export function isTrusted({ git }) {
  return git?.trust?.state === "trusted";
}

function cut(text) {
  return text.length > LONGEST_WORDS ? `${text.slice(0, LONGEST_WORDS)}…` : text;
}

/** The state of git, as short texts: `kind` is grave, mild or quiet. */
export function gitMarks(worktree, say) {
  const git = worktree.git ?? {};
  const marks = [];
  const add = (kind, name, values) => marks.push({ kind, text: say(name, values) });
  const counted = (kind, name, count, values = {}) => count > 0 && add(kind, name, { count, ...values });
  if (git.problem) marks.push({ kind: "grave", text: say("gitProblem", { problem: git.problem }) });
  if (git.trust) add(isTrusted(worktree) ? "quiet" : "grave", isTrusted(worktree) ? "trusted" : "untrusted", { count: git.trust.count });
  if (git.outside) add("mild", "outside", { path: git.outside });
  if (git.operation) add("grave", git.operation.steps ? "operationStep" : "operation", { ...git.operation, kind: git.operation.kind });
  counted("grave", "conflictCount", git.conflict_count ?? git.conflicts?.length ?? 0);
  counted("mild", "staged", git.staged);
  counted("mild", "unstaged", git.unstaged);
  counted("mild", "untracked", git.untracked);
  if (!worktree.is_dirty && !git.problem) add("quiet", "clean");
  const source = git.compared ?? worktree.source_branch;
  if (source) {
    counted("quiet", "commitsAhead", worktree.commit_count, { source });
    counted("quiet", "commitsBehind", worktree.commits_behind, { source });
  }
  if (git.upstream) {
    counted("quiet", "toPush", git.ahead, { upstream: git.upstream });
    counted("quiet", "toPull", git.behind, { upstream: git.upstream });
  }
  counted("quiet", "stashes", git.stashes);
  if (git.locked != null) add("quiet", "locked", { reason: git.locked });
  if (worktree.is_main) add("quiet", "mainWorktree");
  return marks;
}
