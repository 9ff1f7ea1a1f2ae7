/** Batches lookups that are made at the same time into few requests. */

interface Waiting<A> {
  readonly key: string
  readonly resolve: (value: A) => void
  readonly reject: (error: unknown) => void
}

/** Time to wait for further lookups, in milliseconds. */
const delayMillis = 5

/** Makes a lookup of one key from a lookup of several keys, which returns a value for each in their order. */
export const make = <A>(
  lookup: (keys: ReadonlyArray<string>) => Promise<ReadonlyArray<A>>,
  maxKeys: number,
): ((key: string) => Promise<A>) => {
  let waiting: Array<Waiting<A>> = []

  const send = async (batch: ReadonlyArray<Waiting<A>>): Promise<void> => {
    try {
      const values = await lookup(batch.map(({ key }) => key))
      for (const [at, { resolve }] of batch.entries()) resolve(values[at]!)
    } catch (error) {
      for (const { reject } of batch) reject(error)
    }
  }

  const flush = (): void => {
    const all = waiting
    waiting = []
    for (let at = 0; at < all.length; at += maxKeys) void send(all.slice(at, at + maxKeys))
  }

  return (key) =>
    new Promise((resolve, reject) => {
      if (waiting.length === 0) setTimeout(flush, delayMillis)
      waiting.push({ key, resolve, reject })
    })
}
