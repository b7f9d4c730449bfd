// Ends requests that take too long.

/** @type {any} The compiler's library may be older than `any` and `timeout`. */
const Signal = AbortSignal;

/**
 * Returns a signal that aborts after a time, or with another signal.
 *
 * @param {number} patience - In milliseconds.
 * @param {AbortSignal} [signal]
 * @returns {AbortSignal}
 */
export function signalWithin(patience, signal) {
  return Signal.any([Signal.timeout(patience), ...(signal ? [signal] : [])]);
}
