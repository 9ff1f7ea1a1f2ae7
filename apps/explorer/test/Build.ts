/** Builds the explorer as the service serves it. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { brotliCompressSync, gzipSync } from "node:zlib"
import { build } from "vite"

const folder = join(import.meta.dirname, "..")
const dist = join(folder, "dist")

/** Builds `dist`: in the mode `test` with fast compression, in the mode `production` as published. */
export const make = async (mode: "production" | "test" = "test"): Promise<void> => {
  const before = process.env["NODE_ENV"]
  // As outside of tests; with another value, React is built for development.
  process.env["NODE_ENV"] = "production"
  try {
    await build({ root: folder, configFile: join(folder, "vite.config.ts"), logLevel: "error", mode })
  } finally {
    if (before === undefined) delete process.env["NODE_ENV"]
    else process.env["NODE_ENV"] = before
  }
}

/** Size of a file of the build with gzip. */
export const sizeOf = (path: string): number => gzipSync(readFileSync(join(dist, path)), { level: 9 }).length

/** Size of a file of the published build with brotli at its highest quality. */
export const sentSizeOf = (path: string): number => brotliCompressSync(readFileSync(join(dist, path))).length

/** Paths of the scripts that the page refers to, which load before anything is shown. */
export const firstScripts = (): ReadonlyArray<string> =>
  [...page().matchAll(/(?:src|href)="(?<path>\/assets\/[^"]+\.js)"/g)].map(({ groups }) => groups?.["path"] ?? "")

/** The page that the service serves. */
export const page = (): string => readFileSync(join(dist, "index.html"), "utf8")
