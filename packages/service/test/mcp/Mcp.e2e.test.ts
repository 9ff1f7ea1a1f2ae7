/** The tools of a model, called by the official client over standard input and output. */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { Anvil, Scenario } from "@daybook/chain"
import { Eventually } from "@daybook/harness"
import { layer } from "@effect/vitest"
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js"
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import { Effect, Layer, Redacted } from "effect"
import { expect, vi } from "vitest"
import * as Config from "../../src/config/Config.ts"
import * as Service from "../../src/Service.ts"
import * as Engine from "../../src/store/Engine.ts"
import { daybookProcess, main, withConfig } from "../cli/daybook.ts"
import { type Json, request } from "../server/service.ts"
import { temporaryFolder } from "../store/temporaryFolder.ts"

vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 })

const scenario = Scenario.layer({ blobs: false, blocks: 20 }).pipe(Layer.provideMerge(Anvil.layer()))

/** A served index of the scenario, and the folder of its configuration. */
const served = Effect.gen(function* () {
  const { chainId, url: rpc } = yield* Anvil.Anvil
  const { lastBlock } = yield* Scenario.Scenario
  const base = yield* temporaryFolder
  const wire = {
    listen: { host: "127.0.0.1", port: 0 },
    database: "sqlite:data",
    explorer: "keyed",
    chains: { local: { id: chainId, rpc: [rpc] } },
  }
  writeFileSync(join(base, "daybook.json"), JSON.stringify(wire))
  const config = yield* Effect.fromResult(Config.decode(wire))
  const { address, keys } = yield* Service.run(config, { baseFolder: base })
  const key = Redacted.value((yield* keys.add({ name: "test", operator: false, empty: null }))!)
  const url = address!.url
  const get = (path: string) => request(`${url}${path}`, { headers: { "x-api-key": key } })
  const isIndexed = Effect.map(get("/ready?chain=local"), ({ json }) => json?.indexed?.to >= lastBlock)
  yield* Eventually.untilEffect(isIndexed, { everyMillis: 50 })
  /** Waits until the opening of this wallet is read; its first question starts the read, which changes sums once. */
  const opened = (address: string) =>
    get(`/api/v2.2/${address}/balances?chain=local`).pipe(
      Effect.map(({ json }) => (json.result as ReadonlyArray<Json>).every((row) => !row.balance.startsWith("-"))),
      (known) => Eventually.untilEffect(known, { everyMillis: 50 }),
    )
  return { base, url, key, keys, get, opened }
})

/** A client of `daybook mcp` with these arguments. */
const connect = (cwd: string, ...args: ReadonlyArray<string>) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const client = new Client({ name: "test", version: "1.0.0" })
      await client.connect(
        new StdioClientTransport({ command: process.execPath, args: [main, "mcp", ...args], cwd, stderr: "ignore" }),
      )
      return client
    }),
    (client) => Effect.promise(() => client.close()),
  )

/** A client of the endpoint of a service. */
const connectByHttp = (url: string, key: string) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const client = new Client({ name: "test", version: "1.0.0" })
      const requestInit = { headers: { "x-api-key": key } }
      await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit }))
      return client
    }),
    (client) => Effect.promise(() => client.close()),
  )

interface ToolResult {
  readonly answer: Json
  readonly coverage: { readonly to_block: string } | null
  readonly not_covered: ReadonlyArray<string>
  readonly next_call?: { readonly tool: string; readonly arguments: Record<string, unknown> }
}

const call = (client: Client, name: string, args: Record<string, unknown>) =>
  Effect.promise(async () => {
    const result = await client.callTool({ name, arguments: args })
    return {
      isError: result.isError === true,
      text: (result.content as ReadonlyArray<{ text: string }>)[0]!.text,
      answer: result.structuredContent as ToolResult,
    }
  })

