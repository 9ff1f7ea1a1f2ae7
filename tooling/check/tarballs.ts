/**
 * Verifies the published packages as a consumer. It builds and packs them, checks the tarballs with publint and attw, and installs them
 * with npm outside the repository. It type-checks the programs of `consumer/` under `moduleResolution` bundler and nodenext, and the
 * declarations of a library that uses them. `pnpm runtimes` is the long form, with other runtimes, bundlers, compilers and installers.
 * The programs also run when DAYBOOK_BASE_URL, DAYBOOK_RPC_URL, DAYBOOK_API_KEY and DAYBOOK_ADDRESS are set.
 */
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { memoryFolder } from "./MemoryFolder.ts"
import { type Manifest, files, manifest, published, report, root, run } from "./Workspace.ts"

const issues: Array<string> = []
const serviceVariables = ["DAYBOOK_BASE_URL", "DAYBOOK_RPC_URL", "DAYBOOK_API_KEY", "DAYBOOK_ADDRESS"]
const service = serviceVariables.every((name) => process.env[name] !== undefined)
const programs = join(import.meta.dirname, "consumer")
const folder = mkdtempSync(join(process.env["TMPDIR"] ?? memoryFolder() ?? tmpdir(), "daybook-consumer-"))
const packed = join(folder, "packed")
const consumer = join(folder, "consumer")
const tarball = (name: string): string => join(packed, `daybook-${name}.tgz`)

/** Runs one step; records its problem and returns false if it fails. */
const step = async (title: string, command: string, args: ReadonlyArray<string>, cwd = root): Promise<boolean> => {
  const started = performance.now()
  const { code, output } = await run(command, args, { cwd, timeoutMillis: 300_000 })
  if (code !== 0) issues.push(`${title} exits ${code}\n${output.trim()}`)
  console.log(
    `tarballs: ${title}, ${((performance.now() - started) / 1000).toFixed(1)} s${code === 0 ? "" : ", failed"}`,
  )
  return code === 0
}

/** The version in the workspace's catalog. */
const pinned = (name: string): string => {
  const match = new RegExp(`^  "?${name}"?: (\\S+)$`, "m").exec(readFileSync(join(root, "pnpm-workspace.yaml"), "utf8"))
  if (match?.[1] === undefined) throw new Error(`Package missing from the catalog: ${name}.`)
  return match[1]
}

/** Workspace references left in a packed manifest, and entries whose files are missing. */
const packedProblems = async (name: string): Promise<ReadonlyArray<string>> => {
  const unpacked = join(packed, name)
  mkdirSync(unpacked)
  if (!(await step(`unpack ${name}`, "tar", ["xzf", tarball(name), "-C", unpacked]))) return []
  const text = readFileSync(join(unpacked, "package/package.json"), "utf8")
  const { dependencies, peerDependencies }: Manifest = JSON.parse(text)
  const wanted = Object.entries({ ...dependencies, ...peerDependencies })
  const sources = files(join(root, "packages", name, "src"), ".ts").map((file) => file.replace(/\.ts$/, ""))
  const inside = new Set(files(join(unpacked, "package/dist"), "").map((file) => file.replace(/\.(?:js|d\.ts)$/, "")))
  return [
    ...wanted
      .filter(([, range]) => /^(?:catalog|workspace|link):/.test(range))
      .map(([one]) => `${name}: ${one} is not resolved`),
    ...["LICENSE", "README.md"]
      .filter((file) => !existsSync(join(unpacked, "package", file)))
      .map((file) => `${name}: no ${file} in the tarball`),
    ...(name === "service" && !existsSync(join(unpacked, "package/dist/explorer/index.html"))
      ? ["service: the pages of the explorer are not in the tarball"]
      : []),
    ...sources.filter((module) => !inside.has(module)).map((module) => `${name}: ${module} was not built`),
  ]
}

const pack = async (): Promise<boolean> => {
  if (!(await step("build", "turbo", ["run", "build", "--filter=./packages/*"]))) return false
  mkdirSync(packed)
  const done = await Promise.all(
    published.map((name) =>
      step(`pack ${name}`, "pnpm", ["pack", "--out", tarball(name)], join(root, "packages", name)),
    ),
  )
  if (done.includes(false)) return false
  for (const name of published) {
    issues.push(...(await packedProblems(name)))
    await step(`publint ${name}`, "publint", [tarball(name), "--strict"])
    await step(`attw ${name}`, "attw", ["--profile", "esm-only", tarball(name)])
  }
  return true
}

const install = (): Promise<boolean> => {
  mkdirSync(consumer)
  const local = published.map((name) => [manifest(join(root, "packages", name)).name, `file:${tarball(name)}`])
  const remote = ["effect", "typescript", "@types/node", "viem", "vite"].map((name) => [name, pinned(name)])
  const dependencies = Object.fromEntries([...local, ...remote])
  writeFileSync(
    join(consumer, "package.json"),
    JSON.stringify({ name: "consumer", private: true, type: "module", dependencies }),
  )
  const options = ["--prefer-offline", "--no-audit", "--no-fund", "--loglevel=error"]
  return step("npm install", "npm", ["install", ...options], consumer)
}

/**
 * The bundled clients accept a key that was created with the program's own Effect. Every exported module can be imported on this Node;
 * internal modules only where another package needs them.
 */
