// When the next question is due, and by which rule of the engine (Documentation: the rules of the machine).
// The machine shows no cause, so it is read off everything it does show. Pure.

/** How far an aligned question may be from the expected change: delay, spread and rounding. */
const ALIGNED_WITHIN_MS = 2500;

/**
 * @param {object} facts - `look`, `policy`, `notes`, `expectedAt`, `now`: as of `LiveBoard.diagnostics`.
 * @returns {{ wait: number | null, rule: string }} Milliseconds, and the rule.
 */
export function nextQuestion({ look, policy, notes, expectedAt, now }) {
  const wait = look.alarm === null ? null : Math.max(0, look.alarm - now);
  return { wait, rule: ruleOf({ look, policy, notes, expectedAt }) };
}

function ruleOf({ look, policy, notes, expectedAt }) {
  if (look.connectivity === "offline") return "R24";
  if (look.lifecycle !== "foreground") return "R11";
  if (look.outstanding !== null) return "R6";
  if (["refused", "unauthorised", "gone", "throttled"].includes(look.failure)) return "R21";
  if (look.failuresInARow > 0) return "R23";
  if (notes.includes("drifted")) return "R14";
  if (look.isStreaming) return "R33";
  const { marker } = look.label;
  if (marker.reduced?.status === "guardedError" || marker.reduced?.mode === "staticTimeoutFallback") return "R34";
  const late = expectedAt === null || look.alarm === null ? null : look.alarm - expectedAt;
  if (policy.alignment && late !== null && late >= 0 && late <= ALIGNED_WITHIN_MS) return "R31";
  return "R10";
}
