/**
 * Writes `src/index.ts` of each published package: every module as a namespace, and nothing else.
 * `--write` writes the files; without it, files that differ are reported.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { basename, join } from "node:path"
import { files, manifest, published, report, root } from "./Workspace.ts"

type Rule = { readonly leaveOut: ReadonlyArray<string> } | { readonly only: ReadonlyArray<string> }

/** Modules that the root of a package exports. All others are imported by path. */
const rules: Readonly<Record<(typeof published)[number], Rule>> = {
  schema: { leaveOut: ["RestApi"] },
  abi: { leaveOut: [] },
  transport: { leaveOut: ["NodeFetch"] },
  rest: { leaveOut: ["promise", "webhook"] },
  rpc: { leaveOut: ["promise", "viem", "websocket", "WebSocketClient"] },
  testkit: { leaveOut: ["FakeRestClient", "FakeRpcClient"] },
  service: { only: ["config/Config", "Service"] },
}

/** Text of a package's barrel for the files of its `src`. */
export const barrel = (name: string, sources: ReadonlyArray<string>, rule: Rule): string => {
  const all = sources.filter((file) => file !== "index.ts").map((file) => file.replace(/\.ts$/, ""))
  const modules =
    "only" in rule
      ? all.filter((module) => rule.only.includes(module))
      : all.filter((module) => !module.includes("/") && !rule.leaveOut.includes(module))
  const header = `/**\n * The modules of ${name}, each as a namespace. Written by \`pnpm barrels\`.\n */\n`
  return header + modules.map((module) => `export * as ${basename(module)} from "./${module}.ts"\n`).join("")
}

if (process.argv[1] === import.meta.filename) {
  const write = process.argv.includes("--write")
  const stale = published.flatMap((name) => {
    const folder = join(root, "packages", name)
    const sources = files(join(folder, "src"), ".ts")
    const path = join(folder, "src/index.ts")
    const text = barrel(manifest(folder).name, sources, rules[name])
    const now = existsSync(path) ? readFileSync(path, "utf8") : ""
    if (now === text || sources.length === 0) return []
    if (write) writeFileSync(path, text)
    return write ? [] : [`packages/${name}/src/index.ts differs from its modules: run \`pnpm barrels\``]
  })
  report("barrels", stale, write ? "written" : "the index.ts of each package matches its modules")
}
