// Why a resource could not be brought up to date.

const MEANINGS = {
  refused: "the server refuses the request",
  unauthorised: "the server does not permit it",
  gone: "the resource is gone",
  throttled: "the server asks for patience",
  serverError: "the server failed",
  timedOut: "no answer came in time",
  unreachable: "the server cannot be reached",
  undecodable: "the answer cannot be read",
  missingBody: "the server confirmed a copy that is not here",
  engine: "the refresh engine did not start",
};

/** A failure, as a value beside the copy that is shown: it never takes the copy away (R22). */
export class FreshnessError extends Error {
  /**
   * @param {string} kind - One of the failures of the engine (R21), or `engine` if its module did not load or refused the policy.
   * @param {object} details - `status`: of the answer, 0 without one; `problem`: the document that the server sent with
   *   it, or `null`; `reason`: in words, or `null`; `address`; `cause`: the error behind it.
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