layer(scenario, { excludeTestServices: true })("daybook mcp", (it) => {
  it.effect("answers from the configured database, as REST does, in bounded pages that can be continued", () =>
    Effect.gen(function* () {
      const { base, get, keys, opened } = yield* served
      const { accounts, all, lastBlock } = yield* Scenario.Scenario
      yield* opened(accounts.alice)
      const client = yield* connect(base)
      const { tools } = yield* Effect.promise(() => client.listTools())
      expect(tools.map(({ name }) => name).toSorted()).toEqual([
        "chains",
        "explain_transaction",
        "export_wallet",
        "find",
        "prove_wallet",
        "wallet_balances_at",
        "wallet_movements",
        "wallet_statement",
        "wallet_summary",
      ])
      expect(tools.every(({ annotations }) => annotations?.readOnlyHint === true)).toBe(true)

      const chains = yield* call(client, "chains", {})
      expect(chains.answer.answer).toMatchObject([{ chain: "local", from_block: 0, to_block: lastBlock }])

      const wallet = { address: accounts.alice, chain: "local" }
      const { json } = yield* get(`/api/v2.2/${accounts.alice}/movements?chain=local&order=ASC&limit=100`)
      const expected = json.result as ReadonlyArray<{ amount: string; transaction_hash: string | null }>
      const found: Array<{ amount: string; transaction: string | null }> = []
      let args: Record<string, unknown> | undefined = { ...wallet, order: "ASC", limit: 7 }
      while (args !== undefined && found.length < expected.length) {
        const called: Effect.Success<ReturnType<typeof call>> = yield* call(client, "wallet_movements", args)
        const { answer, text } = called
        expect(Buffer.byteLength(text)).toBeLessThanOrEqual(60_000)
        expect(answer.coverage?.to_block).toBe(String(lastBlock))
        found.push(...answer.answer)
        args = answer.next_call?.arguments
      }
      const key = (amount: string, hash: string | null) => `${amount} ${hash}`
      expect(found.slice(0, expected.length).map((row) => key(row.amount, row.transaction))).toEqual(
        expected.map((row) => key(row.amount, row.transaction_hash)),
      )

      const balances = yield* get(`/api/v2.2/${accounts.alice}/balances?chain=local`)
      const held = yield* call(client, "wallet_balances_at", wallet)
      expect(held.answer.answer.balances.map((row: { balance: string }) => row.balance)).toEqual(
        balances.json.result.map((row: { balance: string }) => row.balance),
      )
      const { answer: statement } = yield* call(client, "wallet_statement", wallet)
      expect(statement.answer.closing).toEqual(held.answer.answer.balances)
      const { answer: summary } = yield* call(client, "wallet_summary", wallet)
      expect(summary.answer.first_movement).toEqual(found[0])

      for (const { hash, label } of all.slice(0, 5)) {
        const explained = yield* call(client, "explain_transaction", { hash, chain: "local" })
        expect([label, explained.answer?.answer.hash]).toEqual([label, hash])
      }
      expect((yield* call(client, "find", { text: all[0]!.hash, chain: "local" })).answer.answer.place).toMatchObject({
        is: "transaction",
      })
      // The key of the command is listed while it runs, and no other process knows it.
      expect((yield* keys.list).filter(({ name }) => name.startsWith("mcp-"))).toHaveLength(1)
    }).pipe(Effect.scoped),
  )

  it.effect("exits at the end of its standard input, and removes its key", () =>
    Effect.gen(function* () {
      const base = yield* withConfig()
      const { code, out } = yield* daybookProcess(base, "mcp")
      const { apiKeys } = yield* Engine.fromUrl("sqlite:data", base)

      expect([code, out]).toEqual([0, ""])
      expect(yield* apiKeys.list).toEqual([])
    }),
  )

  it.effect("answers as the service's endpoint does", () =>
    Effect.gen(function* () {
      const { base, key, opened, url } = yield* served
      const { accounts, all } = yield* Scenario.Scenario
      yield* opened(accounts.alice)
      const [stdio, http] = [yield* connect(base, "--url", url, "--key", key), yield* connectByHttp(url, key)]
      const wallet = { address: accounts.alice, chain: "local" }
      const calls: ReadonlyArray<readonly [name: string, args: Record<string, unknown>]> = [
        ["chains", {}],
        ["wallet_summary", wallet],
        ["wallet_movements", wallet],
        ["wallet_statement", wallet],
        ["wallet_balances_at", wallet],
        ["explain_transaction", { hash: all[0]!.hash, chain: "local" }],
        ["prove_wallet", wallet],
        ["export_wallet", wallet],
        ["find", { text: accounts.alice, chain: "local" }],
      ]
      for (const [name, args] of calls) {
        const [one, other] = [yield* call(stdio, name, args), yield* call(http, name, args)]
        expect([name, one.isError]).toEqual([name, false])
        expect([name, other.answer]).toEqual([name, one.answer])
      }
    }).pipe(Effect.scoped),
  )

  it.effect("answers from a running service with its key, and reports errors as tool results", () =>
    Effect.gen(function* () {
      const { base, key, url } = yield* served
      const client = yield* connect(base, "--url", url, "--key", key)
      const wrongChain = yield* call(client, "wallet_movements", { address: `0x${"1".repeat(40)}`, chain: "nowhere" })
      expect(wrongChain.isError).toBe(true)
      expect(wrongChain.text).toContain("nowhere")
      const wrongAddress = yield* call(client, "wallet_movements", { address: "0x12", chain: "local" })
      expect([wrongAddress.isError, wrongAddress.text.includes("address")]).toEqual([true, true])
      const unknown = yield* call(client, "explain_transaction", { hash: `0x${"1".repeat(64)}`, chain: "local" })
      expect([unknown.isError, unknown.text.includes("Check the hash and the chain")]).toEqual([true, true])

      const refused = yield* connect(base, "--url", url, "--key", "no-such-key")
      const { isError, text } = yield* call(refused, "wallet_movements", {
        address: `0x${"1".repeat(40)}`,
        chain: "local",
      })
      expect([isError, text.includes("no-such-key")]).toEqual([true, false])
    }).pipe(Effect.scoped),
  )
})
