/** A checkout of this repository with its dependencies installed, whose own code is measured. */
import { execFileSync } from "node:child_process"
import { existsSync } from "node:fs"
import { join, resolve } from "node:path"
import { exitWith } from "../BenchOptions.ts"

export interface Checkout {
  readonly root: string
  /** The short hash of its commit, with `+` when files differ from it. */
  readonly commit: string
  /** The file of its codecs, a `Subject` of the benchmark `codecs`. */
  readonly codecs: string
  /** Arguments for Node that measure the RPC client and print `Usage`. */
  readonly rpc: (shape: "hydrated" | "hashes", mode: "single" | "batch", url: string) => ReadonlyArray<string>
  /** Arguments for Node that index a chain and print a `MeasuredRun`. */
  readonly indexer: (url: string, head: number) => ReadonlyArray<string>
}

const commitOf = (root: string): string => {
  const git = (...args: ReadonlyArray<string>) =>
    execFileSync("git", ["-C", root, ...args], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim()
  try {
    return (
      git("rev-parse", "--short", "HEAD") + (git("status", "--porcelain", "--untracked-files=no") === "" ? "" : "+")
    )
  } catch {
    return "no commit"
  }
}

/** The checkout in a folder. Benchmarks of older commits have their scripts and arguments under other names. */
export const fromFolder = (folder: string): Checkout => {
  const root = resolve(folder)
  const script = (name: string) => join(root, "tooling/bench", name)
  if (!existsSync(script("run.ts"))) exitWith(`No checkout of Daybook: ${root}. Name the root of a git worktree.`)
  if (!existsSync(join(root, "node_modules"))) exitWith(`Dependencies are missing: ${root}. Run "pnpm install" there.`)
  const isOlder = !existsSync(script("indexing/measure.ts"))
  return {
    root,
    commit: commitOf(root),
    codecs: script("codecs/subjects/daybook.ts"),
    rpc: (shape, mode, url) =>
      isOlder
        ? [script("rpc/measure.ts"), "**@daybook/rpc**", shape, mode === "single" ? "one" : "many", url]
        : [script("rpc/measure.ts"), "@daybook/rpc", shape, mode, url],
    indexer: (url, head) => [
      script(isOlder ? "indexSubjects.ts" : "indexing/measure.ts"),
      "daybook, standard",
      url,
      String(head),
    ],
  }
}
