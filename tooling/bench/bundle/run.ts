/**
 * What a browser downloads to use a client or to decode one block, and how long Node takes from start to the first decoded block:
 * `pnpm bench bundle`.
 */
import { execFileSync } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import { build } from "esbuild"
import { bundle as bundleForBrowsers, programs } from "../../check/BrowserBundle.ts"
import type { Program } from "../../check/BrowserBundle.ts"
import * as BenchOptions from "../BenchOptions.ts"
import * as Figures from "../Figures.ts"
import { inputs } from "../codecs/Inputs.ts"

const schemaPackage = join(import.meta.dirname, "../../../packages/schema")

/** The programs of this repository, and the same block requested by other clients. */
const clientPrograms: Readonly<Record<string, Program>> = {
  ...programs,
  "rpc, viem transport with viem": { ...programs["rpc, viem transport without viem"]!, without: [] },
  "viem: createPublicClient and http": {
    folder: "tooling/bench",
    source: `
      import { createPublicClient, http } from "viem"
      const client = createPublicClient({ transport: http(location.origin) })
      document.body.append(String((await client.getBlock({ includeTransactions: true })).number))
    `,
  },
  "ethers: JsonRpcProvider": {
    folder: "tooling/bench",
    source: `
      import { JsonRpcProvider } from "ethers"
      document.body.append(String((await new JsonRpcProvider(location.origin).getBlock("latest", true))?.number))
    `,
  },
}

const imports = `
import * as Block from "./src/Block.ts"
import * as Schema from "effect/Schema"
`
const decodeBlock = `${imports}
export const decode = (json: unknown) => Schema.decodeUnknownSync(Block.HydratedBlock)(json)`
const decodeWithEffectAlone = `
import * as Schema from "effect/Schema"
export const decode = (json: unknown) => Schema.decodeUnknownSync(Schema.Struct({ number: Schema.String }))(json)`
const decodeFile = (file: string) => `${imports}
import { readFileSync } from "node:fs"
const text = readFileSync(${JSON.stringify(file)}, "utf8")
const value = Schema.decodeUnknownSync(Block.HydratedBlock)(JSON.parse(text))
console.log(value.transactions.length, performance.now())`

const bundle = async (contents: string, platform: "browser" | "node"): Promise<string> => {
  const result = await build({
    stdin: { contents, resolveDir: schemaPackage, loader: "ts" },
    bundle: true,
    format: "esm",
    platform,
    minify: platform === "browser",
    write: false,
    target: "es2022",
  })
  return result.outputFiles[0]!.text
}

/** Sizes of a browser program in KiB. */
const sizesOf = async (contents: string) => {
  const text = await bundle(contents, "browser")
  return { minified: text.length / 1024, gzip: gzipSync(text, { level: 9 }).length / 1024 }
}

/** Milliseconds since the start of a process: those of Node alone, and those that importing and decoding add. */
const coldStart = async (runs: number) => {
  const folder = mkdtempSync(join(tmpdir(), "daybook-cold-"))
  const [block, cold, empty] = ["block.json", "cold.mjs", "empty.mjs"].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ]
  const millis = (file: string) => Number(execFileSync(process.execPath, [file], { encoding: "utf8" }).split(" ")[1])
  const medianMillis = (file: string) => Figures.median(Array.from({ length: runs }, () => millis(file)))
  try {
    writeFileSync(block, inputs.block)
    writeFileSync(cold, await bundle(decodeFile(block), "node"))
    writeFileSync(empty, `console.log(0, performance.now())`)
    const nodeAlone = medianMillis(empty)
    return { nodeAlone, added: medianMillis(cold) - nodeAlone }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const { json, rounds } = BenchOptions.parse({ rounds: 5 })
const figures = Figures.make()
for (const [name, program] of Object.entries(clientPrograms)) {
  figures.add(name, "gzip KiB", (await bundleForBrowsers(program)).kibibytes)
}
const block = await sizesOf(decodeBlock)
const effectAlone = await sizesOf(decodeWithEffectAlone)
for (const [name, size] of Object.entries({ "decode one block": block, "effect/Schema alone": effectAlone })) {
  figures.add(name, "minified KiB", size.minified)
  figures.add(name, "gzip KiB", size.gzip)
}
const { added, nodeAlone } = await coldStart(rounds * 2 + 1)
figures.add("cold import and first decode", "ms", added)
figures.add("Node alone", "ms", nodeAlone)

const table = (): void => {
  const show = (size: { readonly minified: number; readonly gzip: number }) =>
    `${size.minified.toFixed(0)} KiB minified, ${size.gzip.toFixed(0)} KiB gzip`
  console.log(Figures.provenance("bundle"))
  console.log("| a browser program that requests one block or all rows | KiB, gzip |\n|---|---|")
  for (const name of Object.keys(clientPrograms)) {
    console.log(`| ${name} | ${Figures.cell(figures.median(name, "gzip KiB"), 1)} |`)
  }
  console.log(`\nbrowser program that decodes one block: ${show(block)} (effect/Schema alone: ${show(effectAlone)})`)
  console.log(`cold import and first decode: ${added.toFixed(0)} ms on top of ${nodeAlone.toFixed(0)} ms of Node alone`)
}

if (json) console.log(Figures.toJson("bundle", figures))
else table()
