/**
 * Plays scripts of hostile servers, several at a time. On a busy machine a client may be late or have no time for an attempt: such a
 * script is played again, alone and with more time. A real fault of the client shows in every result.
 */

/** Multiples of the client's time limits with which a script is played. */
const patience = [1, 4, 16] as const

/** Options of playing scripts. */
export interface Options<S, A> {
  /** Plays a script with a multiple of the client's time limits. */
  readonly play: (script: S, patience: number) => Promise<A>
  /** Whether a busy machine may have delayed the client. */
  readonly isLate: (played: A) => boolean
}

/** A script and its last result. */
export interface Played<S, A> {
  readonly script: S
  readonly result: A
  readonly wasLate: boolean
}

/** Plays a script alone until it is not late; returns the last result. */
export const playAlone = async <S, A>(script: S, { isLate, play }: Options<S, A>): Promise<A> => {
  let result = await play(script, patience[0])
  for (const more of patience.slice(1)) if (isLate(result)) result = await play(script, more)
  return result
}

/** Plays scripts, a number of them at a time. */
export const playAll = async <S, A>(
  scripts: Iterable<S>,
  atOnce: number,
  options: Options<S, A>,
): Promise<ReadonlyArray<Played<S, A>>> => {
  const queue = [...scripts].toReversed()
  const played: Array<Played<S, A>> = []
  const late: Array<S> = []
  const worker = async () => {
    for (let script = queue.pop(); script !== undefined; script = queue.pop()) {
      const result = await options.play(script, patience[0])
      if (options.isLate(result)) late.push(script)
      else played.push({ script, result, wasLate: false })
    }
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
  for (const script of late) played.push({ script, result: await playAlone(script, options), wasLate: true })
  return played
}
