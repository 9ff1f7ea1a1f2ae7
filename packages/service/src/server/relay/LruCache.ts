/**
 * Answers by key, as many as fit into a number of bytes; those that were asked for longest ago go first. It knows nothing of what
 * it keeps, nor whether that is still true.
 */

/** Keeps answers. */
export interface LruCache<A extends { readonly bytes: Uint8Array }> {
  readonly get: (key: string) => A | undefined
  /** Keeps an answer; one that would take the place of many others is not kept. */
  readonly set: (key: string, answer: A) => void
  readonly delete: (key: string) => void
  /** Bytes of what is kept, keys included. */
  readonly size: () => number
}

/** What an answer takes beside its text and its key, which is kept in two bytes a character at most. */
const overheadBytes = 256

/** Answers larger than this part of the whole are not kept. */
const largestPart = 1 / 8

/** Makes a cache of at most `maxBytes`. */
export const make = <A extends { readonly bytes: Uint8Array }>(maxBytes: number): LruCache<A> => {
  const answers = new Map<string, A>()
  let size = 0
  const sizeOf = (key: string, { bytes }: A) => bytes.length + key.length * 2 + overheadBytes

  const remove = (key: string) => {
    const answer = answers.get(key)
    if (answer === undefined) return
    answers.delete(key)
    size -= sizeOf(key, answer)
  }

  return {
    get: (key) => {
      const answer = answers.get(key)
      if (answer === undefined) return undefined
      // A map gives its keys in the order in which they were put in.
      answers.delete(key)
      answers.set(key, answer)
      return answer
    },
    set: (key, answer) => {
      remove(key)
      const own = sizeOf(key, answer)
      if (own > maxBytes * largestPart) return
      answers.set(key, answer)
      size += own
      for (const oldest of answers.keys()) {
        if (size <= maxBytes) return
        remove(oldest)
      }
    },
    delete: remove,
    size: () => size,
  }
}
