/**
 * The built files of the explorer: those in this package or, in a checkout, those of `apps/explorer`. They are read once, at startup.
 */
import { readdirSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

/** Files by their path from the root of the site, such as `/assets/index-3f2a.js`. */
export type Files = ReadonlyMap<string, Uint8Array>

/** Folder to search: a program that runs from its sources is in a checkout. */
const folder = fileURLToPath(
  new URL(import.meta.url.endsWith(".ts") ? "../../../../../apps/explorer/dist" : "../../explorer", import.meta.url),
)

/** A build is far smaller; anything larger is not a build. */
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

/** Reads the files of a folder; `null` if it has no `index.html`. */
export const read = (from: string = folder): Files | null => {
  const paths = pathsIn(from)
  if (!paths.includes(join(from, "index.html"))) return null
  if (paths.reduce((sum, path) => sum + statSync(path).size, 0) > maxBytes) return null
  return new Map(paths.map((path) => [path.slice(from.length).replaceAll("\\", "/"), readFileSync(path)]))
}
