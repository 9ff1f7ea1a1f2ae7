/** Plays the scripts of many seeds, 16 at a time; those that were late again. */

interface Played {
  readonly issues: ReadonlyArray<string>
  /** The script permits what was observed, by itself and whatever the time. */
  readonly isAllowed: boolean
}

/** A busy machine can delay a client beyond its deadline, or close to it: such a script is played again, alone and with more time. */
const isLate = ({ isAllowed, issues }: Played): boolean =>
  !isAllowed || issues.some((issue) => /ended with (?:TimeoutError|hangs)|gave up with|took \d/.test(issue))

/** Multiples of the deadline with which a script is played again. */
const patience = [1, 4, 16] as const

/** Plays a script until it is not late; an error of the client remains in each result. */
export const playAlone = async <A extends Played>(play: (patience: number) => Promise<A>): Promise<A> => {
  let played = await play(patience[0])
  for (const more of patience.slice(1)) if (isLate(played)) played = await play(more)
  return played
}

export const playAll = async <A extends Played>(
  seeds: ReadonlyArray<number>,
  play: (seed: number, patience: number) => Promise<A>,
): Promise<ReadonlyArray<A>> => {
  const queue = [...seeds]
  const played: Array<A> = []
  const late: Array<number> = []
  const worker = async () => {
    for (let seed = queue.shift(); seed !== undefined; seed = queue.shift()) {
      const one = await play(seed, patience[0])
      if (isLate(one)) late.push(seed)
      else played.push(one)
    }
  }
  await Promise.all(Array.from({ length: 16 }, worker))
  for (const seed of late) played.push(await playAlone((more) => play(seed, more)))
  return played
}