const load = `
import { readFileSync } from "node:fs"
import * as Redacted from "effect/Redacted"
import { createRestClient } from "@daybook/rest/promise"
import { createRpcClient } from "@daybook/rpc/promise"
const apiKey = Redacted.make("key")
createRestClient({ baseUrl: "https://s.example", apiKey })
createRpcClient({ rpcUrl: "https://s.example/rpc", chain: "eth", apiKey })
const isInternalExported = new Set(["transport"])
for (const name of ${JSON.stringify(published)}) {
  const { exports } = JSON.parse(readFileSync("node_modules/@daybook/" + name + "/package.json", "utf8"))
  const paths = Object.keys(exports).filter((path) => !path.includes("*") && !path.endsWith(".json"))
  for (const path of paths) await import("@daybook/" + name + path.slice(1))
  if (isInternalExported.has(name)) continue
  try {
    await import("@daybook/" + name + "/internal/anything")
    throw new Error("internal modules can be imported from " + name)
  } catch (error) {
    if (error.code !== "ERR_PACKAGE_PATH_NOT_EXPORTED") throw error
  }
}
`

/** Programs, one per API of a client; the viem module contains its own. */
const faces = readdirSync(programs).filter(
  (file) => file !== "service.ts" && (file !== "rpc-viem.ts" || existsSync(join(root, "packages/rpc/src/viem.ts"))),
)

/** Builds a library that does not name types of the clients, and a program that reads its declarations, in which no type may be `any`. */
const declare = async (): Promise<void> => {
  const folder = join(consumer, "declarations")
  for (const file of ["library.ts", "application.ts"])
    cpSync(join(root, "tooling/runtimes/programs", file), join(folder, file))
  const tsc = join(consumer, "node_modules/.bin/tsc")
  const options = [
    "--checkers",
    "1",
    "--strict",
    "--skipLibCheck",
    "--module",
    "nodenext",
    "--target",
    "es2023",
    "--types",
    "node",
  ]
  const emit = ["--declaration", "--outDir", "library", "library.ts"]
  await step("declarations of a library", tsc, [...options, ...emit], folder)
  await step("a program that uses that library", tsc, [...options, "--noEmit", "application.ts"], folder)
}

/** Program with the Promise API as a page downloads it, bundled by Vite into one file. */
const bundled = `
import { defineConfig } from "vite"
export default defineConfig({
  build: { lib: { entry: "rest-promise.ts", formats: ["es"], fileName: () => "bundled.mjs" }, outDir: "bundle", target: "es2022" },
})
`

/** Maximum number of files that a program may load, so that it starts from a few bundles. */
const maxFiles = 24

/** The installed command, and programs that use promises, load only a few files. */
const start = async (): Promise<void> => {
  const preload = join(root, "packages/service/test/cli/loadedModules.process.ts")
  const command = join(consumer, "node_modules/@daybook/service/dist/bin.js")
  const clients = ["rest/promise", "rest/webhook", "rpc/promise", "rpc/websocket"].map((name) => `@daybook/${name}`)
  for (const args of [[command, "--help"], ...clients.map((name) => ["--eval", `import("${name}")`])]) {
    const { output } = await run("node", ["--import", preload, ...args], { cwd: consumer })
    const loaded = output.split("\n").filter((line) => line.startsWith("file:")).length
    if (loaded === 0 || loaded > maxFiles) issues.push(`${args.at(-1)} loads ${loaded} files, not 1 to ${maxFiles}`)
  }
}

const use = async (): Promise<void> => {
  for (const file of ["service.ts", ...faces]) cpSync(join(programs, file), join(consumer, file))
  for (const [resolution, module] of [
    ["bundler", "esnext"],
    ["nodenext", "nodenext"],
  ] as const) {
    const config = `tsconfig.${resolution}.json`
    const compilerOptions = {
      module,
      moduleResolution: resolution,
      target: "es2023",
      strict: true,
      exactOptionalPropertyTypes: true,
      allowImportingTsExtensions: true,
      noEmit: true,
      types: ["node"],
    }
    writeFileSync(join(consumer, config), JSON.stringify({ compilerOptions, include: ["*.ts"] }))
    await step(
      `types under ${resolution}`,
      join(consumer, "node_modules/.bin/tsc"),
      ["-p", config, "--pretty", "false", "--checkers", "1"],
      consumer,
    )
  }
  await declare()
  writeFileSync(join(consumer, "load.mjs"), load)
  await step("every module loads", "node", ["load.mjs"], consumer)
  writeFileSync(join(consumer, "vite.config.mjs"), bundled)
  await step("bundle by Vite", join(consumer, "node_modules/.bin/vite"), ["build", "--logLevel", "error"], consumer)
  await step("require()", "node", ["rest-require.cjs"], consumer)
  await step("daybook --help", join(consumer, "node_modules/.bin/daybook"), ["--help"], consumer)
  await start()
  if (!service) return
  await step("run the bundle", "node", ["bundle/bundled.mjs"], consumer)
  for (const file of faces) await step(`run ${file}`, "node", [file], consumer)
}

try {
  if ((await pack()) && (await install())) await use()
} finally {
  rmSync(folder, { recursive: true, force: true })
}
if (!service)
  console.log(`tarballs: the programs were only type-checked: set ${serviceVariables.join(", ")} to run them`)
report(
  "tarballs",
  issues,
  `${published.length} packages work outside the repository, ${faces.length} programs${service ? " ran" : ""}`,
)
