/**
 * Runs scripts of hostile servers, several at a time. On a busy machine a client may be late or have no time for an attempt: such a
 * script is run again, alone and with more time. A real fault of the client shows in every result.
 */

/** Multiples of the client's time limits with which a script is run. */
const timeFactors = [1, 4, 16] as const

/** Options of running scripts. */
export interface Options<S, A> {
  /** Runs a script with a multiple of the client's time limits. */
  readonly run: (script: S, timeFactor: number) => Promise<A>
  /** Whether a busy machine may have delayed the client. */
  readonly isLate: (result: A) => boolean
}

/** A script and its last result. */
export interface ScriptResult<S, A> {
  readonly script: S
  readonly result: A
  readonly wasLate: boolean
}

/** Runs a script alone until it is not late; returns the last result. */
export const runAlone = async <S, A>(script: S, { isLate, run }: Options<S, A>): Promise<A> => {
  let result = await run(script, timeFactors[0])
  for (const factor of timeFactors.slice(1)) if (isLate(result)) result = await run(script, factor)
  return result
}

/** Runs scripts, a number of them at a time. */
export const runAll = async <S, A>(
  scripts: Iterable<S>,
  atOnce: number,
  options: Options<S, A>,
): Promise<ReadonlyArray<ScriptResult<S, A>>> => {
  const queue = [...scripts].toReversed()
  const results: Array<ScriptResult<S, A>> = []
  const late: Array<S> = []
  const worker = async () => {
    for (let script = queue.pop(); script !== undefined; script = queue.pop()) {
      const result = await options.run(script, timeFactors[0])
      if (options.isLate(result)) late.push(script)
      else results.push({ script, result, wasLate: false })
    }
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
  for (const script of late) results.push({ script, result: await runAlone(script, options), wasLate: true })
  return results
}
