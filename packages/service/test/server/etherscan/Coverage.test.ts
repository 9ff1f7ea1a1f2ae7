import { describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { expect } from "vitest"
import * as LedgerCodec from "../../../src/ledger/LedgerCodec.ts"
import * as Role from "../../../src/ledger/Role.ts"
import * as WalletLedger from "../../../src/projection/WalletLedger.ts"
import * as WalletTransactions from "../../../src/projection/WalletTransactions.ts"
import type { BlockGap, BlockRows } from "../../../src/block/BlockRows.ts"
import type { LedgerProjection } from "../../../src/block/Projection.ts"
import type { IndexerStatus } from "../../../src/store/StatusBoard.ts"
import * as Node from "../node.ts"
import * as Rows from "../rows.ts"
import { type Options, start, type Started } from "../service.ts"

const notOk = (result: string) => ({ status: "0", message: "NOTOK", result })

const plans = [{ from: Rows.alice, to: Rows.contract, topics: Rows.transferTopics }]

const chain = (length: number, gaps: Readonly<Record<number, BlockGap>> = {}): ReadonlyArray<BlockRows> =>
  Array.from({ length }, (_, number) => {
    const gap = gaps[number]
    const block = Rows.block(number, plans)
    return gap === undefined ? block : { ...block, gaps: [gap] }
  })

const gap = (kind: BlockGap["kind"]): BlockGap => ({ kind, transaction: Rows.hashOf("gap"), reason: "it was left out" })

const status = (more: Partial<IndexerStatus>): IndexerStatus => ({
  state: "synced",
  traces: "debug_traceBlock",
  nodeHead: 5,
  message: "",
  ...more,
})

const lists = [
  "txlist",
  "txlistinternal",
  "tokentx",
  "tokennfttx",
  "token1155tx",
  "txsBeaconWithdrawal",
  "getminedblocks",
]

/** Lists that are read from the ledger. */
const ofLedger = lists.slice(1)

/** The answers of all lists of a wallet, by name: the number of rows, or the text of an error. */
const answers = (service: Started, range = "", wallet = Rows.bob, chainId = 1) =>
  Effect.map(
    Effect.forEach(lists, (action) =>
      Effect.map(
        service.fetch(
          `/v2/api?chainid=${chainId}&module=account&action=${action}&address=${wallet}${range}&apikey=${service.key}`,
        ),
        ({ json, status: code }) => {
          expect(code).toBe(200)
          if (typeof json.result === "string") expect(json).toEqual(notOk(json.result))
          return [action, typeof json.result === "string" ? json.result : json.result.length] as const
        },
      ),
    ),
    (entries): Readonly<Record<string, string | number>> => Object.fromEntries(entries),
  )

const all = (text: string, of: ReadonlyArray<string> = lists) => Object.fromEntries(of.map((action) => [action, text]))

/** Ledgers in which bob receives a token and ether in each transaction. */
const ledger: LedgerProjection = {
  id: WalletLedger.id,
  kind: "ledger",
  revision: WalletLedger.revision,
  ledger: () => {
    const roles = Role.bits.internal_callee | Role.bits.token_recipient
    return LedgerCodec.pack([{ index: 0, wallet: Rows.bob, roles, movements: [] }])
  },
}

const startOn = (blocks: ReadonlyArray<BlockRows>, more: NonNullable<Options["chains"]>[string] = {}) =>
  start({ chains: { eth: { blocks, projections: [WalletTransactions.projection, ledger], ...more } } })

/** The answers of an index with five blocks if it has them all. */
const whole = {
  txlist: 0,
  txlistinternal: 5,
  tokentx: 5,
  tokennfttx: 0,
  token1155tx: 0,
  txsBeaconWithdrawal: 0,
  getminedblocks: 0,
}

describe("Etherscan's API: what the index does not cover", () => {
  it.live("a complete index has every row", () =>
    Effect.gen(function* () {
      const service = yield* startOn(chain(5))

      expect(yield* answers(service)).toEqual(whole)
    }).pipe(Effect.scoped),
  )

  it.live("an index that is behind returns an error, except for blocks that it has and within the usual delay", () =>
    Effect.gen(function* () {
      const service = yield* startOn(chain(5))
      const { writeStatus } = service.stores["eth"]!
      yield* Effect.orDie(writeStatus(status({ nodeHead: 20 })))
      const usual = yield* answers(service)
      const named = yield* answers(service, "&endblock=20")
      yield* Effect.orDie(writeStatus(status({ state: "backfill", nodeHead: 40 })))

      expect(usual).toEqual(whole)
      expect(named).toEqual(all("Not indexed: blocks 5 to 20 of this chain are not in the index yet"))
      expect(yield* answers(service)).toEqual(all("Not indexed: blocks 5 to 40 of this chain are not in the index yet"))
      expect(yield* answers(service, "&endblock=5")).toEqual(
        all("Not indexed: blocks 5 to 40 of this chain are not in the index yet"),
      )
      expect(yield* answers(service, "&endblock=4")).toEqual(whole)
    }).pipe(Effect.scoped),
  )

  it.live("a range that ends with the node's newest block is an error while the index lacks that block", () =>
    Effect.gen(function* () {
      const node = yield* Node.start(() => Node.result('"0x5"'))
      const service = yield* startOn(chain(5), { config: { rpc: [node.url] } })
      yield* Effect.orDie(service.stores["eth"]!.writeStatus(status({ nodeHead: 4 })))

      expect(yield* answers(service, "&endblock=6")).toEqual(whole)
      expect(yield* answers(service, "&endblock=5")).toEqual(
        all("Not indexed: block 5 of this chain is not in the index yet"),
      )
    }).pipe(Effect.scoped),
  )

  it.live("a range that ends above the last block is an error while the node does not respond", () =>
    Effect.gen(function* () {
      const node = yield* Node.start(() => ({ body: "", delivery: { kind: "stalledHeaders" } }))
      const service = yield* startOn(chain(5), { config: { rpc: [node.url] } })
      yield* Effect.orDie(service.stores["eth"]!.writeStatus(status({ nodeHead: 4 })))
      const path = `/v2/api?chainid=1&module=account&action=txlist&address=${Rows.bob}&endblock=6&apikey=${service.key}`
      const { json } = yield* service.fetch(path)

      expect(json).toEqual(
        notOk(
          "Not indexed: the blocks above 4 of this chain may not be in the index: no node has stated its newest block",
        ),
      )
    }).pipe(Effect.scoped),
  )

  it.live("the block of a time after the last one is an error while the index is behind its node", () =>
    Effect.gen(function* () {
      const service = yield* startOn(chain(5))
      yield* Effect.orDie(service.stores["eth"]!.writeStatus(status({ nodeHead: 40 })))
      const blockAt = (number: number) =>
        Effect.map(
          service.fetch(
            `/v2/api?chainid=1&module=block&action=getblocknobytime&timestamp=${Rows.genesisSeconds + number * Rows.blockSeconds + 1}&closest=before&apikey=${service.key}`,
          ),
          ({ json }) => json.result,
        )

      expect([yield* blockAt(3), yield* blockAt(4)]).toEqual([
        "3",
        "Not indexed: blocks 5 to 40 of this chain are not in the index yet",
      ])
    }).pipe(Effect.scoped),
  )

  it.live("a transaction without a row is an error for the ranges that contain its block", () =>
    Effect.gen(function* () {
      for (const kind of ["receipt", "transaction"] as const) {
        const service = yield* startOn(chain(5, { 3: gap(kind) }))

        expect(yield* answers(service)).toEqual(all("Not indexed: transactions of block 3 are missing from the index"))
        expect(yield* answers(service, "&startblock=3&endblock=3")).toEqual(
          all("Not indexed: transactions of block 3 are missing from the index"),
        )
        expect(yield* answers(service, "&endblock=2")).toEqual({ ...whole, txlistinternal: 3, tokentx: 3 })
      }
    }).pipe(Effect.scoped),
  )

  it.live("a transaction without traces is an error only for internal transactions", () =>
    Effect.gen(function* () {
      const service = yield* startOn(chain(5, { 3: gap("trace") }))

      expect(yield* answers(service)).toEqual({
        ...whole,
        txlistinternal: "Not indexed: traces of block 3 are missing from the index",
      })
      expect(yield* answers(service, "&startblock=4")).toEqual({ ...whole, txlistinternal: 1, tokentx: 1 })
    }).pipe(Effect.scoped),
  )

  it.live("gaps that a list does not depend on are not an error, however many there are", () =>
    Effect.gen(function* () {
      const many = (kind: BlockGap["kind"]) => Array.from({ length: 700 }, () => gap(kind))
      const withGaps = (kinds: Readonly<Record<number, ReadonlyArray<BlockGap>>>) =>
        chain(5).map((block) => ({ ...block, gaps: kinds[block.number] ?? [] }))
      const checked = yield* startOn(withGaps({ 1: many("check"), 2: many("check") }))
      const untraced = yield* startOn(withGaps({ 0: many("trace"), 1: many("trace"), 4: [gap("receipt")] }))

      expect(yield* answers(checked)).toEqual(whole)
      expect(yield* answers(untraced)).toEqual(all("Not indexed: transactions of block 4 are missing from the index"))
      expect(yield* answers(untraced, "&endblock=3")).toEqual({
        ...whole,
        txlistinternal: "Not indexed: traces of block 1 are missing from the index",
        tokentx: 4,
      })
    }).pipe(Effect.scoped),
  )

  it.live("blocks that were indexed without traces are an error only for internal transactions", () =>
    Effect.gen(function* () {
      const service = yield* startOn(chain(5))
      const settings = [
        { name: "traces", value: "off" },
        { name: "traces", value: "on", from: 3 },
      ] as const
      yield* Effect.orDie(service.stores["eth"]!.writeStatus(status({ settings })))

      expect(yield* answers(service)).toEqual({
        ...whole,
        txlistinternal: "Not indexed: blocks 0 to 2 of this chain have no traces",
      })
      expect(yield* answers(service, "&startblock=3")).toEqual({ ...whole, txlistinternal: 2, tokentx: 2 })
    }).pipe(Effect.scoped),
  )

  it.live(
    "blocks that an earlier version stored for some wallets are an error for internal transactions and tokens",
    () =>
      Effect.gen(function* () {
        const service = yield* startOn(chain(5), { config: { watch: [Rows.bob] } })
        const settings = [
          { name: "rows", value: "parties" },
          { name: "rows", value: "roles", from: 3 },
        ] as const
        yield* Effect.orDie(service.stores["eth"]!.writeStatus(status({ settings })))
        const earlier =
          "Not indexed: an earlier version stored blocks 0 to 2 of this chain without internal transactions and tokens of some wallets"

        expect(yield* answers(service)).toEqual({
          ...whole,
          ...all(earlier, ["txlistinternal", "tokentx", "tokennfttx", "token1155tx"]),
        })
        expect(yield* answers(service, "&startblock=3")).toEqual({ ...whole, txlistinternal: 2, tokentx: 2 })
      }).pipe(Effect.scoped),
  )

  it.live("lists whose rows are still being derived are an error", () =>
    Effect.gen(function* () {
      const service = yield* startOn(chain(5), { projections: [WalletTransactions.projection] })

      expect(yield* answers(service)).toEqual({
        txlist: 0,
        ...all("Not indexed: rows of this kind are not derived yet from block 0 of eth on", ofLedger),
      })
    }).pipe(Effect.scoped),
  )

  it.live("wallets that are not watched, or not from the first block, are an error", () =>
    Effect.gen(function* () {
      const searching = all("Not indexed: blocks 0 to 4 of this chain are not in the index")
      const service = yield* startOn(chain(5), { config: { watch: [Rows.alice] } })
      const { database, ref } = service.stores["eth"]!
      yield* database.chain(ref).changeWatch({ _tag: "Add", wallets: [Rows.bob] })

      expect(yield* answers(service, "", Rows.alice)).toEqual({ ...whole, txlist: 5, txlistinternal: 0, tokentx: 0 })
      expect(yield* answers(service, "", Rows.stranger)).toEqual(
        all(`Not indexed: the wallet ${Rows.stranger} is not watched on eth`),
      )
      expect(yield* answers(service)).toEqual(searching)
      expect((yield* answers(service, "&startblock=5"))["txlist"]).toBe(0)
    }).pipe(Effect.scoped),
  )

  it.live("state that a node has pruned is the node's error, and not a balance", () =>
    Effect.gen(function* () {
      const service = yield* startOn(chain(5))
      const results = yield* Effect.forEach(["balance", "balancehistory"], (action) =>
        Effect.map(
          service.fetch(
            `/api?module=account&action=${action}&address=${Rows.alice}&tag=0x1&blockno=1&apikey=${service.key}`,
          ),
          ({ json }) => [json.message, json.result],
        ),
      )

      expect(results).toEqual([
        ["NOTOK", expect.stringMatching(/^Free API access is temporarily unavailable: /)],
        ["NOTOK", "Not indexed: what the wallet held before block 0 is not known"],
      ])
    }).pipe(Effect.scoped),
  )
})
