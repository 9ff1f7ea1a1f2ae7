/**
 * The dictionaries by which documents are compressed. A row names the one it needs, so each remains in the package; new rows use the
 * last. They are trained by `pnpm dictionary`.
 *
 * Source: decision 0033.
 */
import { readFileSync } from "node:fs"
import * as Zstd from "./Zstd.ts"

/** Id of the dictionary of new rows. */
export const current = 1

const ids: ReadonlySet<number> = new Set([1])

const loaded = new Map<number, Zstd.Zstd>()

/** The contexts of a dictionary; throws for an id that this version does not have. */
export const zstd = (id: number): Zstd.Zstd => {
  const found = loaded.get(id)
  if (found !== undefined) return found
  if (!ids.has(id)) throw new Error(`Unknown dictionary: ${id}`)
  const made = Zstd.make(readFileSync(new URL(`../../../dictionaries/${id}.zdict`, import.meta.url)))
  loaded.set(id, made)
  return made
}
