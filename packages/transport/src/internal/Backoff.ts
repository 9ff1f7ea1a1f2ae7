/**
 * Exponential backoff with a cap: how long to wait before another attempt. Pure, so that a state machine can use it; a `Schedule`
 * would keep the number of attempts in the fiber that runs it.
 */

/**
 * Bounds of the delay, in milliseconds.
 */
export interface Backoff {
  /** Delay after the first failure; doubles with each further failure. */
  readonly firstMillis: number
  readonly maxMillis: number
}

/**
 * Milliseconds to wait after a number of consecutive failures, at least 1.
 */
export const delayMillis = ({ firstMillis, maxMillis }: Backoff, failures: number): number =>
  // The exponent is bounded because 0 times infinity is NaN.
  Math.min(maxMillis, firstMillis * 2 ** Math.min(failures - 1, 99))
