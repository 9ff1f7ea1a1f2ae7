/**
 * Runs the packed packages as their users do: `node tooling/runtimes/run.ts [--only "bun;deno"]`. Each row of the table is a runtime, a
 * bundler or a compiler, installed by npm into a temporary folder; a row fails when its program does not print what the service answered.
 */
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { published, report, root, run } from "../check/Workspace.ts"

const { values } = parseArgs({ options: { only: { type: "string" } } })
const selected = values.only?.split(";")
const expected = "0 rows, block 16"
const clients = published.filter((name) => name !== "service")

/** One row of the table: what is installed beside the packages, and the commands; the output of the last one is checked. */
interface Subject {
  readonly name: string
  readonly install: ReadonlyArray<string>
  readonly commands: ReadonlyArray<ReadonlyArray<string>>
  /** What the last command prints. Default: what the service answers. */
  readonly prints?: string
  /** Default `npm`. The others install `rest` and `rpc` alone, so that packages see only what they declare. */
  readonly manager?: Manager
}

type Manager = "npm" | "pnpm" | "yarn"

const bundle = (format: "esm" | "cjs", entry: string, ...more: ReadonlyArray<string>): ReadonlyArray<string> => [
  ...["npx", "esbuild", entry, "--bundle", `--format=${format}`, "--log-level=error", ...more],
]

const node = (version: string): Subject => ({
  name: `Node ${version}, import and require`,
  install: [`node@${version}`],
  commands: [
    ["npx", "node", "clients.mjs"],
    ["npx", "node", "clients.cjs"],
  ],
})

const declarations = (version: string, install: string, manager: Manager = "npm"): Subject => {
  const options = ["--strict", "--module", "nodenext", "--target", "es2023", "--types", "node"]
  const emit = [...options, "--declaration", "--outDir", "library", "library.ts"]
  return {
    name: `TypeScript ${version}, declarations of a library${manager === "npm" ? "" : `, rest and rpc alone by ${manager}`}`,
    manager,
    install: [install, "@types/node@24"],
    commands: [
      ["npx", "tsc", ...emit],
      ["npx", "tsc", ...options, "--noEmit", "application.ts"],
    ],
    prints: "",
  }
}

const yarn = ["npx", "--yes", "@yarnpkg/cli-dist@4.18.1"] as const

/** A page in Chromium, by a bundler. */
const page = (bundler: string, build: Subject["commands"], file: string): Subject => ({
  name: `Chromium, by ${bundler}`,
  install: [bundler, "playwright-core"],
  commands: [...build, ["node", "chromium.mjs", file]],
})

const subjects: ReadonlyArray<Subject> = [
  node("20.19.0"),
  node("22.12.0"),
  node("24"),
  ...(["esm", "cjs"] as const).map((format) => ({
    name: `Node bundle, ${format}`,
    install: ["esbuild"],
    commands: [
      bundle(format, "clients.cjs", "--platform=node", `--outfile=bundle.${format === "esm" ? "mjs" : "cjs"}`),
      ["node", `bundle.${format === "esm" ? "mjs" : "cjs"}`],
    ],
  })),
  { name: "msw, loaded before the clients", install: ["msw"], commands: [["node", "msw.mjs"]] },
  { name: "msw with the testkit", install: ["msw"], commands: [["node", "mswTestkit.mjs"]] },
  {
    name: "Vitest with the testkit, by pnpm",
    install: ["@daybook/testkit", "vitest"],
    manager: "pnpm",
    commands: [["node", "vitest.mjs"]],
    prints: "passed",
  },
  { name: "Bun", install: ["bun"], commands: [["npx", "bun", "clients.mjs"]] },
  {
    name: "Deno",
    install: ["deno"],
    commands: [["npx", "deno", "run", "--allow-all", "--node-modules-dir=manual", "clients.mjs"]],
  },
  {
    name: "workerd, 30 requests at once",
    install: ["esbuild", "miniflare"],
    commands: [
      bundle("esm", "worker.mjs", "--outfile=worker.bundle.mjs", "--conditions=workerd", '--define:DAYBOOK_URL="URL"'),
      ["node", "miniflare.mjs"],
    ],
  },
  declarations("5.9", "typescript@5.9"),
  declarations("6", "typescript@6"),
  declarations("7", "typescript@7"),
  declarations("5.9", "typescript@5.9", "pnpm"),
  {
    name: "Yarn 4, Plug'n'Play",
    install: [],
    manager: "yarn",
    commands: [[...yarn, "node", "clients.mjs"]],
  },
  page(
    "esbuild",
    [bundle("esm", "page.mjs", "--outfile=page.bundle.js", '--define:DAYBOOK_URL="URL"')],
    "page.bundle.js",
  ),
  page("vite", [["npx", "vite", "build", "--logLevel=error"]], "dist/page.js"),
  {
    name: "Next, a route on the server",
    install: ["next", "react", "react-dom"],
    commands: [
      ["node", "node_modules/next/dist/bin/next", "build"],
      ["node", "next.mjs"],
    ],
  },
]

