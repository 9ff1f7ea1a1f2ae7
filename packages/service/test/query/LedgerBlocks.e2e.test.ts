/** Exports of an index, compared with those of a discovery of the same chain. */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { layer } from "@effect/vitest"
import { Effect, Layer, Stream } from "effect"
import { expect, vi } from "vitest"
import { Anvil, Scenario } from "@daybook/chain"
import * as NodeConnection from "../../src/discovery/NodeConnection.ts"
import * as Export from "../../src/export/Export.ts"
import * as LedgerBlocks from "../../src/query/LedgerBlocks.ts"
import * as Holding from "../../src/ledger/Holding.ts"
import { daybookProcess, timeout } from "../cli/daybook.ts"
import { caughtUp, start } from "../indexer/chain.ts"
import * as TestStore from "../store/TestStore.ts"
import { temporaryFolder } from "../store/temporaryFolder.ts"

vi.setConfig({ testTimeout: timeout, hookTimeout: 60_000 })

const scenario = Scenario.layer({ blobs: false, blocks: 25, seed: 6 }).pipe(Layer.provideMerge(Anvil.layer()))

const textOf = Effect.fnUntraced(function* <E>(part: Effect.Effect<Export.Part<E>, E>, format: Export.FormatName) {
  const pieces: Array<string> = []
  const write = (text: string) => Effect.sync(() => void pieces.push(text))
  const { closings } = yield* Export.write([yield* part], Export.formats[format](), write)
  return { text: pieces.join(""), closings }
})

/** An index of the chain up to its last block. */
const indexedFrom = Effect.fnUntraced(function* (fromBlock: number) {
  const { url } = yield* Anvil.Anvil
  const { lastBlock } = yield* Scenario.Scenario
  const base = yield* temporaryFolder
  const store = yield* TestStore.inFolder(base)
  const indexer = yield* start(store, [url], { fromBlock })
  yield* indexer.until(caughtUp(lastBlock))
  yield* indexer.stop
  return { base, store, lastBlock, url }
})

const indexed = indexedFrom(0)

