/** Installs the peers of a folder outside the workspace with `npm ci`, if they are missing or older than its lockfile. */
import { execFileSync } from "node:child_process"
import { readFileSync, statSync } from "node:fs"
import { join } from "node:path"

const modifiedAt = (file: string): number => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0

/** Installs what the lockfile of a folder names. An interrupted or outdated installation is replaced. */
export const install = (folder: string): void => {
  // npm writes this file last.
  const installedAt = modifiedAt(join(folder, "node_modules/.package-lock.json"))
  const changedAt = ["package.json", "package-lock.json"].map((file) => modifiedAt(join(folder, file)))
  if (installedAt >= Math.max(...changedAt)) return
  console.error(`installing the peers (npm ci in ${folder})`)
  // Standard output is reserved for the benchmark's own output.
  execFileSync("npm", ["ci", "--loglevel=error"], { cwd: folder, stdio: ["ignore", process.stderr, "inherit"] })
}

const versionsIn = (folder: string): Readonly<Record<string, string>> =>
  JSON.parse(readFileSync(join(import.meta.dirname, folder, "package.json"), "utf8")).dependencies

/** The pinned versions of the peers, by name. */
export const versions: Readonly<Record<string, string>> = { ...versionsIn("."), ...versionsIn("indexers") }
