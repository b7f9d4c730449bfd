// What a person asks of one worktree: its difference, and what changes it. Failures say what the server said.

/** Git may take long: as long as the server gives it. */
const PATIENCE_MS = 120_000;

/** An answer that is no success: `status`, `code`, `detail`, `files`. */
export class Refusal extends Error {
  constructor(status, document) {
    super(document?.detail ?? document?.message ?? `${status}`);
    this.status = status;
    this.code = document?.error ?? null;
    this.detail = document?.detail ?? document?.message ?? null;
    this.files = [...(document?.conflict_files ?? []), ...(document?.files ?? [])].filter((file) => typeof file === "string");
  }
}

export class WorkspaceApi {
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

  merge(id, { squash, cleansUp }) {
    return this.#ask("POST", `${path(id)}/merge`, { squash, auto_cleanup: cleansUp });
  }

  sync(id, { strategy, fetches }) {
    return this.#ask("POST", `${path(id)}/sync`, { strategy, fetch: fetches });
  }

  remove(id, { isForced, removesBranch }) {
    const query = new URLSearchParams({ ...(isForced ? { force: 1 } : {}), ...(removesBranch ? { delete_branch: 1 } : {}) });
    return this.#ask("DELETE", `${path(id)}?${query}`);
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
      method, headers, body: body && JSON.stringify(body), cache: "no-store", signal: AbortSignal.timeout(PATIENCE_MS),
    });
    const document = await response.json().catch(() => null);
    if (!response.ok) throw new Refusal(response.status, document);
    return document;
  }
}

const path = (id) => `/v1/git/worktrees/${encodeURIComponent(id)}`;
