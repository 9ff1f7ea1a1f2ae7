/**
 * Runs the commands of the README's installation section: packages from tarballs, the configuration, the service, a page, and a signed
 * statement. They run in a temporary folder, with the node of DAYBOOK_NODE_URL and the wallet of DAYBOOK_ADDRESS: `pnpm with-service
 * installation`.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { freePort } from "../harness/src/FreePort.ts"
import * as ShellExample from "./ShellExample.ts"
import * as Source from "./Source.ts"
import { report, root, run } from "./Workspace.ts"

const { DAYBOOK_ADDRESS: address, DAYBOOK_NODE_URL: node } = process.env
if (address === undefined || node === undefined)
  throw new Error("No chain was given. Run: pnpm with-service installation")

const folder = mkdtempSync(join(tmpdir(), "daybook-installation-"))
const own = join(folder, "own")
const prefix = join(folder, "prefix")
const port = await freePort()

/** Text of the README with the values of this machine in place of its examples. */
const inFolder = (text: string): string =>
  text
    .replaceAll("/tmp/daybook", join(folder, "packed"))
    .replaceAll("http://127.0.0.1:8545", node)
    .replaceAll("8080", String(port))
    .replaceAll(/\b(?:OTHER-)?URL\b/g, node)
    .replaceAll("ADDRESS", address)
    .replaceAll("--public-key KEY", '--public-key "$(daybook signing-key show)"')

/** The first command of the README runs in the checkout; npm installs commands into a folder of this check. */
const scriptOf = (commands: ReadonlyArray<ShellExample.Command>): string => `
export PATH="${prefix}/bin:$PATH" npm_config_prefix="${prefix}" npm_config_prefer_offline=true
npm() { if [ "$1" = run ]; then (cd "${root}" && command npm "$@"); else command npm "$@"; fi; }
trap 'jobs -p | xargs -r kill; wait' EXIT
${ShellExample.scriptOf(commands)}`

const issuesOf = async ({ code, line }: Source.Example): Promise<ReadonlyArray<string>> => {
  const commands = ShellExample.commandsOf(inFolder(code))
  const script = scriptOf(commands)
  const options = { cwd: own, isGroup: true, timeoutMillis: 300_000 }
  const { output, standardOutput } = await run("bash", ["-c", script], options)
  const issues = ShellExample.issuesOf(commands, standardOutput)
  return issues.map((issue) => `README.md:${line}, ${issue}\n${output.trim()}`)
}

const text = readFileSync(join(root, "README.md"), "utf8")
const blocks = Source.markdownExamples(text, "sh").filter(({ words }) => words.includes("installation"))
const issues: Array<string> = []
try {
  mkdirSync(own)
  for (const { code, words } of Source.markdownExamples(text, "json"))
    if (words[0] !== undefined) writeFileSync(join(own, words[0]), inFolder(code))
  for (const block of blocks) if (issues.length === 0) issues.push(...(await issuesOf(block)))
} finally {
  rmSync(folder, { recursive: true, force: true })
}
if (blocks.length === 0) issues.push("README.md has no installation block")
report("installation", issues, `${blocks.length} blocks of the README ran from tarballs`)
