/** Plays the scripts of many seeds, 16 at a time. */

interface Played {
  readonly issues: ReadonlyArray<string>
}

/** A busy machine can delay a client beyond its deadline, or close to it: such a script is played again, alone. */
const isLate = ({ issues }: Played): boolean =>
  issues.some((issue) => /ended with TimeoutError|gave up with/.test(issue))

export const playAll = async <A extends Played>(
  seeds: ReadonlyArray<number>,
  play: (seed: number) => Promise<A>,
): Promise<ReadonlyArray<A>> => {
  const queue = [...seeds]
  const played: Array<A> = []
  const late: Array<number> = []
  const worker = async () => {
    for (let seed = queue.shift(); seed !== undefined; seed = queue.shift()) {
      const one = await play(seed)
      if (isLate(one)) late.push(seed)
      else played.push(one)
    }
  }
  await Promise.all(Array.from({ length: 16 }, worker))
  for (const seed of late) played.push(await play(seed))
  return played
}
