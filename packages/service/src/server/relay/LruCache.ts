/**
 * A cache limited in bytes that evicts the least recently used entries. It does not know what it holds, or whether that is still valid.
 */

/** A cache of entries by key. */
export interface LruCache<A extends { readonly bytes: Uint8Array }> {
  /** Returns the entry of a key, which counts as a use. */
  readonly get: (key: string) => A | undefined
  /** Adds or replaces an entry; an entry above an eighth of the cache is not kept. */
  readonly set: (key: string, entry: A) => void
  readonly delete: (key: string) => void
  /** Bytes in use, keys included. */
  readonly size: () => number
}

/** Memory of an entry in addition to its bytes and its key, which takes at most two bytes per character. */
const overheadBytes = 256

/** A larger entry would evict many others. */
const maxShare = 1 / 8

/** Makes a cache of at most `maxBytes`. */
export const make = <A extends { readonly bytes: Uint8Array }>(maxBytes: number): LruCache<A> => {
  // A map iterates its keys in insertion order: the first key is the least recently used.
  const entries = new Map<string, A>()
  let size = 0
  const sizeOf = (key: string, { bytes }: A) => bytes.length + key.length * 2 + overheadBytes

  const remove = (key: string) => {
    const entry = entries.get(key)
    // Sound: a key that was deleted had an entry.
    if (entries.delete(key)) size -= sizeOf(key, entry!)
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
