// The list of worktrees as a value: what answers and events do to it. Pure.

/** Members that say how old something is, or count changes: no part of what people see. */
const VOLATILE = ["git_age_seconds", "activity_age_seconds", "revision"];
/** Those that need a person come first. */
const URGENCY = ["needs_you", "done_unseen", "working", "idle", "unknown", "ended"];

const order = (one, other) => (one < other ? -1 : one > other ? 1 : 0);
/** Worktrees of several machines may have one path. */
const byPath = (one, other) => order(one.path, other.path) || order(one.id, other.id);

function list(revision, worktrees) {
  return { revision, worktrees: [...worktrees].sort(byPath) };
}

/** A revision as its generation and its number. */
function placeOf(revision) {
  const cut = revision.lastIndexOf("-");
  return { generation: revision.slice(0, cut), number: Number(revision.slice(cut + 1)) };
}

export function isOfOneGeneration(one, other) {
  return placeOf(one).generation === placeOf(other).generation;
}

/** Whether a revision is later than another of the same run of the server. */
export function isLater(one, other) {
  return isOfOneGeneration(one, other) && placeOf(one).number > placeOf(other).number;
}

/** The list after a response to `?since=`; `null` if the response is not a list, or is a delta and no list is known. */
export function afterAnswer(answer, known) {
  if (typeof answer?.revision !== "string" || !Array.isArray(answer.changed)) return null;
  if (!answer.changed.every(isWorktree)) return null;
  if (answer.full === true) return list(answer.revision, answer.changed);
  if (!known) return null;
  const gone = new Set([...answer.changed.map(({ id }) => id), ...(answer.removed ?? [])]);
  return list(answer.revision, [...known.worktrees.filter(({ id }) => !gone.has(id)), ...answer.changed]);
}

/** The list after an event with an id; `null` if it cannot be known. Events of other kinds leave it as it is. */
export function afterEvent({ type, payload }, id, known) {
  if (type === "snapshot") {
    const isWhole = typeof payload?.revision === "string" && Array.isArray(payload.worktrees) && payload.worktrees.every(isWorktree);
    return isWhole ? list(payload.revision, payload.worktrees) : null;
  }
  if (!["worktree:created", "worktree:updated", "worktree:deleted"].includes(type)) return known;
  if (!known || !id || !isOfOneGeneration(id, known.revision)) return null;
  const others = (gone) => known.worktrees.filter((worktree) => worktree.id !== gone);
  if (type === "worktree:deleted") return list(id, others(payload?.worktree_id));
  if (type === "worktree:created") return isWorktree(payload?.worktree) ? list(id, [...others(payload.worktree.id), payload.worktree]) : null;
  const before = known.worktrees.find((worktree) => worktree.id === payload?.worktree_id);
  return before ? list(id, [...others(before.id), merged(before, payload.updates ?? {})]) : null;
}

function merged(before, updates) {
  const after = { ...before, ...updates };
  for (const [name, value] of Object.entries(updates)) if (value === null) delete after[name];
  return after;
}

function isWorktree(value) {
  return typeof value?.id === "string" && typeof value.path === "string";
}

/** What people see of a list, as a text. */
export function contentOf({ worktrees }) {
  return JSON.stringify(worktrees.map((worktree) => Object.keys(worktree).filter((name) => !VOLATILE.includes(name)).sort().map((name) => [name, worktree[name]])));
}

export function stateOf(worktree) {
  return worktree.activity?.state ?? "unknown";
}

/** In the order of the page: those that need a person first, then by path. */
export function inOrder(worktrees) {
  const rank = (worktree) => (URGENCY.indexOf(stateOf(worktree)) + URGENCY.length + 1) % (URGENCY.length + 1);
  return [...worktrees].sort((one, other) => rank(one) - rank(other) || byPath(one, other));
}

/** How many worktrees are in a state. */
export function countOf(worktrees, state) {
  return worktrees.filter((worktree) => stateOf(worktree) === state).length;
}
