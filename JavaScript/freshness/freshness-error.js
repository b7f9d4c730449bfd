// The error of a resource.

const MEANINGS = {
  refused: "the server refused the request",
  unauthorised: "the server denied access",
  gone: "the resource is gone",
  throttled: "the server limits requests",
  serverError: "the server failed",
  timedOut: "no answer in time",
  unreachable: "the server is unreachable",
  undecodable: "the answer cannot be read",
  missingBody: "the server confirmed a copy that does not exist",
  engine: "the refresh engine did not start",
};

/** Why a refresh failed. Errors never erase a value (R22). */
export class FreshnessError extends Error {
  /**
   * @param {string} kind - One of the failures of the engine (R21), or `engine` if its module did not load or refused the policy.
   * @param {object} details - `status`: of the answer, 0 without one; `problem`: the document that the server sent with
   *   it, or `null`; `reason`: a description, or `null`; `address`; `cause`: the underlying error.
   */
  constructor(kind, { status = 0, problem = null, reason = null, address, cause } = {}) {
    const detail = reason ?? problem?.detail ?? problem?.message ?? null;
    const what = [MEANINGS[kind] ?? kind, status > 0 ? ` (${status})` : "", detail === null ? "" : `: ${detail}`].join("");
    super(`${address}: ${what}`, cause === undefined ? undefined : { cause });
    this.name = "FreshnessError";
    this.kind = kind;
    this.status = status;
    this.problem = problem;
    this.reason = reason;
  }
}
