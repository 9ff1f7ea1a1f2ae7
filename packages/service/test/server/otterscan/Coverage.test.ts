/** What the index does not cover is an error of a search, and never a shorter list. */
import { describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { expect } from "vitest"
import type { BlockGap, BlockRows } from "../../../src/block/BlockRows.ts"
import type { LedgerProjection } from "../../../src/block/Projection.ts"
import * as LedgerCodec from "../../../src/ledger/LedgerCodec.ts"
import * as Role from "../../../src/ledger/Role.ts"
import * as WalletLedger from "../../../src/projection/WalletLedger.ts"
import * as WalletTransactions from "../../../src/projection/WalletTransactions.ts"
import * as Node from "../node.ts"
import * as Rows from "../rows.ts"
import { type Json, type Options, start, type Started } from "../service.ts"

/** Ledgers in which alice sends each transaction. */
const ledger: LedgerProjection = {
  id: WalletLedger.id,
  kind: "ledger",
  revision: WalletLedger.revision,
  ledger: () => LedgerCodec.pack([{ index: 0, wallet: Rows.alice, roles: Role.bits.sender, movements: [] }]),
}

const chain = (from: number, length: number, gaps: Readonly<Record<number, BlockGap>> = {}): ReadonlyArray<BlockRows> =>
  Array.from({ length }, (_, at) => {
    const block = Rows.block(from + at, [{ from: Rows.alice, to: Rows.bob }])
    const gap = gaps[from + at]
    return gap === undefined ? block : { ...block, gaps: [gap] }
  })

const hex = (value: string | number) => `0x${Number(value).toString(16)}`

/** A node with the same transactions as the index. */
const nodeOf = (blocks: ReadonlyArray<BlockRows>) => {
  const transactions = blocks.flatMap(({ transactions: own }) => own.map(({ body }): Json => JSON.parse(body)))
  return Node.start(({ method, params }) => {
    const found = transactions.find(({ hash }) => hash === params[0])
    if (found === undefined) return Node.result("null")
    const at = { blockHash: found.block_hash, blockNumber: hex(found.block_number), from: found.from_address }
    return Node.result(
      JSON.stringify(
        method === "eth_getTransactionByHash"
          ? { ...at, hash: found.hash, nonce: "0x7", input: found.input }
          : { ...at, transactionHash: found.hash, gasUsed: "0x5208", status: "0x1" },
      ),
    )
  })
}

const startOn = Effect.fnUntraced(function* (
  blocks: ReadonlyArray<BlockRows>,
  config: Readonly<Record<string, unknown>> = {},
  more: Partial<NonNullable<Options["chains"]>[string]> = {},
) {
  const node = yield* nodeOf(blocks)
  const projections = [WalletTransactions.projection, ledger]
  return yield* start({ chains: { eth: { config: { rpc: [node.url], ...config }, blocks, projections, ...more } } })
})

/** The blocks of the transactions of a search, with its ends; or the text of its error. */
const search = ({ call }: Started, direction: "After" | "Before", block: number, size = 25, wallet = Rows.alice) =>
  Effect.map(
    call({ jsonrpc: "2.0", id: 1, method: `ots_searchTransactions${direction}`, params: [wallet, block, size] }),
    ({ json }) => {
      if (json.error !== undefined) return json.error.message as string
      const { firstPage, lastPage, receipts, txs } = json.result
      expect(receipts.map((receipt: Json) => receipt.transactionHash)).toEqual(txs.map(({ hash }: Json) => hash))
      return [firstPage, lastPage, ...txs.map(({ blockNumber }: Json) => Number(blockNumber))]
    },
  )

describe("Otterscan: what the index does not cover", () => {
  it.live("an index from block 0 to the head has every row", () =>
    Effect.gen(function* () {
      const service = yield* startOn(chain(0, 5))

      expect(yield* search(service, "Before", 0)).toEqual([true, true, 4, 3, 2, 1, 0])
      expect(yield* search(service, "Before", 0, 2)).toEqual([true, false, 4, 3])
      expect(yield* search(service, "Before", 3, 2)).toEqual([false, false, 2, 1])
      expect(yield* search(service, "Before", 1, 1)).toEqual([false, true, 0])
      expect(yield* search(service, "After", 0, 2)).toEqual([false, true, 1, 0])
      expect(yield* search(service, "After", 2, 2)).toEqual([true, false, 4, 3])
    }).pipe(Effect.scoped),
  )

  it.live("an index that begins later returns the pages that it has, and an error for those that extend below it", () =>
    Effect.gen(function* () {
      const service = yield* startOn(chain(10, 5))
      const below = (to: number) => `Not indexed: blocks 0 to ${to} of this chain are not in the index`

      expect(yield* search(service, "Before", 0, 2)).toEqual([true, false, 14, 13])
      expect(yield* search(service, "Before", 12, 2)).toEqual([false, false, 11, 10])
      expect(yield* search(service, "Before", 0)).toBe(below(9))
      expect(yield* search(service, "Before", 10)).toBe(below(9))
      expect(yield* search(service, "Before", 5)).toBe(below(4))
      expect(yield* search(service, "After", 0, 2)).toBe(below(9))
      expect(yield* search(service, "After", 9, 2)).toEqual([false, false, 11, 10])
      expect(yield* search(service, "Before", 0, 25, Rows.stranger)).toBe(below(9))
    }).pipe(Effect.scoped),
  )

  it.live("an index that is behind returns an error for what is above it", () =>
    Effect.gen(function* () {
      const service = yield* startOn(chain(0, 5))
      yield* Effect.orDie(
        service.stores["eth"]!.writeStatus({
          state: "backfill",
          traces: "debug_traceBlock",
          nodeHead: 40,
          message: "",
        }),
      )
      const above = "Not indexed: blocks 5 to 40 of this chain are not in the index yet"

      expect(yield* search(service, "Before", 0)).toBe(above)
      expect(yield* search(service, "Before", 5)).toEqual([false, true, 4, 3, 2, 1, 0])
      expect(yield* search(service, "After", 0, 2)).toEqual([false, true, 1, 0])
      expect(yield* search(service, "After", 2, 2)).toEqual([false, false, 4, 3])
      expect(yield* search(service, "After", 2, 3)).toBe(above)
    }).pipe(Effect.scoped),
  )

  it.live("a block without a transaction or its traces is an error for the pages that contain them", () =>
    Effect.gen(function* () {
      for (const [kind, what] of [
        ["transaction", "transactions"],
        ["trace", "traces"],
      ] as const) {
        const gap = { kind, transaction: Rows.hashOf("gap"), reason: "it was left out" }
        const service = yield* startOn(chain(0, 5, { 2: gap }))

        expect(yield* search(service, "Before", 0)).toBe(`Not indexed: ${what} of block 2 are missing from the index`)
        expect(yield* search(service, "Before", 0, 2)).toEqual([true, false, 4, 3])
        expect(yield* search(service, "Before", 2)).toEqual([false, true, 1, 0])
      }
    }).pipe(Effect.scoped),
  )

  it.live("an index of watched wallets returns an error for every other account, and while a past is searched", () =>
    Effect.gen(function* () {
      const service = yield* startOn(chain(0, 5), { watch: [Rows.alice] })
      const { database, ref } = service.stores["eth"]!
      const { changeWatch } = database.chain(ref)

      expect(yield* search(service, "Before", 0, 25, Rows.bob)).toBe(
        `Not indexed: the wallet ${Rows.bob} is not watched on eth`,
      )
      yield* changeWatch({ _tag: "Add", wallets: [Rows.bob] })
      yield* changeWatch({ _tag: "Searched", wallets: [Rows.bob], from: -1, to: 2 })
      expect(yield* search(service, "Before", 0, 25, Rows.bob)).toBe(
        "Not indexed: blocks 0 to 4 of this chain are not in the index for this wallet yet: its past is searched up to block 2",
      )
    }).pipe(Effect.scoped),
  )

  it.live("blocks that an earlier version stored for some wallets are an error for the pages that contain them", () =>
    Effect.gen(function* () {
      const service = yield* startOn(chain(0, 5), { watch: [Rows.alice] })
      const settings = [
        { name: "rows", value: "parties" },
        { name: "rows", value: "roles", from: 2 },
      ] as const
      yield* Effect.orDie(
        service.stores["eth"]!.writeStatus({
          state: "synced",
          traces: "debug_traceBlock",
          nodeHead: 4,
          message: "",
          settings,
        }),
      )

      expect(yield* search(service, "Before", 0)).toBe(
        "Not indexed: an earlier version stored blocks 0 to 1 of this chain without internal transactions and tokens of some wallets",
      )
      expect(yield* search(service, "Before", 0, 2)).toEqual([true, false, 4, 3])
    }).pipe(Effect.scoped),
  )

  it.live("ledgers that are not derived are an error", () =>
    Effect.gen(function* () {
      const service = yield* startOn(chain(0, 5), {}, { projections: [WalletTransactions.projection] })

      expect(yield* search(service, "Before", 0)).toBe(
        "Not indexed: rows of this kind are not derived yet from block 0 of eth on",
      )
    }).pipe(Effect.scoped),
  )

  it.live(
    "more than four transactions of a block are read with it, and a node with others than the index is an error",
    () =>
      Effect.gen(function* () {
        const blocks = [4, 5].map((count, number) =>
          Rows.block(
            number,
            Array.from({ length: count }, () => ({ from: Rows.alice, to: Rows.bob })),
          ),
        )
        const frame = { type: "CALL", from: Rows.contract, to: Rows.bob, value: "1" }
        const frames = [
          frame,
          { ...frame, value: "0" },
          { ...frame, error: "Reverted" },
          { ...frame, type: "CREATE", to: null, error: null },
          { ...frame, type: "DELEGATECALL" },
        ]
        const traced = blocks.map((one) => ({
          ...one,
          transactions: one.transactions.map((own) => ({ ...own, internal: JSON.stringify(frames) })),
        }))
        /** Changes to the responses to some methods. */
        let wrong: Readonly<Record<string, object | null>> = {}
        const transactionOf = ({ hash }: { readonly hash: string }, number: number) => {
          return { hash, blockHash: Rows.blockHash(number), from: Rows.alice, nonce: "0x7", input: "0x" }
        }
        const receiptOf = ({ hash, ...more }: ReturnType<typeof transactionOf>, number: number) => {
          return { ...more, transactionHash: hash, blockNumber: hex(number), gasUsed: "0x5208", status: "0x1" }
        }
        const transactions = blocks.map((one, number) => one.transactions.map((own) => transactionOf(own, number)))
        const node = yield* Node.start(({ method, params }) => {
          const [asked] = params
          const number = blocks.findIndex(
            ({ hash, transactions: own }) => hash === asked || own.some((one) => one.hash === asked),
          )
          const single = transactions[number]?.find(({ hash }) => hash === asked)
          const of = (value: object) => (wrong[method] === null ? null : { ...value, ...wrong[method] })
          const responses: Readonly<Record<string, () => unknown>> = {
            eth_getTransactionByHash: () => single && of(single),
            eth_getTransactionReceipt: () => single && of(receiptOf(single, number)),
            eth_getBlockByHash: () =>
              of({ number: hex(number), hash: asked, timestamp: "0x1", transactions: transactions[number] }),
            eth_getBlockReceipts: () => transactions[number]!.map((one) => of(receiptOf(one, number))),
          }
          return Node.result(JSON.stringify(responses[method]?.() ?? null))
        })
        const every: LedgerProjection = {
          ...ledger,
          ledger: ({ transactions: own }) =>
            LedgerCodec.pack(
              own.map(({ index }) => ({ index, wallet: Rows.alice, roles: Role.bits.sender, movements: [] })),
            ),
        }
        const projections = [WalletTransactions.projection, every]
        const service = yield* start({
          chains: { eth: { config: { rpc: [node.url] }, blocks: traced, projections } },
          config: { relay: { cacheMebibytes: 0 } },
        })
        const ask = (method: string, ...params: ReadonlyArray<unknown>) =>
          Effect.map(
            service.call({ jsonrpc: "2.0", id: 1, method, params }),
            ({ json }) => json.result ?? json.error.message,
          )
        const searched = yield* ask("ots_searchTransactionsBefore", Rows.alice, 0, 25)
        const asked = node.calls.map(({ method }) => method).filter((method) => method !== "eth_chainId")

        expect(searched.txs.map(({ hash }: Json) => hash)).toEqual(
          blocks.toReversed().flatMap((one) => one.transactions.map(({ hash }) => hash).toReversed()),
        )
        expect(searched.receipts.map(({ timestamp }: Json) => timestamp)).toEqual(
          [1, 1, 1, 1, 1, 0, 0, 0, 0].map((number) => Rows.genesisSeconds + number * Rows.blockSeconds),
        )
        expect(asked.toSorted()).toEqual(
          [
            "eth_getBlockByHash",
            "eth_getBlockReceipts",
            ...Array.from({ length: 4 }, () => ["eth_getTransactionByHash", "eth_getTransactionReceipt"]).flat(),
          ].toSorted(),
        )
        const operations = (hash: string) => ask("ots_getInternalOperations", hash)
        const { hash } = transactions[1]![2]!
        const moved = { from: Rows.contract, to: Rows.bob, value: "0x1" }
        expect(yield* operations(hash)).toEqual([
          { type: 0, ...moved },
          { type: 2, ...moved, to: null },
        ])
        const other = Rows.hashOf("other")
        for (const method of ["eth_getTransactionByHash", "eth_getTransactionReceipt"]) {
          const name = method.endsWith("Receipt") ? "transactionHash" : "hash"
          for (const change of [{ [name]: other }, { blockHash: other }, null]) {
            wrong = { [method]: change }
            expect(yield* ask("ots_searchTransactionsBefore", Rows.alice, 1, 1)).toBe(
              "The chain is reorganizing. Retry later.",
            )
          }
        }
        for (const [method, change] of [
          ["eth_getBlockByHash", null],
          ["eth_getBlockByHash", { transactions: transactions[0] }],
          ["eth_getBlockReceipts", { transactionHash: other }],
        ] as const) {
          wrong = { [method]: change }
          expect(yield* ask("ots_searchTransactionsBefore", Rows.alice, 0, 5)).toBe(
            "The chain is reorganizing. Retry later.",
          )
        }
        for (const change of [{ transactionHash: other }, { blockHash: other }]) {
          wrong = { eth_getTransactionReceipt: change }
          expect(yield* operations(hash)).toContain("Method not allowed for this API key")
        }
        wrong = { eth_getTransactionReceipt: null }
        expect(yield* operations(hash)).toBe(`transaction ${hash} not found`)
      }).pipe(Effect.scoped),
  )

  it.live("a node without the transactions of the index is an error, after the search was repeated", () =>
    Effect.gen(function* () {
      const node = yield* Node.start(() => Node.result("null"))
      const projections = [WalletTransactions.projection, ledger]
      const service = yield* start({
        chains: { eth: { config: { rpc: [node.url] }, blocks: chain(0, 1), projections } },
      })

      expect(yield* search(service, "Before", 0)).toBe("The chain is reorganizing. Retry later.")
      expect(node.calls.filter(({ method }) => method === "eth_getTransactionByHash")).toHaveLength(4)
    }).pipe(Effect.scoped),
  )
})
