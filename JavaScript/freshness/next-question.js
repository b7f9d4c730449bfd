// When the next request is due and why, as reported by the machine, with the rule of the engine that decides
// (Documentation/engine.md). Pure.

/** The rule behind each cause that the machine reports. */
const RULES = {
  unwatched: "R5", offline: "R24", paused: "R11", outstanding: "R6", cadence: "R10", stated: "R31", learned: "R31", origin: "R39", patience: "R40", longPoll: "R32",
  safetyPoll: "R33", retry: "R7", backoff: "R23", degraded: "R34", recheck: "R21", retryAfter: "R21", spread: "R14", reconnect: "R24", change: "R33",
};

/**
 * @param {object} facts - `appearance` and `now`: as of `LiveBoard.diagnostics`.
 * @returns {{ wait: number | null, cause: string, rule: string }} Milliseconds, the machine's cause, and the rule.
 */
export function nextQuestion({ appearance, now }) {
  const wait = appearance.nextDue === null ? null : Math.max(0, appearance.nextDue - now);
  return { wait, cause: appearance.nextCause, rule: RULES[appearance.nextCause] };
}
