/** Comparisons of wallets with the chain that clients request from a service. */
import { serve } from "@daybook/harness/ScriptedServer"
import { createRestClient } from "@daybook/rest/promise"
import { layer } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { expect, vi } from "vitest"
import { Anvil, Scenario } from "@daybook/chain"
import * as Config from "../../../src/config/Config.ts"
import * as Service from "../../../src/Service.ts"
import * as Engine from "../../../src/store/Engine.ts"
import { timeout } from "../../cli/daybook.ts"
import { caughtUp, start } from "../../indexer/chain.ts"
import * as TestStore from "../../store/TestStore.ts"
import { temporaryFolder } from "../../store/temporaryFolder.ts"

vi.setConfig({ testTimeout: timeout, hookTimeout: 60_000 })

const scenario = Scenario.layer({ blobs: false, blocks: 20 }).pipe(Layer.provideMerge(Anvil.layer()))

interface Options {
  readonly fromBlock?: number
  readonly config?: Readonly<Record<string, unknown>>
  readonly indexing?: Readonly<Record<string, unknown>>
}

/** A service over an index of the chain, and clients by the operations that their keys permit. */
const served = Effect.fnUntraced(function* ({ config: own, fromBlock = 0, indexing }: Options = {}) {
  const node = yield* Anvil.Anvil
  const { lastBlock: head } = yield* Scenario.Scenario
  const base = yield* temporaryFolder
  yield* Effect.scoped(
    Effect.gen(function* () {
      const engine = yield* Engine.fromUrl("sqlite:data", base)
      const store = yield* TestStore.open(engine, { name: "dev", id: node.chainId })
      const indexer = yield* start(store, [node.url], { fromBlock, finalityBlocks: 2, ...indexing })
      yield* indexer.until(caughtUp(head))
      yield* indexer.stop
      yield* store.finalize(head - 2)
    }),
  )
  const chains = { dev: { id: node.chainId, rpc: [node.url], fromBlock, rewinds: false, ...own } }
  const config = { listen: { host: "127.0.0.1", port: 0 }, database: "sqlite:data", chains }
  const decoded = yield* Effect.fromResult(Config.decode(config))
  const { address, keys } = yield* Service.run(decoded, { roles: ["rest"], baseFolder: base })
  const baseUrl = address!.url
  const clientOf = Effect.fnUntraced(function* (...operations: ReadonlyArray<string>) {
    const [first, ...others] = operations
    const grant = { name: `key ${operations.join(" ")}`, operator: false, empty: null }
    const options = first === undefined ? undefined : { operations: [first, ...others] as const }
    const apiKey = Redacted.value((yield* keys.add(options === undefined ? grant : { ...grant, options }))!)
    return createRestClient({ baseUrl, apiKey, retry: { base: 1, cap: 5, maxAttempts: 2 } })
  })
  return { clientOf, final: BigInt(head - 2) }
})

const caught = (promise: Promise<unknown>) =>
  Effect.promise(() =>
    promise.then(
      () => "fulfilled",
      (error: unknown) => error,
    ),
  )

layer(scenario, { excludeTestServices: true })("proveWallet", (it) => {
  it.effect("compares a wallet with the chain, reports its progress, and is part of statements from then on", () =>
    Effect.gen(function* () {
      const { accounts } = yield* Scenario.Scenario
      for (const [fromBlock, wallet] of [
        [0, accounts.alice],
        [9, accounts.bob],
      ] as const) {
        const { clientOf, final } = yield* served({ fromBlock })
        const books = yield* clientOf("proveWallet", "statement", "balances")
        const query = { address: wallet, chain: "dev" }
        const blocks: Array<bigint> = []

        const before = yield* Effect.promise(() => books.statement(query))
        const proof = yield* Effect.promise(() =>
          books.proveWallet(query, { onProgress: ({ block_number }) => void blocks.push(block_number) }),
        )
        const after = yield* Effect.promise(() => books.statement({ ...query, to_block: final }))
        const again = yield* Effect.promise(() =>
          books.proveWallet({ ...query, to_block: 5 }, { onProgress: () => expect.fail() }),
        )

        expect(before.proof).toBe(null)
        expect(blocks.length).toBeGreaterThan(0)
        expect(new Set(blocks)).toEqual(new Set([final]))
        expect(proof).toMatchObject({ block_number: final, proved: true, proved_at_block: final, differences: [] })
        expect(proof.by_state_root).toEqual(["native", "nonce"])
        expect([after.proof, again]).toEqual([proof, proof])
        expect(after.incomplete.opening).toBe(false)
      }
    }),
  )

  it.effect("returns the difference of a payment that the index lacks, with its first block", () =>
    Effect.gen(function* () {
      const { contracts } = yield* Scenario.Scenario
      const { clientOf } = yield* served({ indexing: { traces: "off" } })
      const books = yield* clientOf("proveWallet")

      const proof = yield* Effect.promise(() => books.proveWallet({ address: contracts.multisend, chain: "dev" }))

      expect(proof.proved).toBe(false)
      expect(proof.differences).toMatchObject([{ asset: "native", token_id: null }])
      expect(proof.differences[0]?.first_block).not.toBe(null)
    }),
  )

  it.effect(
    "is rejected for a key that does not name it, above the last final block, and if no comparison is made",
    () =>
      Effect.gen(function* () {
        const { accounts } = yield* Scenario.Scenario
        const query = { address: accounts.alice, chain: "dev" }
        const { clientOf, final } = yield* served()
        const off = yield* served({ config: { proofCallsPerMinute: 0 } })
        const reader = yield* clientOf()
        const books = yield* clientOf("proveWallet")
        const offBooks = yield* off.clientOf("proveWallet")

        expect(yield* caught(reader.proveWallet(query))).toMatchObject({ _tag: "Forbidden" })
        expect(yield* caught(books.proveWallet({ ...query, to_block: final + 1n }))).toMatchObject({
          _tag: "BadRequest",
          parameter: "to_block",
          message: expect.stringContaining(`a final block, up to ${final}`),
        })
        expect(yield* caught(offBooks.proveWallet(query))).toMatchObject({
          _tag: "NotFound",
          message: expect.stringContaining('"chains.dev.proofCallsPerMinute" of this service is 0'),
        })
      }),
  )

  it.effect(
    "fails with Unavailable, and without the name of the node, if no node responds, and is not retried immediately",
    () =>
      Effect.gen(function* () {
        const { accounts } = yield* Scenario.Scenario
        const node = yield* serve((_, response) => response.writeHead(401).end())
        const { clientOf } = yield* served({ config: { rpc: [`${node.url}/a-key`] } })
        const books = yield* clientOf("proveWallet")

        const error = yield* caught(books.proveWallet({ address: accounts.alice, chain: "dev" }))

        expect(error).toMatchObject({ _tag: "Unavailable" })
        expect((error as Error).message).toContain("Comparison not made: no node of the chain answers. Retry later.")
        expect((error as Error).message).not.toContain("a-key")
        expect(node.seen).toHaveLength(1)
      }),
  )
})
