/**
 * Dictionaries for compressing texts. A row names the one it needs, so none can be removed from the package. Those of documents are trained
 * by `pnpm dictionary`; that of facts is a text with their keys.
 *
 * Source: decision 0033.
 */
import { readFileSync } from "node:fs"
import * as Zstd from "./Zstd.ts"

/** Id of the dictionary of new documents. */
export const current = 1

/** Id of the dictionary of new facts of blocks. */
export const facts = 2

const ids: ReadonlySet<number> = new Set([current, facts])

const loaded = new Map<number, Zstd.Zstd>()

/** Contexts of a dictionary; throws for an id that this version does not have. */
export const zstd = (id: number): Zstd.Zstd => {
  const found = loaded.get(id)
  if (found !== undefined) return found
  if (!ids.has(id)) throw new Error(`Unknown dictionary: ${id}`)
  const made = Zstd.make(readFileSync(new URL(`../../../dictionaries/${id}.zdict`, import.meta.url)))
  loaded.set(id, made)
  return made
}
