/**
 * Runs the packed packages as their users do: `pnpm runtimes [--only "bun;deno"]`. Each row of the table is a runtime, a bundler or a
 * compiler, installed into its own folder; a row fails if its program does not print the response of the service. README examples that
 * need a service run if the variables of `pnpm with-service` name one: `pnpm with-service runtimes`.
 */
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import * as Packing from "../check/Packing.ts"
import { type Finished, manifest, published, report, run } from "../check/Workspace.ts"
import { type Subject, subjects, yarn } from "./Subject.ts"

const { values } = parseArgs({ options: { only: { type: "string" } } })
const selected = values.only?.toLowerCase().split(";")
/** Whether a row is selected, by whole words of its name: `bun` does not select a bundle. */
const isSelected = (name: string): boolean => {
  const words = ` ${name.toLowerCase().replaceAll(",", " ")} `
  return selected === undefined || selected.some((part) => words.includes(` ${part} `))
}
const expected = "0 rows, block 16"
/** Time limit of an installation or a command; Next takes a minute or two to build. */
const timeoutMillis = 600_000
const clients = published.filter((name) => name !== "service")

/** Responds to every page request with an empty page and to every call with block 16. */
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
const tarball = (name: string): string => join(folder, `daybook-${name}.tgz`)
const overrides = Object.fromEntries(clients.map((name) => [`@daybook/${name}`, `file:${tarball(name)}`]))

const byNpm = (own: string, others: ReadonlyArray<string>) => {
  const quiet = ["--no-audit", "--no-fund", "--loglevel=error"]
  return run("npm", ["install", ...quiet, ...clients.map(tarball), ...others], { cwd: own, timeoutMillis })
}

const byPnpm = (own: string, packages: ReadonlyArray<string>, others: ReadonlyArray<string>) => {
  writeFileSync(join(own, "pnpm-workspace.yaml"), JSON.stringify({ packages: ["."], overrides }))
  return run("pnpm", ["add", ...packages, ...others], { cwd: own, timeoutMillis })
}

const byYarn = async (own: string) => {
  const dependencies = { "@daybook/rest": "*", "@daybook/rpc": "*", effect: "4.1.0" }
  writeFileSync(join(own, "package.json"), JSON.stringify({ ...consumer, dependencies, resolutions: overrides }))
  writeFileSync(join(own, "yarn.lock"), "")
  // Yarn does not read npm's configuration.
  const registry = (await run("npm", ["config", "get", "registry"])).standardOutput.trim()
  const env = {
    YARN_NPM_REGISTRY_SERVER: registry,
    YARN_ENABLE_TELEMETRY: "0",
    YARN_ENABLE_IMMUTABLE_INSTALLS: "false",
    YARN_UNSAFE_HTTP_WHITELIST: new URL(registry).hostname,
  }
  const [program, ...args] = [...yarn, "install"] as const
  return run(program, args, { cwd: own, env, timeoutMillis })
}

/** Installs the packed clients and others into a folder. */
const installIn = async (own: string, { install, manager = "npm", packages }: Subject): Promise<Finished> => {
  const others = ["effect@4.1.0", ...install]
  if (manager === "npm") return byNpm(own, others)
  return manager === "yarn" ? byYarn(own) : byPnpm(own, packages ?? ["@daybook/rest", "@daybook/rpc"], others)
}

/** What a subject has installed next to the clients, with versions. */
const versionsIn = (own: string, { install }: Subject): string =>
  install
    .map((one) => one.replace(/(?<=.)@.*$/, ""))
    .filter((name) => !name.startsWith("@types/"))
    .map((name) => `${name} ${manifest(join(own, "node_modules", name)).version}`)
    .join(", ")

/** Runs the commands of a subject in its folder; `null` if the last one printed the expected output. */
const issueOf = async (own: string, subject: Subject, url: string): Promise<string | null> => {
  const { commands, files = {}, prints = expected } = subject
  cpSync(join(import.meta.dirname, "programs"), own, { recursive: true })
  for (const [name, text] of Object.entries(files)) writeFileSync(join(own, name), text)
  writeFileSync(join(own, "package.json"), JSON.stringify(consumer))
  const installed = await installIn(own, subject)
  if (installed.code !== 0) return `the installation exits ${installed.code}\n${installed.output}`
  for (const [at, command] of commands.entries()) {
    const [program = "", ...args] = command.map((part) => part.replace('"URL"', JSON.stringify(url)))
    const env = { DAYBOOK_URL: url, NODE_OPTIONS: "", FORCE_COLOR: "0", NEXT_TELEMETRY_DISABLED: "1" }
    const { code, output, standardOutput } = await run(program, args, { cwd: own, env, timeoutMillis, isGroup: true })
    const isLast = at === commands.length - 1
    if (code !== 0 || (isLast && prints !== null && standardOutput.trim() !== prints))
      return `${command.join(" ")}: exits ${code}\n${output}`
  }
  return null
}

const issues: Array<string> = []
const server = await serve()
try {
  await Packing.pack(folder, clients)
  console.log("| where | with | |\n|---|---|---|")
  for (const subject of subjects) {
    const { name } = subject
    if (!isSelected(name)) continue
    const own = join(folder, name.replaceAll(/\W+/g, "-"))
    mkdirSync(own)
    const issue = await issueOf(own, subject, server.url)
    console.log(
      `| ${name} | ${issue === null ? versionsIn(own, subject) : ""} | ${issue === null ? "works" : "fails"} |`,
    )
    if (issue !== null) issues.push(`${name}: ${issue}`)
    rmSync(own, { recursive: true, force: true })
  }
} finally {
  server.close()
  rmSync(folder, { recursive: true, force: true })
}
report("runtimes", issues, "every runtime prints the response of the service")