layer(scenario, { excludeTestServices: true })("LedgerBlocks", (it) => {
  it.effect("fromIndex: writes the same as a discovery of the same wallets, including by the command", () =>
    Effect.gen(function* () {
      const { base, lastBlock, store, url } = yield* indexed
      const { accounts } = yield* Scenario.Scenario
      const wallets = [accounts.alice, accounts.bob, accounts.carol]
      const connection = yield* NodeConnection.connect({ node: { url } })
      const fromIndex = Export.fromIndex({
        reader: store,
        connection,
        options: {
          chain: "test",
          wallets,
          at: lastBlock,
        },
      })
      const fromNode = Export.fromNode({ connection, options: { addresses: wallets, at: lastBlock } })
      const chains = { test: { id: 31_337, rpc: [url] } }
      const config = { listen: { host: "127.0.0.1", port: 0 }, database: `sqlite:${base}`, chains }
      writeFileSync(join(base, "daybook.json"), JSON.stringify(config))
      const args = ["--chain", "test", "--at", String(lastBlock), "--format", "ndjson"]
      const command = yield* daybookProcess(base, "export", ...wallets, ...args)

      const [index, node] = [yield* textOf(fromIndex, "ndjson"), yield* textOf(fromNode, "ndjson")]
      expect(index.text).toBe(node.text)
      for (const format of ["csv", "beancount", "hledger"] as const) {
        expect((yield* textOf(fromIndex, format)).text).toBe((yield* textOf(fromNode, format)).text)
      }
      expect(index.text.split("\n").length).toBeGreaterThan(200)
      expect(index.closings.every(({ amount, found }) => amount === found)).toBe(true)
      expect(command).toMatchObject({ code: 0, out: index.text })
      expect(command.err).toMatch(/^(\d+) movements; (\d+) of \2 balances proved$/m)
    }),
  )

  it.effect("blocks: are ascending, each once, with their rows in order, for wallets of several pages", () =>
    Effect.gen(function* () {
      const { lastBlock, store } = yield* indexed
      const { accounts } = yield* Scenario.Scenario
      const wallets = Object.values(accounts)
      const range = yield* LedgerBlocks.rangeOf(store, { chain: "test", wallets, to: lastBlock })
      const blocks = [...(yield* Stream.runCollect(LedgerBlocks.blocks(store, range, 3)))]
      const numbers = blocks.map(({ number }) => number)
      const rows = blocks.flatMap((block) => block.rows)
      const whole = yield* store.snapshot((snapshot) =>
        Effect.forEach(wallets, (wallet) =>
          Effect.map(
            snapshot.ledger({ wallet, from: 0, to: lastBlock, order: "ASC", after: null, limit: 10_000 }),
            (ledger) => ledger.rows,
          ),
        ),
      )

      expect(numbers).toEqual([...new Set(numbers)].toSorted((one, other) => one - other))
      expect(rows).toHaveLength(whole.flat().length)
      expect(Math.max(...whole.map((entries) => entries.length))).toBeGreaterThan(60)
      for (const block of blocks) {
        const indexes = block.rows.map(({ index }) => index ?? Number.POSITIVE_INFINITY)
        expect(indexes).toEqual(indexes.toSorted((one, other) => one - other))
        for (const { index, transactionHash } of block.rows) expect(transactionHash === null).toBe(index === null)
      }
    }),
  )

  it.effect("fromIndex: counts opening balances once, even if the index contains them", () =>
    Effect.gen(function* () {
      const fromBlock = 12
      const { lastBlock, store, url } = yield* indexedFrom(fromBlock)
      const { accounts } = yield* Scenario.Scenario
      const node = yield* Anvil.Anvil
      const connection = yield* NodeConnection.connect({ node: { url } })
      const options = { chain: "test", wallets: [accounts.alice], at: lastBlock }
      const exported = Effect.flatMap(
        Effect.sync(() => Export.fromIndex({ reader: store, connection, options })),
        (part) => textOf(part, "ndjson"),
      )
      const before = yield* exported
      const held = yield* node.call<string>("eth_getBalance", [accounts.alice, `0x${(fromBlock - 1).toString(16)}`])
      const { hash: parentHash } = yield* node.call<{ readonly hash: string }>("eth_getBlockByNumber", [
        `0x${(fromBlock - 1).toString(16)}`,
        false,
      ])
      const proofs = yield* store.database.chain(store.ref).proofs
      const balance = { holding: Holding.native, amount: BigInt(held) }
      yield* proofs.writeOpenings({ number: fromBlock, parentHash }, [{ wallet: accounts.alice, balances: [balance] }])
      const openings = yield* store.snapshot((snapshot) =>
        snapshot.openingRange({ wallet: accounts.alice, order: "ASC", after: undefined, limit: 1 }),
      )
      const after = yield* exported

      expect(openings.rows[0]?.movement).toMatchObject({ kind: "genesis", amount: BigInt(held) })
      expect(after.text).toBe(before.text)
      expect(after.closings.length).toBeGreaterThan(0)
      expect(after.closings.every(({ amount, found }) => amount === found)).toBe(true)
    }),
  )

  it.effect("fromIndex: fails if the node has another block, and names what is not indexed", () =>
    Effect.gen(function* () {
      const { lastBlock, store } = yield* indexed
      const other = yield* Anvil.make()
      yield* other.call("anvil_mine", [`0x${lastBlock.toString(16)}`])
      const connection = yield* NodeConnection.connect({ node: { url: other.url } })
      const empty = yield* TestStore.inFolder(yield* temporaryFolder)
      const { accounts } = yield* Scenario.Scenario
      const options = { chain: "test", wallets: [accounts.alice], at: lastBlock }
      const range = { ...options, to: lastBlock }
      const failed = yield* Effect.flip(Export.fromIndex({ reader: store, connection, options }))
      const refusal = (more: Partial<LedgerBlocks.Options>) =>
        Effect.map(Effect.flip(LedgerBlocks.rangeOf(store, { ...range, ...more })), ({ message }) => message)
      const late = yield* refusal({ fromBlock: lastBlock + 1 })
      const beyond = yield* refusal({ to: lastBlock + 1 })
      const behind = yield* refusal({ to: lastBlock + 17, isOpenEnded: true })
      const following = yield* LedgerBlocks.rangeOf(store, { ...range, to: lastBlock + 16, isOpenEnded: true })
      const partial = yield* indexedFrom(12)
      const early = yield* Effect.flip(LedgerBlocks.rangeOf(partial.store, { ...range, fromBlock: 11 }))

      expect(failed).toMatchObject({ _tag: "ChainReorganized", block: lastBlock })
      expect(yield* Effect.flip(LedgerBlocks.rangeOf(empty, range))).toMatchObject({
        message: 'Invalid export "test": expected an index with blocks, received none.',
      })
      const has = `received ledgers of the blocks 0 to ${lastBlock}`
      expect(late).toContain(`expected ledgers of the blocks ${lastBlock + 1} to ${lastBlock}, ${has}`)
      expect(beyond).toContain(`expected ledgers of the blocks 0 to ${lastBlock + 1}, ${has}`)
      expect(behind).toContain(`expected ledgers of the blocks 0 to ${lastBlock + 17}, ${has}`)
      expect(following.closing.number).toBe(lastBlock)
      expect(early).toMatchObject({ received: `ledgers of the blocks 12 to ${lastBlock}` })
    }).pipe(Effect.scoped),
  )
})
