// What a person asks of one worktree: its difference, and what changes it. Failures say what the server said.

import { queryOf } from "../shared/query.js";
import { signalWithin } from "../shared/signals.js";

/** Git may take long: as long as the server gives it. */
const PATIENCE_MS = 120_000;

/** An unsuccessful answer: `status`, `code`, `detail`, `files`. */
export class Refusal extends Error {
  constructor(status, document) {
    super(document?.detail ?? document?.message ?? `${status}`);
    this.status = status;
    this.code = document?.error ?? null;
    this.detail = document?.detail ?? document?.message ?? null;
    /** Processes that live in the worktree: `pid`, `name`. */
    this.processes = (document?.processes ?? []).filter((process) => Number.isInteger(process?.pid));
    this.files = [...(document?.conflict_files ?? []), ...(document?.files ?? [])].filter((file) => typeof file === "string");
  }
}

export class WorkspaceApi {
  #refusals = null;

  /** @param {() => object} fields - Further fields of requests. */
  constructor(fields) {
    this.fields = fields;
  }

  diff(id) {
    return this.#ask("GET", `${path(id)}/diff`);
  }

  branches(repository) {
    return this.#ask("GET", `/v1/git/branches/${encodeURIComponent(repository)}`);
  }

  /** Whether a merge or a sync would end in conflicts. */
  check(id, operation) {
    return this.#ask("GET", `${path(id)}/${operation}/check`);
  }

  merge(id, { squash, cleansUp, processes = [] }) {
    return this.#ask("POST", `${path(id)}/merge`, { squash, auto_cleanup: cleansUp, ...named(processes) });
  }

  sync(id, { strategy, fetches, rewritesPushed, processes = [] }) {
    return this.#ask("POST", `${path(id)}/sync`, {
      strategy, fetch: fetches, ...(rewritesPushed ? { rewrite_pushed: true } : {}), ...named(processes),
    });
  }

  remove(id, { isForced, removesBranch, processes = [] }) {
    const query = queryOf({
      ...(isForced ? { force: 1 } : {}), ...(removesBranch ? { delete_branch: 1 } : {}),
      ...(processes.length > 0 ? { processes: processes.join(",") } : {}),
    });
    return this.#ask("DELETE", `${path(id)}?${query}`);
  }

  /** What is in the watched folders but not shown, and why. */
  omissions() {
    return this.#ask("GET", "/v1/git/omissions");
  }

  /** The parameters with which a request overrides a refusal, from the server's table, which is requested once. */
  async overrides(code, operation) {
    this.#refusals ??= this.#ask("GET", "/v1/git/refusals").catch(() => (this.#refusals = null));
    const table = await this.#refusals;
    return (Array.isArray(table) ? table : []).find((entry) => entry?.code === code)?.overrides?.[operation] ?? [];
  }

  /** What can be taken back, the newest first. */
  restorePoints() {
    return this.#ask("GET", "/v1/git/restore");
  }

  /** Takes it back. */
  restore(point) {
    return this.#ask("POST", `/v1/git/restore/${encodeURIComponent(point)}`);
  }

  create({ repository, branch, name, source }) {
    const given = Object.entries({ repository, branch, name, source }).filter(([, value]) => value);
    return this.#ask("POST", "/v1/git/worktrees", Object.fromEntries(given));
  }

  /** Trusts the programs that were shown. */
  trust(id, digest) {
    return this.#ask("POST", `${path(id)}/trust`, { digest });
  }

  distrust(id) {
    return this.#ask("DELETE", `${path(id)}/trust`);
  }

  seen(id) {
    return this.#ask("POST", `${path(id)}/seen`);
  }

  async #ask(method, address, body) {
    const headers = { ...this.fields(), Accept: "application/json" };
    if (body) headers["Content-Type"] = "application/json";
    const response = await fetch(address, {
      method, headers, body: body && JSON.stringify(body), cache: "no-store", signal: signalWithin(PATIENCE_MS),
    });
    const document = await response.json().catch(() => null);
    if (!response.ok) throw new Refusal(response.status, document);
    return document;
  }
}

/** Processes that are not a reason to refuse, as a member of a body. */
const named = (processes) => (processes.length > 0 ? { processes } : {});

const path = (id) => `/v1/git/worktrees/${encodeURIComponent(id)}`;
