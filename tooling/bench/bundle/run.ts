/**
 * What a browser carries to use a client or to decode one block, and how long Node takes from nothing to the first decoded block:
 * `pnpm bench bundle`.
 */
import { execFileSync } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import { build } from "esbuild"
import { bundle as bundleForBrowsers, type Program, programs } from "../../check/BrowserBundle.ts"
import { median, provenance, rounds as roundsOf } from "../Rounds.ts"
import { inputs } from "../codecs/inputs.ts"

const schemaPackage = join(import.meta.dirname, "../../../packages/schema")

const program = (block: string) => `
import * as Block from "./src/Block.ts"
import * as Schema from "effect/Schema"
${block}
`

const bundle = async (contents: string, platform: "browser" | "node", minify: boolean): Promise<string> => {
  const result = await build({
    stdin: { contents, resolveDir: schemaPackage, loader: "ts" },
    bundle: true,
    format: "esm",
    platform,
    minify,
    write: false,
    target: "es2022",
  })
  return result.outputFiles[0]!.text
}

/** The programs of this repository, and the same block asked for with other clients. */
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

/** KiB after gzip of each client's program. */
const clientSizes = async (): Promise<ReadonlyArray<readonly [name: string, kibibytes: number]>> => {
  const sizes: Array<readonly [string, number]> = []
  for (const [name, program] of Object.entries(clientPrograms)) {
    sizes.push([name, (await bundleForBrowsers(program)).kibibytes])
  }
  return sizes
}

const sizes = async () => {
  const browser = program(
    `export const decode = (json: unknown) => Schema.decodeUnknownSync(Block.HydratedBlock)(json)`,
  )
  const effectAlone = `import * as Schema from "effect/Schema"\nexport const decode = (json: unknown) => Schema.decodeUnknownSync(Schema.Struct({ number: Schema.String }))(json)`
  const [local, remote] = await Promise.all([bundle(browser, "browser", true), bundle(effectAlone, "browser", true)])
  const kib = (text: string) => ({ minified: text.length / 1024, gzip: gzipSync(text, { level: 9 }).length / 1024 })
  return { local: kib(local), effectAlone: kib(remote) }
}

const cold = async (rounds: number) => {
  const folder = mkdtempSync(join(tmpdir(), "daybook-cold-"))
  try {
    writeFileSync(join(folder, "block.json"), inputs["block"]!)
    const source = await bundle(
      program(`
        import { readFileSync } from "node:fs"
        const text = readFileSync(${JSON.stringify(join(folder, "block.json"))}, "utf8")
        const value = Schema.decodeUnknownSync(Block.HydratedBlock)(JSON.parse(text))
        console.log(value.transactions.length, performance.now())`),
      "node",
      false,
    )
    writeFileSync(join(folder, "cold.mjs"), source)
    writeFileSync(join(folder, "empty.mjs"), `console.log(0, performance.now())`)
    const run = (file: string) =>
      Number(execFileSync(process.execPath, [join(folder, file)], { encoding: "utf8" }).split(" ")[1])
    const all = (file: string) => median(Array.from({ length: rounds }, () => run(file)))
    const empty = all("empty.mjs")
    return { empty, millis: all("cold.mjs") - empty }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const rounds = roundsOf(5)
console.log(provenance("bundle", rounds))
console.log("| a browser program that asks for one block or all rows | KiB, gzip |\n|---|---|")
for (const [name, kibibytes] of await clientSizes()) console.log(`| ${name} | ${kibibytes.toFixed(1)} |`)
const { local, effectAlone } = await sizes()
const { empty, millis } = await cold(rounds * 2 + 1)
const show = (size: { readonly minified: number; readonly gzip: number }) =>
  `${size.minified.toFixed(0)} KiB minified, ${size.gzip.toFixed(0)} KiB gzip`
console.log(`\nbrowser program that decodes one block: ${show(local)} (effect/Schema alone: ${show(effectAlone)})`)
console.log(`cold import and first decode on Node: ${millis.toFixed(0)} ms on top of Node's own ${empty.toFixed(0)} ms`)
