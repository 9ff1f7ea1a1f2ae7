/**
 * Verifies that the folders outside the workspace install from a clean clone with `npm ci`, with the npm of Node 20 and that of Node 24.
 *
 * Both resolve every lockfile, and one of them installs every folder except the large ones: `pnpm installs`, in a minute or two. `pnpm
 * installs --resolve` installs none, and `pnpm installs --all` installs all of them with both. It needs the registry.
 */
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Lockfile from "./Lockfile.ts"
import { report, root, run } from "./Workspace.ts"

const folders = [
  "tooling/bench",
  "tooling/bench/indexers",
  "tooling/mcp",
  "tooling/mutation",
  "tooling/nodes",
  "tooling/nodes/others",
  "tooling/bundlers",
  "tooling/reference",
]

/** Folders of hundreds of megabytes, which are only installed with `--all`. */
const heavy: ReadonlySet<string> = new Set(["tooling/nodes/others"])

/** The npm that each major of Node comes with. */
const npms = [
  { node: 20, version: "10.8.2" },
  { node: 24, version: "11.6.2" },
]

const fetchMillis = 120_000
const installMillis = 240_000
const installsWithAll = process.argv.includes("--all")
const onlyResolves = process.argv.includes("--resolve")
const temporary = mkdtempSync(join(tmpdir(), "daybook-installs-"))

const readJson = <A>(path: string): A => JSON.parse(readFileSync(join(root, path), "utf8"))

interface Npm {
  readonly version: string
  /** Path of the npm program. */
  readonly script: string
}

/** Downloads an npm version into the temporary folder; undefined if the registry is unreachable or does not have it. */
const fetchNpm = async (version: string): Promise<Npm | undefined> => {
  const prefix = mkdtempSync(join(temporary, "npm-"))
  const args = ["install", "--prefix", prefix, "--no-save", "--no-audit", "--no-fund", `npm@${version}`]
  const { code } = await run("npm", args, { cwd: temporary, timeoutMillis: fetchMillis })
  return code === 0 ? { version, script: join(prefix, "node_modules/npm/bin/npm-cli.js") } : undefined
}

/** Runs `npm ci` on the committed files of a folder; returns the start of npm's errors on failure. */
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

/** Number of folders that are installed concurrently, because most of the time is spent waiting for the registry. */
const concurrency = 3

const tryFolders = async (used: ReadonlyArray<Npm>, verb: string, args: ReadonlyArray<string>): Promise<void> => {
  const waiting = used.flatMap((npm) =>
    folders
      .filter((folder) => verb !== "install" || !heavy.has(folder) || installsWithAll)
      .map((folder) => ({ folder, npm })),
  )
  const worker = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const { folder, npm } = next
      const failure = await clean(npm, folder, args)
      if (failure !== undefined) problems.push(`${folder}: npm ${npm.version} does not ${verb} it\n${failure}`)
    }
  }
  await Promise.all(Array.from({ length: concurrency }, worker))
}

try {
  const fetched = await Promise.all(npms.map(({ version }) => fetchNpm(version)))
  for (const [at, { node, version }] of npms.entries()) {
    const npm = fetched[at]
    if (npm === undefined)
      console.log(`installs: npm ${version} of Node ${node} could not be downloaded and was skipped`)
    else tried.push(npm)
  }
  await tryFolders(tried, "resolve", ["--dry-run"])
  // Folders that do not resolve are not installed.
  if (problems.length === 0 && !onlyResolves) await tryFolders(installsWithAll ? tried : tried.slice(-1), "install", [])
} finally {
  rmSync(temporary, { recursive: true, force: true })
}
if (tried.length === 0) problems.push("no npm could be downloaded. Check the connection to the registry.")
const versions = tried.map(({ version }) => version)
const installed = installsWithAll ? versions : versions.slice(-1)
const resolved = `${folders.length} folders resolve with npm ${versions.join(" and ")}`
report("installs", problems, onlyResolves ? resolved : `${resolved}, install with ${installed.join(" and ")}`)
