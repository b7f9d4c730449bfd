// Why an agent needs a person, or why nothing is known of it, in the language of the page. Pure.

/** The sentences of the server (Sources/Worktrees/Agents/Activity/ActivityFusion.swift); some are followed by what it is about. */
export const REASONS = {
  "it asks for a permission": "reason-permission",
  "it asks a question": "reason-question",
  "it asks whether its plan is right": "reason-plan",
  "it seems to ask for a permission": "reason-seemsPermission",
  "it waits for an answer": "reason-answer",
  "the turn failed": "reason-failed",
  "its process ended in the middle of a turn": "reason-cut",
  "its process ended in the middle of a turn, and was started again": "reason-restarted",
  "a command of yours runs in the background": "reason-background",
  "no sign of life for a long time": "reason-silent",
  "its log says nothing of a turn": "reason-noTurn",
  "nothing was asked yet, or its log was not found": "reason-notAsked",
  "it runs here, and no log of it was found": "reason-noLog",
};

/** A reason in words; one that is not known stays as it is. */
export function reasonInWords(reason, say) {
  if (!reason) return "";
  if (Object.hasOwn(REASONS, reason)) return say(REASONS[reason]);
  const cut = reason.indexOf(": ");
  const beginning = cut < 0 ? "" : reason.slice(0, cut);
  return Object.hasOwn(REASONS, beginning) ? say("reasonOf", { reason: say(REASONS[beginning]), what: reason.slice(cut + 2) }) : reason;
}
