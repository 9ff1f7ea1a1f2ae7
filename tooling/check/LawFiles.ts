/**
 * Finds the test files with laws, or with campaigns of which `npm test` makes a part. A file also has the laws of the suites that it
 * imports, as the test of a store engine does.
 */
import { existsSync, readFileSync } from "node:fs"
import { dirname, resolve } from "node:path"
import * as Source from "./Source.ts"

/** Whether a test file or a suite has laws, itself or by imports outside `src`. `visited` contains the files that were read. */
const hasLaws = (file: string, visited: Set<string>): boolean => {
  if (visited.has(file) || file.includes("/src/") || !existsSync(file)) return false
  visited.add(file)
  const text = readFileSync(file, "utf8")
  if (/\.prop\(/.test(text)) return true
  return Source.imports(file, text).some(
    ({ specifier }) => /^\.{1,2}\/.+\.ts$/.test(specifier) && hasLaws(resolve(dirname(file), specifier), visited),
  )
}

/** Whether a test file has laws or a number of runs. */
export const isLawful = (file: string): boolean =>
  /\bRuns\.usual/.test(readFileSync(file, "utf8")) || hasLaws(resolve(file), new Set())
