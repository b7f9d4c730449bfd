// The questions about jobs over HTTP. A token is sent in a field, never in an address.

import { queryOf } from "../shared/query.js";
import { signalWithin } from "../shared/signals.js";

const PATIENCE_MS = 30_000;
/** An upload may take as long as a slow line needs for it. */
const UPLOAD_PATIENCE_MS = 600_000;
/** The results of a page, as far as the server gives so many. */
const PAGE_ITEMS = 50;

/** An unsuccessful answer: `status`, `code`, `detail`, and `retryAfter` in seconds if the server says when to come back. */
export class JobRefusal extends Error {
  constructor(status, document, retryAfter = null) {
    super(document?.detail ?? `${status}`);
    this.status = status;
    this.retryAfter = /^\d+$/.test(retryAfter ?? "") ? Number(retryAfter) : null;
    this.code = document?.error ?? null;
    this.detail = document?.detail ?? null;
  }
}

const path = (id) => `/v1/jobs/${encodeURIComponent(id)}`;
export const bearer = (token) => ({ Authorization: `Bearer ${token}` });

export class JobApi {
  #capabilities = null;

  /** @param {Function} onTime - Told the server's time, and when it was asked and answered. */
  constructor(onTime) {
    this.onTime = onTime;
  }

  /** What the server can do; asked once, unless it did not answer. */
  capabilities() {
    this.#capabilities ??= this.#ask("GET", "/v1/capabilities").then(({ document }) => document);
    this.#capabilities.catch(() => (this.#capabilities = null));
    return this.#capabilities;
  }

  /** Starts a job; `body` is a form, or a text in JSON. The same key starts it once. */
  async start(pipeline, body, key) {
    const fields = { "Idempotency-Key": key, ...(typeof body === "string" ? { "Content-Type": "application/json" } : {}) };
    return (await this.#ask("POST", path(pipeline), { fields, body, patience: UPLOAD_PATIENCE_MS })).document;
  }

  /** The state and the events after a position: `{ document, tag }`, or `null` if it is as the tag says. */
  async state(job, after, tag, signal) {
    const query = after ? `?after=${after}` : "";
    const answer = await this.#ask("GET", `${path(job.id)}${query}`, { fields: { ...bearer(job.token), ...(tag ? { "If-None-Match": tag } : {}) }, signal });
    return answer.status === 304 ? null : { document: answer.document, tag: answer.headers.get("etag") };
  }

  async cancel(job) {
    return (await this.#ask("POST", `${path(job.id)}/cancel`, { fields: bearer(job.token) })).document;
  }

  async refresh(job) {
    return (await this.#ask("POST", `${path(job.id)}/token`, { fields: bearer(job.token) })).document;
  }

  /** A page of results, of as many rows as fit on it or the server gives at most. */
  async results(job, { after, outcome }) {
    const most = (await this.capabilities().catch(() => null))?.limits?.results?.pageItems;
    // Without a word of it the server takes its own number.
    const limit = Number.isSafeInteger(most) ? { limit: Math.min(most, PAGE_ITEMS) } : {};
    const query = queryOf({ after, ...limit, ...(outcome ? { outcome } : {}) });
    return (await this.#ask("GET", `${path(job.id)}/results?${query}`, { fields: bearer(job.token) })).document;
  }

  /** The failed rows: `{ blob, name }`. */
  async failedRows(job) {
    const response = await this.#fetch("GET", `${path(job.id)}/failed.csv`, { fields: bearer(job.token) });
    if (!response.ok) throw new JobRefusal(response.status, await response.json().catch(() => null));
    const name = /filename="([^"/\\]+)"/.exec(response.headers.get("content-disposition") ?? "")?.[1];
    return { blob: await response.blob(), name: name ?? "failed.csv" };
  }

  async #ask(method, address, options = {}) {
    const response = await this.#fetch(method, address, options);
    const document = response.status === 304 ? null : await response.json().catch(() => null);
    if (response.status !== 304 && !response.ok) throw new JobRefusal(response.status, document, response.headers.get("retry-after"));
    return { status: response.status, headers: response.headers, document };
  }

  /**
   * @param {string} method
   * @param {string} address
   * @param {{ fields?: object, body?: BodyInit, signal?: AbortSignal, patience?: number }} options
   */
  async #fetch(method, address, { fields = {}, body, signal, patience = PATIENCE_MS }) {
    const askedAt = performance.now();
    const response = await fetch(address, { method, headers: { Accept: "application/json, text/csv", ...fields }, body, cache: "no-store", signal: signalWithin(patience, signal) });
    const time = Date.parse(response.headers.get("date") ?? "");
    if (!Number.isNaN(time)) this.onTime(time, performance.now() - askedAt);
    return response;
  }
}
