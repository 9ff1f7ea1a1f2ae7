/**
 * Reports what a release would publish, without publishing: `pnpm release:dry`. Packs, checks and uses the packages as `pnpm tarballs`
 * does, then prints each with its next version according to the changesets, its files, its size, and missing metadata.
 */
import { spawnSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { manifest, published, root, run } from "./Workspace.ts"

/** The used part of the output of `changeset status`. */
interface Status {
  readonly releases: ReadonlyArray<{ readonly name: string; readonly oldVersion: string; readonly newVersion: string }>
}

/** Members of a package.json that a registry shows and that only the owner of the repository can set. */
const ofOwner = ["repository", "homepage", "bugs"] as const

const folder = mkdtempSync(join(tmpdir(), "daybook-release-"))

/** Output of a command that must succeed. */
const outputOf = async (command: string, args: ReadonlyArray<string>, cwd = root): Promise<string> => {
  const { code, output, standardOutput } = await run(command, args, { cwd, timeoutMillis: 120_000 })
  if (code !== 0) throw new Error(`${command} ${args.join(" ")} ended with code ${code}\n${output.trim()}`)
  return standardOutput
}

const readReleases = async (): Promise<Status["releases"]> => {
  const file = join(folder, "status.json")
  await outputOf("changeset", ["status", "--output", file])
  const { releases }: Status = JSON.parse(readFileSync(file, "utf8"))
  return releases
}

const kilobytes = (bytes: number): string => `${(bytes / 1000).toFixed(0)} kB`

/** The row of a package: version, files and sizes. */
const rowOf = async (name: string, releases: Status["releases"]): Promise<ReadonlyArray<string>> => {
  const source = join(root, "packages", name)
  const { name: full, version } = manifest(source)
  const tarball = join(folder, `${name}.tgz`)
  await outputOf("pnpm", ["pack", "--out", tarball], source)
  const entries = (await outputOf("tar", ["tzvf", tarball])).trim().split("\n")
  const unpacked = entries.reduce((sum, entry) => sum + Number(entry.trim().split(/\s+/)[2]), 0)
  const release = releases.find((one) => one.name === full)
  const change = release === undefined ? `${version}, not released` : `${release.oldVersion} to ${release.newVersion}`
  return [full, change, `${entries.length}`, kilobytes(statSync(tarball).size), kilobytes(unpacked)]
}

/** The fields that are read from a CycloneDX bill of materials. */
interface BillOfMaterials {
  readonly components?: ReadonlyArray<{ readonly purl?: string; readonly licenses?: ReadonlyArray<unknown> }>
}

/** The bill of materials of a package from the lockfile: a summary line, and the components without a license. */
const billOf = async (name: string): Promise<string> => {
  const args = ["--filter", `@daybook/${name}`, "sbom", "--sbom-format", "cyclonedx", "--prod"]
  const { components = [] }: BillOfMaterials = JSON.parse(await outputOf("pnpm", args))
  const declared = Object.keys(manifest(join(root, "packages", name)).dependencies ?? {})
  const named = new Set(components.map(({ purl = "" }) => decodeURIComponent(purl).replace(/^pkg:npm\/|@[^@/]+$/g, "")))
  const missing = declared.filter((dependency) => !named.has(dependency))
  if (missing.length > 0) throw new Error(`The bill of materials of ${name} lacks ${missing.join(", ")}`)
  const unlicensed = components.filter(({ licenses = [] }) => licenses.length === 0).map(({ purl }) => purl)
  const note = unlicensed.length === 0 ? "" : `; without a license: ${unlicensed.join(", ")}`
  return `release: bill of materials of @daybook/${name} (CycloneDX): ${components.length} components${note}`
}

const lacking = (name: string): ReadonlyArray<string> => {
  const members: object = manifest(join(root, "packages", name))
  return ofOwner.filter((member) => !(member in members))
}

const print = (cells: ReadonlyArray<string>): void => console.log(`| ${cells.join(" | ")} |`)

const checked = spawnSync(process.execPath, [join(import.meta.dirname, "tarballs.ts")], { cwd: root, stdio: "inherit" })
try {
  const releases = await readReleases()
  print(["package", "version", "files", "packed", "unpacked"])
  print(["---", "---", "---", "---", "---"])
  for (const name of published) print(await rowOf(name, releases))
  for (const name of published) console.log(await billOf(name))
  for (const name of published) {
    const members = lacking(name)
    if (members.length > 0)
      console.log(`release: packages/${name}/package.json has no ${members.join(", ")}: the owner sets them`)
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
}
console.log(`release: the checks ${checked.status === 0 ? "passed" : "failed"}; nothing was published`)
process.exitCode = checked.status === 0 ? 0 : 1
