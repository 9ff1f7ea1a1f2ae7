/**
 * A cache bounded in bytes that evicts the entries used least recently. It does not know what it holds, nor whether that is still
 * valid.
 */

/** A cache of entries by key. */
export interface LruCache<A extends { readonly bytes: Uint8Array }> {
  /** The entry of a key, which counts as a use. */
  readonly get: (key: string) => A | undefined
  /** Adds or replaces an entry; one above an eighth of the cache is not kept. */
  readonly set: (key: string, entry: A) => void
  readonly delete: (key: string) => void
  /** Bytes in use, keys included. */
  readonly size: () => number
}

/** Memory of an entry beside its bytes and its key, which takes two bytes a character at most. */
const overheadBytes = 256

/** A larger entry would evict many others. */
const maxShare = 1 / 8

/** Makes a cache of at most `maxBytes`. */
export const make = <A extends { readonly bytes: Uint8Array }>(maxBytes: number): LruCache<A> => {
  // A map iterates its keys in the order of insertion: the first is the one used least recently.
  const entries = new Map<string, A>()
  let size = 0
  const sizeOf = (key: string, { bytes }: A) => bytes.length + key.length * 2 + overheadBytes

  const remove = (key: string) => {
    const entry = entries.get(key)
    if (entry === undefined) return
    entries.delete(key)
    size -= sizeOf(key, entry)
  }

  return {
    get: (key) => {
      const entry = entries.get(key)
      if (entry === undefined) return undefined
      entries.delete(key)
      entries.set(key, entry)
      return entry
    },
    set: (key, entry) => {
      remove(key)
      const added = sizeOf(key, entry)
      if (added > maxBytes * maxShare) return
      entries.set(key, entry)
      size += added
      for (const oldest of entries.keys()) {
        if (size <= maxBytes) return
        remove(oldest)
      }
    },
    delete: remove,
    size: () => size,
  }
}
