/** Runs the commands for dump and restore of `docs/operations.md` as documented. */
import { execFile } from "node:child_process"
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import type { Cluster } from "./Cluster.ts"

const root = fileURLToPath(new URL("../../../../", import.meta.url))

/** Code blocks of a document that are marked as executable, in order. */
const commandsOf = (markdown: string): string =>
  [...markdown.matchAll(/^```sh run\n(?<commands>[\s\S]*?)^```$/gm)].map(({ groups }) => groups!["commands"]!).join("")

/** Runs the commands on the database of a cluster; returns their output, or fails with the reason. */
export const run = async ({ folder, leading }: Cluster, bin: string | undefined): Promise<string> => {
  if (bin === undefined || !existsSync(join(bin, "pg_dump"))) return "dump and restore skipped: no pg_dump in --bin"
  const restored = new URL(leading())
  restored.pathname = "/restored"
  const config = JSON.parse(readFileSync(join(folder, "index.json"), "utf8")) as object
  writeFileSync(join(folder, "daybook.json"), JSON.stringify({ ...config, database: restored.href }))
  const daybook = `daybook() { "${process.execPath}" "${join(root, "packages/service/src/main.ts")}" "$@"; }`
  const commands = commandsOf(readFileSync(join(root, "docs/operations.md"), "utf8"))
  const env = {
    ...process.env,
    DATABASE_URL: leading(),
    RESTORED_URL: restored.href,
    PATH: `${bin}:${process.env["PATH"] ?? ""}`,
  }
  const { stdout } = await promisify(execFile)("sh", ["-eu", "-c", `${daybook}\n${commands}`], { cwd: folder, env })
  const [last = ""] = stdout.trim().split("\n").slice(-1)
  return `dump and restore by the commands of docs/operations.md: ${last}`
}
