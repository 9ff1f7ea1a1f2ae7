/**
 * Holds the size of what a web page downloads to talk to the wallet operation: a program of each face of the REST client,
 * bundled for browsers by Vite, minified and compressed by gzip. A module of Node in the default entries fails the bundling.
 */
import { mkdirSync, rmSync, writeFileSync } from "node:fs"
import { isBuiltin } from "node:module"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import { build } from "vite"
import { report, root } from "./Workspace.ts"

const budgetKibibytes = 66

/** They lie in the demo, which depends on the client and on effect, as a user's program does. */
const folder = join(root, "apps/demo/node_modules/.bundle")

const programs = {
  "promise face": `
    import { createRestClient } from "@daybook/rest/promise"
    const rest = createRestClient({ baseUrl: location.origin, apiKey: "key", timeout: "10 seconds" })
    const rows = rest.walletTransactionsStream({ address: "0xd8da6bf26964af9d7eed9e03e53415d37aa96045" }, { onStaleCursor: "restart" })
    for await (const row of rows) document.body.append("_tag" in row ? row._tag : row.hash)
  `,
  "Effect face": `
    import * as RestClient from "@daybook/rest/RestClient"
    import * as Effect from "effect/Effect"
    import * as Stream from "effect/Stream"
    const program = RestClient.RestClient.use((rest) =>
      Stream.runForEach(rest.walletTransactionsStream({ address: "0xd8da6bf26964af9d7eed9e03e53415d37aa96045" }), ({ hash }) =>
        Effect.sync(() => document.body.append(hash)),
      ),
    )
    await Effect.runPromise(Effect.provide(program, RestClient.layer({ baseUrl: location.origin, apiKey: "key" })))
  `,
}

/** Bytes of a program's bundle after gzip, and the modules of Node that it imports. */
const bundle = async (name: string, source: string) => {
  const entry = join(folder, `${name.replaceAll(" ", "-")}.ts`)
  writeFileSync(entry, source)
  const built = await build({
    root: folder,
    configFile: false,
    logLevel: "error",
    build: { write: false, target: "es2022", rollupOptions: { input: entry, preserveEntrySignatures: false } },
  })
  const outputs = (Array.isArray(built) ? built : [built]).flatMap((one) => ("output" in one ? one.output : []))
  const chunks = outputs.filter((one) => one.type === "chunk")
  return {
    bytes: chunks.reduce((sum, { code }) => sum + gzipSync(code, { level: 9 }).length, 0),
    ofNode: chunks.flatMap(({ imports, code }) => [
      ...imports.filter((module) => isBuiltin(module)),
      ...(code.includes("__vite-browser-external") ? ["a module of Node, replaced by nothing"] : []),
    ]),
  }
}

const problems: Array<string> = []
const sizes: Array<string> = []
rmSync(folder, { recursive: true, force: true })
mkdirSync(folder, { recursive: true })
try {
  for (const [name, source] of Object.entries(programs)) {
    const { bytes, ofNode } = await bundle(name, source)
    const kibibytes = bytes / 1024
    sizes.push(`${name} ${kibibytes.toFixed(1)} KiB`)
    if (kibibytes > budgetKibibytes)
      problems.push(`the ${name} is ${kibibytes.toFixed(1)} KiB after gzip, more than ${budgetKibibytes}`)
    problems.push(...ofNode.map((module) => `the ${name} imports ${module}`))
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
}
report("bundle", problems, `${sizes.join(", ")} after gzip; at most ${budgetKibibytes}`)
