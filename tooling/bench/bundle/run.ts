/** What a browser downloads to use a client or to decode one block: `pnpm bench bundle`. */
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import { build } from "esbuild"
import { bundle as bundleForBrowsers, programs } from "../../check/BrowserBundle.ts"
import type { Program } from "../../check/BrowserBundle.ts"
import * as BenchOptions from "../BenchOptions.ts"
import * as Figures from "../Figures.ts"
import * as Report from "../Report.ts"

const schemaPackage = join(import.meta.dirname, "../../../packages/schema")

/** The programs of this repository, and programs of other clients that request the same block. */
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
/** Size of a browser program in KiB after gzip. */
const sizeOf = async (contents: string): Promise<number> => {
  const result = await build({
    stdin: { contents, resolveDir: schemaPackage, loader: "ts" },
    bundle: true,
    format: "esm",
    platform: "browser",
    minify: true,
    write: false,
    target: "es2022",
  })
  return gzipSync(result.outputFiles[0]!.text, { level: 9 }).length / 1024
}

const options = BenchOptions.parse({ rounds: 3 })
const figures = Figures.make()
for (const [name, program] of Object.entries(clientPrograms)) {
  figures.add(name, "gzip KiB", (await bundleForBrowsers(program)).kibibytes)
}
const block = await sizeOf(decodeBlock)
const effectAlone = await sizeOf(decodeWithEffectAlone)
for (const [name, size] of Object.entries({ "decode one block": block, "`effect/Schema` alone": effectAlone })) {
  figures.add(name, "gzip KiB", size)
}
Report.finish("bundle", options, figures)
