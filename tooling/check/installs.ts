/**
 * The folders outside the workspace install from a clean clone by `npm ci`, with the npm of Node 20 and that of Node 24.
 *
 * Both resolve every lockfile, and one of them installs every folder but the heavy ones: `pnpm installs`, in less than a minute.
 * `pnpm installs --all` installs all of them with both. It needs the registry.
 */
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Lockfile from "./Lockfile.ts"
import { report, root, run } from "./Workspace.ts"

const folders = [
  "tooling/bench",
  "tooling/bench/indexers",
  "tooling/mutation",
  "tooling/nodes",
  "tooling/nodes/others",
  "tooling/reference",
]

/** Folders of hundreds of megabytes, which are installed with `--all` only. */
const heavy: ReadonlySet<string> = new Set(["tooling/nodes/others"])

/** The npm that each major of Node comes with. */
const npms = [
  { node: 20, version: "10.8.2" },
  { node: 24, version: "11.6.2" },
]

const fetchMillis = 60_000
const installMillis = 120_000
const installsWithAll = process.argv.includes("--all")
const temporary = mkdtempSync(join(tmpdir(), "daybook-installs-"))

const readJson = <A>(path: string): A => JSON.parse(readFileSync(join(root, path), "utf8"))

interface Npm {
  readonly version: string
  /** The path of its program. */
  readonly script: string
}

/** Fetches an npm into the temporary folder; undefined when the registry cannot be reached or does not have it. */
const fetchNpm = async (version: string): Promise<Npm | undefined> => {
  const prefix = mkdtempSync(join(temporary, "npm-"))
  const args = ["install", "--prefix", prefix, "--no-save", "--no-audit", "--no-fund", `npm@${version}`]
  const { code } = await run("npm", args, { cwd: temporary, timeoutMillis: fetchMillis })
  return code === 0 ? { version, script: join(prefix, "node_modules/npm/bin/npm-cli.js") } : undefined
}

/** Runs `npm ci` on what a clean clone has of a folder; the start of npm's errors when that fails. */
const clean = async (npm: Npm, folder: string, args: ReadonlyArray<string>): Promise<string | undefined> => {
  const copy = mkdtempSync(join(temporary, "folder-"))
  for (const file of ["package.json", "package-lock.json", ".npmrc"]) {
    if (existsSync(join(root, folder, file))) copyFileSync(join(root, folder, file), join(copy, file))
  }
  const command = [npm.script, "ci", "--loglevel=error", ...args]
  const { code, output } = await run(process.execPath, command, { cwd: copy, timeoutMillis: installMillis })
  rmSync(copy, { recursive: true, force: true })
  return code === 0 ? undefined : output.trim().split("\n").slice(0, 12).join("\n")
}

const problems = folders.flatMap((folder) => {
  const manifest = readJson<Lockfile.Manifest>(`${folder}/package.json`)
  const lockfile = readJson<Lockfile.Lockfile>(`${folder}/package-lock.json`)
  return Lockfile.issues(manifest, lockfile).map((issue) => `${folder}: ${issue}`)
})
const tried: Array<Npm> = []
const tryFolders = async (npm: Npm, verb: string, args: ReadonlyArray<string>): Promise<void> => {
  for (const folder of folders) {
    if (verb === "install" && heavy.has(folder) && !installsWithAll) continue
    const failure = await clean(npm, folder, args)
    if (failure !== undefined) problems.push(`${folder}: npm ${npm.version} does not ${verb} it\n${failure}`)
  }
}

try {
  for (const { node, version } of npms) {
    const npm = await fetchNpm(version)
    if (npm === undefined)
      console.log(`installs: npm ${version} of Node ${node} could not be fetched and was not tried`)
    else tried.push(npm)
  }
  for (const npm of tried) await tryFolders(npm, "resolve", ["--dry-run"])
  // What does not resolve does not install.
  if (problems.length === 0) {
    for (const npm of installsWithAll ? tried : tried.slice(-1)) await tryFolders(npm, "install", [])
  }
} finally {
  rmSync(temporary, { recursive: true, force: true })
}
if (tried.length === 0) problems.push("no npm could be fetched. Check the connection to the registry.")
const versions = tried.map(({ version }) => version)
const installed = installsWithAll ? versions : versions.slice(-1)
report(
  "installs",
  problems,
  `${folders.length} folders resolve with npm ${versions.join(" and ")}, install with ${installed.join(" and ")}`,
)
