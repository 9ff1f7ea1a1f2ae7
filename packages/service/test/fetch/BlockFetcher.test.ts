/** Ranges of blocks from batches, and blocks fetched separately. */
import { describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { expect } from "vitest"
import type { HydratedBlock } from "@daybook/schema/Block"
import * as BlockFetcher from "../../src/fetch/BlockFetcher.ts"
import type { BatchFetcher, Parts } from "../../src/node/BatchFetcher.ts"
import type { Node } from "../../src/node/Node.ts"
import { NodeFailed } from "../../src/node/NodeError.ts"
import * as Undecoded from "../../src/verification/Undecoded.ts"
import * as LedgerRules from "../../src/ledger/LedgerRules.ts"
import { decoder } from "../indexer/chain.ts"
import * as fixture from "../indexer/fixture.ts"

const hashOf = (number: number) => `0x${number.toString(16).padStart(64, "0")}`
const hex = (number: number) => `0x${number.toString(16)}`

const place = (number: number) => ({ blockHash: hashOf(number), blockNumber: hex(number) })

const blockAt = (number: number): HydratedBlock =>
  fixture.block({
    number: hex(number),
    hash: hashOf(number),
    transactions: [{ ...fixture.transferWire, ...place(number) }],
  })

const partsAt = (number: number): Parts => ({
  receipts: fixture.receipts([
    { ...fixture.transferReceiptWire, ...place(number), logs: [fixture.logWire(0, 0, place(number))] },
  ]),
  traces: null,
})

const failed = new NodeFailed({
  message: "The node is gone.",
  isMisconfigured: false,
  pace: "rarely",
  cause: { _tag: "TimeoutError" } as never,
})

/** A node that has every block but one, and the blocks that were fetched separately. */
const nodeOf = (gone?: number) => {
  const alone: Array<number> = []
  // Sound: nothing else of a node is called.
  const node = {
    block: (number: number) =>
      Effect.suspend(() => {
        alone.push(number)
        return number === gone ? Effect.fail(failed) : Effect.succeed(blockAt(number))
      }),
    receipts: ({ number }: { readonly number: number }) => Effect.succeed(partsAt(number).receipts),
    traces: () => Effect.succeed(null),
    isSettled: () => false,
  } as unknown as Node
  return { node, alone }
}

const bulkOf = (more: Partial<BatchFetcher> = {}): BatchFetcher => ({
  size: 3,
  blocks: (numbers) => Effect.succeed(numbers.map(blockAt)),
  parts: (refs) => Effect.succeed(refs.map(({ number }) => partsAt(number))),
  ...more,
})

const options = { decoder, checks: "links" as const }
const numbersOf = ({ rows }: BlockFetcher.FetchedRange) =>
  rows.map(({ number, transactions }) => [number, transactions.length])

describe("BlockFetcher", () => {
  it.effect(
    "block: needs no traces for a block without transactions, even if its root is not that of an empty list",
    () =>
      Effect.gen(function* () {
        const { node } = nodeOf()
        const empty = { ...blockAt(7), transactions: [], gasUsed: 0n, transactionsRoot: hashOf(1) }
        // Sound: nothing else of a node is asked.
        const untraceable = {
          ...node,
          block: () => Effect.succeed(empty),
          receipts: () => Effect.succeed([]),
          traces: () => Effect.fail(failed),
        } as unknown as Node

        expect(yield* BlockFetcher.block(untraceable, 7, options)).toMatchObject({ number: 7, transactions: [] })
      }),
  )

  describe("range", () => {
    it.effect("range: assembles the rows of a batch of blocks", () =>
      Effect.gen(function* () {
        const { alone, node } = nodeOf()
        const made = yield* BlockFetcher.range(node, bulkOf(), [5, 6, 7], options)

        expect(made.failure).toBe(null)
        expect(numbersOf(made)).toEqual([
          [5, 1],
          [6, 1],
          [7, 1],
        ])
        expect(alone).toEqual([])
      }),
    )

    it.effect("range: adds the node's parent to a block that states none, if nodes may omit parents", () =>
      Effect.gen(function* () {
        const parentHash = `0x${"0".repeat(64)}`
        const orphan = (number: number): HydratedBlock =>
          fixture.block({
            number: hex(number),
            hash: hashOf(number),
            parentHash,
            transactions: [
              {
                ...fixture.transferWire,
                ...place(number),
              },
            ],
          })
        // Sound: nothing else of a node is asked.
        const node = {
          ...nodeOf().node,
          block: (number: number) => Effect.succeed(orphan(number)),
          header: (number: number) => Effect.succeed({ number, hash: hashOf(number), parentHash, timestamp: 0 }),
        } as unknown as Node
        const bulk = bulkOf({ blocks: (numbers) => Effect.succeed(numbers.map(orphan)) })
        const parentsOf = ({ rows }: BlockFetcher.FetchedRange) => rows.map((row) => row.parentHash)

        const made = yield* BlockFetcher.range(node, bulk, [5, 6], { ...options, mayLackParents: true })
        expect(parentsOf(made)).toEqual([hashOf(4), hashOf(5)])

        const strict = yield* BlockFetcher.range(node, bulk, [5, 6], options)
        expect(parentsOf(strict)).toEqual([parentHash, parentHash])
      }),
    )

    it.effect("range: fetches a block separately if it is missing, has another number, lacks parts or is invalid", () =>
      Effect.gen(function* () {
        const { alone, node } = nodeOf()
        const bulk = bulkOf({
          blocks: () => Effect.succeed([null, blockAt(60), blockAt(7), blockAt(8), blockAt(9)]),
          parts: (refs) =>
            Effect.succeed(refs.map(({ number }) => (number === 7 ? null : partsAt(number === 8 ? 80 : number)))),
        })
        const made = yield* BlockFetcher.range(node, bulk, [5, 6, 7, 8, 9], options)

        expect(numbersOf(made).map(([number]) => number)).toEqual([5, 6, 7, 8, 9])
        expect(alone).toEqual([5, 6, 7, 8])
      }),
    )

    it.effect("range: reports progress after the batch, and after each block fetched separately", () =>
      Effect.gen(function* () {
        const reported: Array<number> = []
        const { alone, node } = nodeOf(7)
        const onFetched = Effect.sync(() => void reported.push(alone.length))
        yield* BlockFetcher.range(node, bulkOf(), [1, 2, 3], { ...options, onFetched })
        expect(reported).toEqual([0])

        const none = bulkOf({ blocks: (numbers) => Effect.succeed(numbers.map(() => null)) })
        yield* BlockFetcher.range(node, none, [5, 6, 7], { ...options, onFetched })
        expect(reported).toEqual([0, 1, 2])
      }),
    )

    it.effect("range: ends before a block that cannot be fetched separately either, with the reason", () =>
      Effect.gen(function* () {
        const { node } = nodeOf(6)
        const bulk = bulkOf({ blocks: () => Effect.succeed([blockAt(5), null, blockAt(7)]) })
        const made = yield* BlockFetcher.range(node, bulk, [5, 6, 7], options)

        expect(numbersOf(made)).toEqual([[5, 1]])
        expect(made.failure).toBe(failed)
      }),
    )

    it.effect("range: fetches parts of each block with transactions, and returns the rows of watched wallets", () =>
      Effect.gen(function* () {
        const { alone, node } = nodeOf()
        const asked: Array<number> = []
        const other = fixture.block({
          number: hex(6),
          hash: hashOf(6),
          transactions: [
            { ...fixture.transferWire, ...place(6), from: fixture.address("9"), to: fixture.address("8") },
          ],
        })
        const bulk = bulkOf({
          blocks: () => Effect.succeed([blockAt(5), other]),
          parts: (refs) => {
            asked.push(...refs.map(({ number }) => number))
            return Effect.succeed(refs.map(({ number }) => partsAt(number)))
          },
        })
        const watch = new Set([fixture.sender])
        const made = yield* BlockFetcher.range(node, bulk, [5, 6], { ...options, watch })

        expect(asked).toEqual([5, 6])
        expect(numbersOf(made)).toEqual([
          [5, 1],
          [6, 0],
        ])
        expect(alone).toEqual([])
      }),
    )
  })

  describe("block", () => {
    /** A node that returns another block for each number. */
    const shifted = (shift: number, each?: ReadonlyArray<Node>) =>
      // Sound: nothing else of a node is called.
      ({
        block: (number: number) => Effect.succeed(blockAt(number + shift)),
        receipts: ({ number }: { readonly number: number }) => Effect.succeed(partsAt(number).receipts),
        traces: () => Effect.succeed(null),
        header: (number: number) => Effect.succeed({ number, hash: hashOf(number + shift), parentHash: "" }),
        hosts: ["node.example:8545"],
        isSettled: () => false,
        each,
      }) as unknown as Node

    it.effect("block: rejects a block with another number", () =>
      Effect.gen(function* () {
        const error = yield* Effect.flip(BlockFetcher.block(shifted(1), 5, options))

        expect(error).toMatchObject({ _tag: "InvalidBlock", block: 5, what: "number: expected 5, received 6" })
      }),
    )

    it.effect("block: takes another node's block if the first one is invalid", () =>
      Effect.gen(function* () {
        const rows = yield* BlockFetcher.block(shifted(1, [shifted(1), shifted(0)]), 5, options)

        expect(rows.number).toBe(5)
      }),
    )

    it.effect("block: fails with the first node's mismatch if every node's block is invalid", () =>
      Effect.gen(function* () {
        const error = yield* Effect.flip(BlockFetcher.block(shifted(1, [shifted(1), shifted(2)]), 5, options))

        expect(error.message).toContain("received 6")
      }),
    )

    it.effect("block: waits a while for an unresponsive node if another node's response does not decode", () =>
      Effect.gen(function* () {
        const cause = { _tag: "TransportError", phase: "connect", isRetryable: true } as never
        const odd = { _tag: "InvalidResponse", reason: "content", path: "result.hash", isRetryable: false } as never
        const failure = new NodeFailed({ message: "", isMisconfigured: false, pace: "soon", cause, others: [odd] })
        const found = { block: blockAt(5), undecoded: Undecoded.none }
        const node = { ...shifted(0), block: () => Effect.fail(failure), lenientBlock: () => Effect.succeed(found) }

        expect(yield* Effect.flip(BlockFetcher.block(node, 5, { ...options, failures: 3 }))).toBe(failure)
        expect((yield* BlockFetcher.block(node, 5, { ...options, failures: 4 })).transactions.length).toBe(1)
      }),
    )

    it.effect("block: leaves the ledger to be derived if a transaction is traced after its block was assembled", () =>
      Effect.gen(function* () {
        const calls = [{ type: "CALL", from: fixture.token, to: fixture.address("8"), value: "0x5", calls: [] }]
        const [frame] = fixture.frames([
          { result: { type: "CALL", from: fixture.sender, to: fixture.token, value: "0x0", calls } },
        ])
        const untraced = { _tag: "Untraced", reason: "pruned" } as const
        const tracing = (trace: object | null) => ({
          ...shifted(0),
          traces: () => Effect.succeed(untraced),
          transactionTrace: () => Effect.succeed(trace),
        })
        const ledger = LedgerRules.fromChainId(1)
        const fetchBlock = (trace: object | null) =>
          BlockFetcher.block(tracing(trace) as Node, 5, { ...options, ledger, failures: 8 })
        const traced = yield* fetchBlock({ _tag: "Frame", frame: frame!.result })
        const bare = yield* fetchBlock(null)

        expect(traced.transactions[0]!.internal).toContain(fixture.address("8"))
        expect(traced.ledger).toBe(undefined)
        expect(bare.ledger).not.toBe(undefined)
      }),
    )

    it.effect("block: selects the transactions of watched wallets again after tracing them one by one", () =>
      Effect.gen(function* () {
        const [stranger, other, payee] = [fixture.address("9"), fixture.address("8"), fixture.address("7")]
        const at = { ...place(5), transactionIndex: "0x1" }
        const parties = { from: stranger, to: other }
        const own = { ...fixture.transferReceiptWire, ...place(5), logs: [fixture.logWire(0, 0, place(5))] }
        const payment = { ...own, ...at, ...parties, transactionHash: fixture.creationHash, logs: [] }
        const [call, paying] = fixture.frames([
          { result: { type: "CALL", from: fixture.sender, to: fixture.token, value: "0x0", calls: [] } },
          {
            result: {
              type: "CALL",
              value: "0x0",
              ...parties,
              calls: [{ type: "CALL", from: other, to: payee, value: "0x5", calls: [] }],
            },
          },
        ])
        const two = fixture.block({
          number: hex(5),
          hash: hashOf(5),
          transactions: [
            { ...fixture.transferWire, ...place(5) },
            { ...fixture.transferWire, ...at, ...parties, hash: fixture.creationHash },
          ],
        })
        const frameOf = (hash: string) => ({
          _tag: "Frame",
          frame: (hash === fixture.creationHash ? paying : call)!.result,
        })
        const node = {
          ...shifted(0),
          block: () => Effect.succeed(two),
          receipts: () => Effect.succeed(fixture.receipts([own, payment])),
          traces: () => Effect.succeed({ _tag: "Untraced", reason: "too large" }),
          transactionTrace: (hash: string) => Effect.succeed(hash === untraceable ? null : frameOf(hash)),
        } as unknown as Node
        let untraceable = ""
        const ledger = LedgerRules.fromChainId(1)
        const indexesOf = (wallet: string, more: Partial<BlockFetcher.Options> = {}) =>
          Effect.map(
            BlockFetcher.block(node, 5, { ...options, ledger, failures: 8, watch: new Set([wallet]), ...more }),
            ({ facts, transactions }) => ({
              rows: transactions.map(({ index }) => index),
              facts: JSON.parse(facts!).transactions.map(({ index }: { readonly index: number }) => index),
            }),
          )

        expect(yield* indexesOf(fixture.sender)).toEqual({ rows: [0], facts: [0] })
        expect(yield* indexesOf(payee)).toEqual({ rows: [1], facts: [1] })
        expect(yield* indexesOf(fixture.address("6"))).toEqual({ rows: [], facts: [] })
        const kept = new Set([fixture.transferHash])
        expect(yield* indexesOf(fixture.address("6"), { kept })).toEqual({ rows: [0], facts: [0] })
        untraceable = fixture.creationHash
        expect(yield* indexesOf(fixture.sender)).toEqual({ rows: [0, 1], facts: [0, 1] })
      }),
    )

    it.effect("block: names the nodes that have the block but have pruned its receipts", () =>
      Effect.gen(function* () {
        const one = { ...shifted(0), isSettled: () => true, receipts: () => Effect.succeed(null) }
        const two = { ...one, hosts: ["node.example:8545", "other.example"] }

        expect((yield* Effect.flip(BlockFetcher.block(one, 5, options))).message).toBe(
          'node.example:8545 has no receipts of block 5. Pruned? Use a node with full history, or begin later with "fromBlock" in the configuration of "daybook serve".',
        )
        expect((yield* Effect.flip(BlockFetcher.block(two, 5, options))).message).toBe(
          'None of node.example:8545, other.example has receipts of block 5. Pruned? Use a node with full history, or begin later with "fromBlock" in the configuration of "daybook serve".',
        )
      }),
    )

    it.effect("block: fetches a receipt separately if the response for its block lacks it", () =>
      Effect.gen(function* () {
        const created = { ...fixture.creationReceiptWire, ...place(5), logs: [] }
        const [second] = fixture.receipts([created])
        const transactions = [fixture.transferWire, fixture.creationWire].map((wire) => ({ ...wire, ...place(5) }))
        const found = fixture.block({ number: hex(5), hash: hashOf(5), transactions })
        const node = { ...shifted(0), block: () => Effect.succeed(found), receipt: () => Effect.succeed(second) }
        const rows = yield* BlockFetcher.block(node as unknown as Node, 5, options)

        expect(rows.transactions.map(({ index }) => index)).toEqual([0, 1])
        expect(rows.gaps).toBeUndefined()
      }),
    )

    it.effect("block: attributes missing receipts near the head to lag, not to pruning", () =>
      Effect.gen(function* () {
        const lagging = { ...shifted(0), receipts: () => Effect.succeed(null) }
        const error = yield* Effect.flip(BlockFetcher.block(lagging, 5, options))

        expect(error).toMatchObject({ _tag: "BlockNotFound" })
        expect(error.message).toBe(
          "The node does not have receipts of block 5: it lags, or a reorg is under way. Trying again.",
        )
      }),
    )

    it.effect("block: attributes missing receipts to a reorg if the node now has another block at this number", () =>
      Effect.gen(function* () {
        const header = (number: number) => Effect.succeed({ number, hash: hashOf(0xff), parentHash: "" })
        const node = { ...shifted(0), header, receipts: () => Effect.succeed(null) }
        const error = yield* Effect.flip(BlockFetcher.block(node, 5, options))

        expect(error.message).toBe(
          "The node does not have receipts of block 5: it lags, or a reorg is under way. Trying again.",
        )
      }),
    )

    it.effect("block: attributes a missing block to pruning only if it is far below the head", () =>
      Effect.gen(function* () {
        const lagging = { ...shifted(0), block: () => Effect.succeed(null) }
        const pruned = { ...lagging, isSettled: () => true }

        expect((yield* Effect.flip(BlockFetcher.block(lagging, 5, options))).message).toBe(
          "The node does not have block 5: it lags, or a reorg is under way. Trying again.",
        )
        expect((yield* Effect.flip(BlockFetcher.block(pruned, 5, options))).message).toBe(
          'node.example:8545 has no block 5. Pruned? Use a node with full history, or begin later with "fromBlock" in the configuration of "daybook serve".',
        )
      }),
    )
  })
})
