// What a worktree changed, file by file.

import { element, makeDialog, newElement, setText } from "../shared/dom.js";

/** Files that begin open. */
const OPEN_FILES = 3;
/** More lines of one file are not put on the page. */
const MOST_LINES = 2000;
const HEADING = /^(?:diff --git |index |--- |\+\+\+ |new file|deleted file|similarity index |rename (?:from|to) |copy (?:from|to) )/;
/** The words of the server. */
const KINDS = ["added", "deleted", "modified", "renamed", "copied", "type changed", "conflicted", "added (untracked)"];
const OMITTED = ["binary", "too_large", "symbolic_link", "repository", "unreadable"];

export class DiffSheet {
  #dialog = makeDialog(element("diff"));
  #number = 0;

  /** @param {object} page - `api`, `say()`, `refusalInWords(failure)`. */
  constructor(page) {
    this.page = page;
  }

  async open(card) {
    const { page } = this;
    const { say } = page;
    const number = (this.#number += 1);
    setText(element("diff-title"), say("diffOf", { name: card.name }));
    setText(element("diff-note"), say("loading"));
    element("diff-files").replaceChildren();
    if (!this.#dialog.open) this.#dialog.showModal();
    let diff;
    try {
      diff = await page.api.diff(card.worktree.id);
    } catch (failure) {
      if (number === this.#number) setText(element("diff-note"), page.refusalInWords(failure).join(" "));
      return;
    }
    // A later one was asked for meanwhile.
    if (number !== this.#number) return;
    const files = Array.isArray(diff?.file_diffs) ? diff.file_diffs : [];
    const note = files.length === 0 ? say("diffEmpty") : say("diffFiles", { count: diff.total_files ?? files.length, source: diff.source_branch ?? "" });
    setText(element("diff-note"), diff?.is_truncated ? `${note} ${say("diffTruncated")}` : note);
    element("diff-files").replaceChildren(...files.map((file, index) => fileNode(file, index < OPEN_FILES, say)));
  }
}

function fileNode(file, isOpen, say) {
  const node = newElement("details", "diff-file");
  const head = newElement("summary", "");
  const name = file.old_path && file.old_path !== file.file_path ? `${file.old_path} → ${file.file_path}` : file.file_path;
  head.append(newElement("span", "diff-name", name), newElement("span", "diff-kind", changeInWords(file.change_type ?? "", say)));
  if (file.added > 0) head.append(newElement("span", "diff-added", `+${file.added}`));
  if (file.removed > 0) head.append(newElement("span", "diff-removed", `−${file.removed}`));
  node.append(head);
  const fill = () => node.children.length === 1 && node.append(textNode(file, say));
  node.addEventListener("toggle", () => node.open && fill());
  node.open = isOpen;
  if (isOpen) fill();
  return node;
}

function changeInWords(change, say) {
  return KINDS.includes(change) ? say(`change-${change}`) : change;
}

function textNode(file, say) {
  if (!file.diff_text) {
    const reason = OMITTED.includes(file.omitted) ? say(`omitted-${file.omitted}`) : file.omitted;
    return newElement("p", "diff-omitted", reason ? say("diffOmitted", { reason }) : say("diffNoText"));
  }
  const lines = linesOf(file.diff_text);
  const text = newElement("pre", "diff-text");
  text.tabIndex = 0;
  text.append(...lines.slice(0, MOST_LINES).map(({ kind, line }) => newElement("span", kind, `${line}\n`)));
  if (lines.length > MOST_LINES) text.append(newElement("span", "hunk", say("diffCut", { count: lines.length - MOST_LINES })));
  return text;
}

/** The lines of a difference with their kind. The lines before the first hunk are git's, and the heading says it. */
export function linesOf(text) {
  const lines = [];
  let isInside = false;
  for (const line of text.replace(/\n$/, "").split("\n")) {
    // A line that is removed may begin with dashes: only before the first hunk are they a heading.
    if (line.startsWith("@@")) isInside = true;
    else if (line.startsWith("diff --git ")) isInside = false;
    if (isInside) lines.push({ kind: { "+": "added", "-": "removed", "@": "hunk", "\\": "hunk" }[line[0]] ?? "same", line });
    else if (!HEADING.test(line)) lines.push({ kind: "hunk", line });
  }
  return lines;
}
