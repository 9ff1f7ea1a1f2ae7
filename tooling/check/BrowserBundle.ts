/**
 * Size of the clients in a web page: a small program per API, bundled for browsers by Vite, minified and compressed with gzip. esbuild keeps
 * more of a re-exported namespace, so some programs have a limit there too.
 * No program awaits an Effect at its top level: webpack does not concatenate modules with one that does.
 * `pnpm bundle` enforces the limits; `pnpm bench bundle` compares with other clients.
 */
import { mkdirSync, rmSync, writeFileSync } from "node:fs"
import { isBuiltin } from "node:module"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import * as esbuild from "esbuild"
import { build } from "vite"
import { root } from "./Workspace.ts"

export interface Program {
  readonly source: string
  /** The folder whose dependencies the program uses, relative to the root. */
  readonly folder: string
  /** Packages that are excluded. */
  readonly without?: ReadonlyArray<string>
}

/** Programs with their limits in KiB. The demo depends on the clients and on effect, as a user's program does. */
export const programs: Readonly<Record<string, Program & { readonly budgetKibibytes: number }>> = {
  "rest, promise API": {
    folder: "apps/demo",
    budgetKibibytes: 71,
    source: `
      import { createRestClient } from "@daybook/rest/promise"
      const rest = createRestClient({ baseUrl: location.origin, apiKey: "key", timeout: "10 seconds" })
      const rows = rest.walletTransactionsStream({ address: "0xd8da6bf26964af9d7eed9e03e53415d37aa96045" }, { onStaleCursor: "restart" })
      for await (const row of rows) document.body.append("_tag" in row ? row._tag : row.hash)
    `,
  },
  "rest, Effect API": {
    folder: "apps/demo",
    budgetKibibytes: 70,
    source: `
      import * as RestClient from "@daybook/rest/RestClient"
      import * as Effect from "effect/Effect"
      import * as Stream from "effect/Stream"
      const program = RestClient.RestClient.use((rest) =>
        Stream.runForEach(rest.walletTransactionsStream({ address: "0xd8da6bf26964af9d7eed9e03e53415d37aa96045" }), ({ hash }) =>
          Effect.sync(() => document.body.append(hash)),
        ),
      )
      void Effect.runPromise(Effect.provide(program, RestClient.layer({ baseUrl: location.origin, apiKey: "key" })))
    `,
  },
  "addresses and units alone, from rest": {
    folder: "apps/demo",
    budgetKibibytes: 6,
    source: `
      import { Address, Wei } from "@daybook/rest/promise"
      const address = Address.fromText(location.hash.slice(1))
      document.body.append(address === undefined ? "none" : Address.checksum(address), Wei.formatUnits(1n, 6), Wei.formatEther(1n))
    `,
  },
  "rpc, promise API": {
    folder: "apps/demo",
    budgetKibibytes: 70,
    source: `
      import { createRpcClient } from "@daybook/rpc/promise"
      const client = createRpcClient({ url: location.origin })
      document.body.append(String((await client.eth_getBlockByNumber("latest", true))?.number))
    `,
  },
  "rpc, Effect API": {
    folder: "apps/demo",
    budgetKibibytes: 72,
    source: `
      import * as RpcClient from "@daybook/rpc/RpcClient"
      import * as Effect from "effect/Effect"
      const program = RpcClient.RpcClient.use((client) =>
        Effect.map(client.eth_getBlockByNumber("latest", true), (block) => document.body.append(String(block?.number))),
      )
      void Effect.runPromise(Effect.provide(program, RpcClient.layer({ url: location.origin })))
    `,
  },
  "rpc, viem transport without viem": {
    folder: "packages/rpc",
    budgetKibibytes: 71,
    without: ["viem"],
    source: `
      import { daybookTransport } from "@daybook/rpc/viem"
      import { createPublicClient } from "viem"
      const client = createPublicClient({ transport: daybookTransport({ url: location.origin }) })
      document.body.append(String((await client.getBlock({ includeTransactions: true })).number))
    `,
  },
}

/** Programs with their limits in KiB when bundled by esbuild. */
export const esbuildPrograms: typeof programs = {
  "rest, promise API": { ...programs["rest, promise API"]!, budgetKibibytes: 75 },
  "rest, Effect API": { ...programs["rest, Effect API"]!, budgetKibibytes: 75 },
  "addresses and units alone, from rest": programs["addresses and units alone, from rest"]!,
  "addresses and units alone, from schema": {
    folder: "packages/rest",
    budgetKibibytes: 6,
    source: `
      import * as Address from "@daybook/schema/Address"
      import * as Wei from "@daybook/schema/Wei"
      const address = Address.fromText(location.hash.slice(1))
      document.body.append(address === undefined ? "none" : Address.checksum(address), Wei.formatUnits(1n, 6), Wei.formatEther(1n))
    `,
  },
}

/** Size of a program that esbuild bundles, after gzip, in KiB. */
export const esbuildKibibytes = async ({ folder, source }: Program): Promise<number> => {
  const { outputFiles } = await esbuild.build({
    stdin: { contents: source, loader: "ts", resolveDir: join(root, folder) },
    bundle: true,
    minify: true,
    write: false,
    format: "esm",
    platform: "browser",
    target: "es2022",
  })
  return outputFiles.reduce((sum, { contents }) => sum + gzipSync(contents, { level: 9 }).length, 0) / 1024
}

export interface Bundled {
  /** Size of the chunks loaded at the start, after gzip. */
  readonly kibibytes: number
  /** Node modules that the program imports. */
  readonly ofNode: ReadonlyArray<string>
}

/** Bundles a program. */
export const bundle = async ({ folder: owner, source, without = [] }: Program): Promise<Bundled> => {
  const folder = join(root, owner, "node_modules/.bundle")
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  try {
    const entry = join(folder, "program.ts")
    writeFileSync(entry, source)
    const built = await build({
      root: folder,
      configFile: false,
      logLevel: "error",
      build: {
        write: false,
        target: "es2022",
        rollupOptions: { input: entry, preserveEntrySignatures: false, external: [...without] },
      },
    })
    const outputs = (Array.isArray(built) ? built : [built]).flatMap((one) => ("output" in one ? one.output : []))
    const chunks = outputs.filter((one) => one.type === "chunk")
    const loaded = new Set(chunks.filter(({ isEntry }) => isEntry))
    for (const { imports } of loaded) {
      for (const chunk of chunks) if (imports.includes(chunk.fileName)) loaded.add(chunk)
    }
    const bytes = [...loaded].reduce((sum, { code }) => sum + gzipSync(code, { level: 9 }).length, 0)
    const ofNode = chunks.flatMap(({ imports, code }) => [
      ...imports.filter((module) => isBuiltin(module)),
      ...(code.includes("__vite-browser-external") ? ["a Node module, replaced by an empty one"] : []),
    ])
    return { kibibytes: bytes / 1024, ofNode }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