/** Answers every page empty and every call with block 16. */
const serve = async (): Promise<{ readonly url: string; readonly close: () => void }> => {
  const server = createServer((request, response) => {
    let body = ""
    request.on("data", (chunk) => (body += chunk))
    request.on("end", () => {
      response.setHeader("content-type", "application/json")
      if (!request.url?.startsWith("/rpc")) {
        response.end(JSON.stringify({ cursor: null, page: 0, page_size: 100, result: [] }))
        return
      }
      const answer = (call: unknown) => ({ jsonrpc: "2.0", id: (call as { readonly id: number }).id, result: "0x10" })
      const calls: unknown = JSON.parse(body)
      response.end(JSON.stringify(Array.isArray(calls) ? calls.map(answer) : answer(calls)))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  // Sound: a listening server of TCP has an address.
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close: () => server.close() }
}

const consumer = { name: "consumer", private: true, type: "module" }
const folder = mkdtempSync(join(tmpdir(), "daybook-runtimes-"))
const tarball = (name: string): string => join(folder, `${name}.tgz`)

const mustRun = async (command: string, args: ReadonlyArray<string>, cwd: string): Promise<void> => {
  const { code, output } = await run(command, args, { cwd, timeoutMillis: 600_000 })
  if (code !== 0) throw new Error(`${[command, ...args].join(" ")} exits ${code}\n${output}`)
}

const pack = async (): Promise<void> => {
  await mustRun("turbo", ["run", "build", "--filter=./packages/*"], root)
  for (const name of clients) await mustRun("pnpm", ["pack", "--out", tarball(name)], join(root, "packages", name))
}

/** Installs the packed clients and others into a folder. */
const installIn = async (own: string, install: ReadonlyArray<string>, manager: Manager) => {
  const others = ["effect@4.1.0", ...install]
  if (manager === "npm") {
    const quiet = ["--no-audit", "--no-fund", "--loglevel=error"]
    return run("npm", ["install", ...quiet, ...clients.map(tarball), ...others], { cwd: own })
  }
  const overrides = Object.fromEntries(clients.map((name) => [`@daybook/${name}`, `file:${tarball(name)}`]))
  if (manager === "yarn") {
    const dependencies = { "@daybook/rest": "*", "@daybook/rpc": "*", effect: "4.1.0" }
    writeFileSync(join(own, "package.json"), JSON.stringify({ ...consumer, dependencies, resolutions: overrides }))
    writeFileSync(join(own, "yarn.lock"), "")
    // Yarn reads nothing of npm's configuration.
    const registry = (await run("npm", ["config", "get", "registry"])).standardOutput.trim()
    const env = {
      YARN_NPM_REGISTRY_SERVER: registry,
      YARN_ENABLE_TELEMETRY: "0",
      YARN_ENABLE_IMMUTABLE_INSTALLS: "false",
    }
    const [program, ...args] = [...yarn, "install"] as const
    return run(program, args, { cwd: own, env: { ...env, YARN_UNSAFE_HTTP_WHITELIST: new URL(registry).hostname } })
  }
  writeFileSync(join(own, "pnpm-workspace.yaml"), JSON.stringify({ packages: ["."], overrides }))
  return run("pnpm", ["add", tarball("rest"), tarball("rpc"), ...others], { cwd: own })
}

/** Runs the commands of a subject in a folder of its own; `null` where it printed what it should. */
const issueOf = async (
  { commands, install, manager = "npm", name, prints = expected }: Subject,
  url: string,
): Promise<string | null> => {
  const own = join(folder, name.replace(/\W+/g, "-"))
  mkdirSync(own)
  cpSync(join(import.meta.dirname, "programs"), own, { recursive: true })
  writeFileSync(join(own, "package.json"), JSON.stringify(consumer))
  const installed = await installIn(own, install, manager)
  if (installed.code !== 0) return `the installation exits ${installed.code}\n${installed.output}`
  for (const [at, command] of commands.entries()) {
    const [program = "", ...args] = command.map((part) => part.replace('"URL"', JSON.stringify(url)))
    const env = { DAYBOOK_URL: url, NODE_OPTIONS: "", FORCE_COLOR: "0" }
    const { code, output, standardOutput } = await run(program, args, { cwd: own, env, timeoutMillis: 120_000 })
    const isLast = at === commands.length - 1
    if (code !== 0 || (isLast && standardOutput.trim() !== prints))
      return `${command.join(" ")}: exits ${code}\n${output}`
  }
  return null
}

const issues: Array<string> = []
const server = await serve()
try {
  await pack()
  console.log("| | |\n|---|---|")
  for (const subject of subjects) {
    if (selected !== undefined && !selected.some((part) => subject.name.toLowerCase().includes(part))) continue
    const issue = await issueOf(subject, server.url)
    console.log(`| ${subject.name} | ${issue === null ? "works" : "fails"} |`)
    if (issue !== null) issues.push(`${subject.name}: ${issue}`)
  }
} finally {
  server.close()
  rmSync(folder, { recursive: true, force: true })
}
report("runtimes", issues, "every runtime gives what the service answers")
