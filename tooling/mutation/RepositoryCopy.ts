/**
 * A copy of the working tree in a temporary folder, with its dependencies installed. Stryker writes into the sources of
 * the copy; the repository stays unchanged.
 */
import { copyFileSync, cpSync, existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { root, run } from "../check/Workspace.ts"

/** A copy and the way to remove it. */
export interface RepositoryCopy {
  readonly folder: string
  readonly remove: () => void
}

const execute = async (cwd: string, command: string, ...args: ReadonlyArray<string>): Promise<string> => {
  const { code, output, standardOutput } = await run(command, args, { cwd })
  if (code !== 0) throw new Error(`${command} ${args.join(" ")} failed: ${output.trim()}`)
  return standardOutput
}

const stryker = join(import.meta.dirname, "node_modules")

/** Copies tracked and new files that are not ignored, installs from the lockfile, and copies the installed Stryker. */
export const make = async (): Promise<RepositoryCopy> => {
  const outer = mkdtempSync(join(tmpdir(), "daybook-mutation-"))
  const folder = join(outer, "repository")
  const files = await execute(root, "git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
  for (const file of files.split("\0")) {
    if (file === "" || !existsSync(join(root, file))) continue
    mkdirSync(dirname(join(folder, file)), { recursive: true })
    copyFileSync(join(root, file), join(folder, file))
  }
  await execute(folder, "pnpm", "install", "--frozen-lockfile", "--prefer-offline")
  // A copy, not a link: packages next to it are resolved from its location.
  cpSync(stryker, join(folder, "tooling/mutation/node_modules"), { recursive: true, verbatimSymlinks: true })
  return { folder, remove: () => rmSync(outer, { recursive: true, force: true }) }
}
