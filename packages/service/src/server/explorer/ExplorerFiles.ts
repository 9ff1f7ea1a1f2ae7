/**
 * The built files of the explorer: those of this package, or in a checkout those of `apps/explorer`. They are read once, at start.
 */
import { readdirSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

/** Files by their path from the root of the site, such as `/assets/index-3f2a.js`. */
export type Files = ReadonlyMap<string, Uint8Array>

const packaged = fileURLToPath(new URL("../../../explorer", import.meta.url))

/** The folders to look in, in order; a program that runs from its sources is in a checkout. */
export const folders: ReadonlyArray<string> = import.meta.url.endsWith(".ts")
  ? [fileURLToPath(new URL("../../../../../apps/explorer/dist", import.meta.url)), packaged]
  : [packaged]

/** A build is smaller by far; what is larger is none. */
const maxBytes = 64 * 1024 * 1024

const pathsIn = (folder: string): ReadonlyArray<string> => {
  try {
    return readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
  } catch {
    return []
  }
}

/** Reads the first folder that has an `index.html`; `null` where none has one. */
export const read = (from: ReadonlyArray<string> = folders): Files | null => {
  for (const folder of from) {
    const paths = pathsIn(folder)
    if (!paths.includes(join(folder, "index.html"))) continue
    if (paths.reduce((sum, path) => sum + statSync(path).size, 0) > maxBytes) continue
    return new Map(paths.map((path) => [path.slice(folder.length).replaceAll("\\", "/"), readFileSync(path)]))
  }
  return null
}
