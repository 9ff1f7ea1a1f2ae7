/** A checkout of this repository whose code is measured: this one, or an older commit for comparison. */
import { execFileSync } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

export interface Checkout {
  readonly root: string
  /** Appended to the name of a subject: empty for this checkout, such as " at 1a2b3c4d5" for the other one. */
  readonly suffix: string
}

/** A checkout whose packages were built and installed in a folder, as users install them. */
export interface Installed extends Checkout {
  readonly folder: string
}

/** This checkout. */
export const head: Checkout = { root: join(import.meta.dirname, "../.."), suffix: "" }

const git = (...args: ReadonlyArray<string>): string =>
  execFileSync("git", ["-C", head.root, ...args], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim()

/** Hash of a commit; undefined if there is none with that name. */
export const commitOf = (revision: string): string | undefined => {
  try {
    return git("rev-parse", "--verify", `${revision}^{commit}`)
  } catch {
    return undefined
  }
}

/** An older commit, unpacked into a temporary folder with its own dependencies. `remove` deletes it. */
export const unpack = (commit: string): { readonly checkout: Checkout; readonly remove: () => void } => {
  const root = mkdtempSync(join(tmpdir(), "daybook-against-"))
  const remove = () => rmSync(root, { recursive: true, force: true })
  console.error(`unpacking ${commit.slice(0, 9)} and installing its dependencies`)
  try {
    execFileSync("sh", ["-c", `git -C "$1" archive "$2" | tar x -C "$3"`, "sh", head.root, commit, root])
    const args = ["install", "--frozen-lockfile", "--prefer-offline", "--reporter=silent"]
    execFileSync("pnpm", args, { cwd: root, stdio: ["ignore", "ignore", "inherit"] })
  } catch (error) {
    remove()
    throw error
  }
  return { checkout: { root, suffix: ` at ${commit.slice(0, 9)}` }, remove }
}

/** A list in a different order for each round, so that no subject always follows the same one. */
export const inTurns = <A>(list: ReadonlyArray<A>, round: number): ReadonlyArray<A> => {
  const first = list.length === 0 ? 0 : round % list.length
  const turned = [...list.slice(first), ...list.slice(0, first)]
  return round % 2 === 0 ? turned : turned.toReversed()
}
