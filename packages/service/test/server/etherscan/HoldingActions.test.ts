/** Holdings of a wallet by given sums, and when a node is called instead. */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Holding } from "../../../src/ledger/Holding.ts"
import type { Movement } from "../../../src/ledger/Movement.ts"
import * as Role from "../../../src/ledger/Role.ts"
import * as Totals from "../../../src/ledger/Totals.ts"
import * as QueryError from "../../../src/query/QueryError.ts"
import type * as WalletSums from "../../../src/query/WalletSums.ts"
import * as FairQueue from "../../../src/server/admission/FairQueue.ts"
import type { Request } from "../../../src/server/etherscan/Action.ts"
import * as Envelope from "../../../src/server/etherscan/Envelope.ts"
import * as HoldingActions from "../../../src/server/etherscan/HoldingActions.ts"
import type { ComparedHolding } from "../../../src/store/Proofs.ts"
import type { ReportedStatus } from "../../../src/store/StatusBoard.ts"
import * as Ledgers from "../rest/ledgers.ts"
import * as Rows from "../rows.ts"
import type { Json } from "../service.ts"

const [token, other, collectible] = [Rows.address("d"), Rows.address("c"), Rows.address("e")]

const movement = (amount: bigint, more: Omit<Ledgers.Given, "amount">) => Ledgers.movementOf({ ...more, amount })

const erc20 = (asset: string, amount: bigint) => movement(amount, { asset, kind: "erc20" })
const erc721 = (asset: string, tokenId: string, amount = 1n) => movement(amount, { asset, kind: "erc721", tokenId })

const totalsOf = (movements: ReadonlyArray<Movement>, roles = 0): Totals.Totals => {
  const totals = Totals.make()
  Totals.add(totals, 1, { roles, movements }, undefined)
  return totals
}

const usual = totalsOf([
  movement(9n, {}),
  erc20(token, 50n),
  erc20(token, -20n),
  erc20(other, 4n),
  erc721(collectible, "3"),
  erc721(collectible, "7"),
])

/** Coverage of an index whose last block is 9. */
interface Index {
  readonly closing?: Totals.Totals
  readonly first?: number
  readonly missing?: number
  readonly openings?: WalletSums.Known["openings"]
  readonly compared?: ReadonlyArray<ComparedHolding>
  readonly error?: FairQueue.QueueFull | WalletSums.SumsError
  readonly status?: Partial<ReportedStatus>
  readonly unstatedTo?: number
  /** Balances that a node returns, by asset; an omitted one is an error. */
  readonly node?: Readonly<Record<string, bigint>>
}

const head = { number: 9, hash: "", parentHash: "", timestamp: 0 }

const sumsOf = (
  { closing = usual, compared = [], first = 0, missing = 0, openings = [], unstatedTo }: Index,
  { assets, range: { to } }: WalletSums.Query,
): WalletSums.Sums => ({
  from: first,
  block: { ...head, number: to._tag === "Block" ? Math.min(to.block, head.number) : head.number },
  opening: Totals.make(),
  closing: assets === undefined ? closing : Totals.only(closing, new Set(assets)),
  checkpoint: { first, head, headTimestamp: 0, finalized: null },
  missing,
  known: {
    openings,
    proof: { wallet: Rows.alice, first, block: head, provedBlock: null, holdings: compared, unchecked: [] },
    assets: assets && new Set(assets),
    tokens: new Map([[token, { name: "Gold", symbol: "GLD", decimals: 6, block: 1 }]]),
    directOnlyTo: undefined,
    untracedTo: undefined,
    unstatedTo,
    searchedTo: undefined,
  },
})

const status: ReportedStatus = {
  state: "synced",
  traces: "debug_traceBlock",
  nodeHead: 9,
  message: "",
  ageMillis: 0,
}

/** The rows or the result of an action, or the text of its error, with the calls of the node. */
const read = Effect.fnUntraced(function* (action: string, query: Readonly<Record<string, string>>, index: Index = {}) {
  const asked: Array<unknown> = []
  const actions = HoldingActions.make({
    calls: {
      call: () => Effect.die("it is not used"),
      head: () => Effect.die("it is not used"),
      read: (_, method, [param, tag]) =>
        Effect.suspend(() => {
          const asset = method === "eth_getBalance" ? "native" : (param as Json).to
          asked.push([asset, tag])
          const amount = index.node?.[asset]
          return amount === undefined
            ? Effect.fail(Envelope.notOk("Error! missing trie node"))
            : Effect.succeed(`0x${amount.toString(16).padStart(64, "0")}`)
        }),
    },
    sumsOf: (_, of) => (index.error === undefined ? Effect.succeed(sumsOf(index, of)) : Effect.fail(index.error)),
  })
  // Sound: nothing else is read of the chain and of the key.
  const request = {
    parameters: new Map(Object.entries({ address: Rows.alice, ...query })),
    grant: { name: "usual", operator: false, empty: null },
    chain: { name: "eth", status: Effect.succeed({ ...status, ...index.status }) },
  } as unknown as Request
  const found = yield* actions[`account/${action}`]!.answer(request).pipe(
    Effect.map((result): Json => (result._tag === "Rows" ? result.rows : (result as Json).result)),
    Effect.catchTag("Refused", ({ result }) => Effect.succeed(result)),
  )
  return { found, asked }
})

const notIndexed = (what: string) => `Not indexed: ${what}`

const holding = (asset: string, standard: Holding["standard"] = "erc20", tokenId: string | null = null) => ({
  standard,
  asset,
  tokenId,
})

const difference = (asset: string, more: Partial<ComparedHolding> = {}): ComparedHolding => ({
  holding: holding(asset),
  block: 9,
  expected: 30n,
  found: 31n,
  firstBlock: 3,
  ...more,
})

describe("HoldingActions", () => {
  it.effect("tokenbalancehistory: is a sum if that is certain, and otherwise an error with the reason", () =>
    Effect.gen(function* () {
      const at = (blockno: string, index: Index, asset = token) =>
        Effect.map(read("tokenbalancehistory", { contractaddress: asset, blockno }, index), ({ found }) => found)
      const reader = (index: Index) => at("9", index)
      const unstated = "the chain has another balance than the movements add up to"
      const before = (block: number) => notIndexed(`what the wallet held before block ${block} is not known`)
      const openings = [{ holding: holding(token), amount: 0n }]

      expect(yield* reader({})).toBe("30")
      expect(yield* at("9", {}, Rows.stranger)).toBe("0")
      expect(yield* reader({ missing: 1 })).toBe(notIndexed("transactions are missing from the index"))
      expect(yield* reader({ closing: totalsOf([], Role.incompleteBit) })).toBe(
        notIndexed("movements of the wallet may be missing"),
      )
      expect(yield* reader({ closing: { ...usual, omitted: 1 } })).toBe(
        notIndexed("the wallet has more tokens than are summed"),
      )
      expect(yield* reader({ first: 5 })).toBe(before(5))
      expect(yield* reader({ first: 5, openings })).toBe("30")
      expect(yield* reader({ unstatedTo: 9 })).toBe("30")
      expect(yield* reader({ compared: [difference(token)] })).toBe(notIndexed(unstated))
      expect(yield* reader({ compared: [difference(token, { firstBlock: null })] })).toBe(notIndexed(unstated))
      expect(yield* at("2", { compared: [difference(token)] })).toBe("30")
      expect(yield* reader({ compared: [difference(other)] })).toBe("30")
      expect(yield* reader({ compared: [difference(token, { found: 30n })] })).toBe("30")
      expect(yield* reader({ compared: [difference(token, { expected: 0n, found: null })] })).toBe("30")
    }),
  )

  it.effect("balancehistory: also needs the holdings before block 0", () =>
    Effect.gen(function* () {
      const openings = [{ holding: holding("native", "native"), amount: 0n }]
      const at9 = (index: Index) => Effect.map(read("balancehistory", { blockno: "9" }, index), ({ found }) => found)

      expect(yield* at9({})).toBe(notIndexed("what the wallet held before block 0 is not known"))
      expect(yield* at9({ openings })).toBe("9")
      expect(yield* at9({ first: 5, openings })).toBe("9")
      expect(yield* at9({ openings, unstatedTo: 9 })).toBe(
        notIndexed("the chain changes native balances without a statement of it"),
      )
    }),
  )

  it.effect("balancehistory, tokenbalancehistory: read uncertain balances from the node's state at the block", () =>
    Effect.gen(function* () {
      const node = { native: 5n, [token]: 6n }

      expect(yield* read("balancehistory", { blockno: "8" }, { node })).toEqual({
        found: "5",
        asked: [["native", "0x8"]],
      })
      const query = { contractaddress: token, blockno: "12" }
      expect(yield* read("tokenbalancehistory", query, { node })).toEqual({ found: "6", asked: [[token, "0xc"]] })
      expect(yield* read("tokenbalancehistory", { ...query, blockno: "9" }, { node })).toEqual({
        found: "30",
        asked: [],
      })
    }),
  )

  it.effect("balances: a balance that cannot be summed is an error of the index", () =>
    Effect.gen(function* () {
      const errorOf = (index: Index, query: Readonly<Record<string, string>> = { blockno: "12" }) =>
        Effect.map(read("balancehistory", query, index), ({ found }) => found)
      const range = { from: { _tag: "Open" }, to: { _tag: "Open" } } as const
      const checkpoint = { first: 0, head, headTimestamp: 0, finalized: null }
      const full = new FairQueue.QueueFull({ scope: "caller", max: 16 })

      expect(yield* errorOf({})).toBe(notIndexed("block 12 of this chain is not in the index yet"))
      expect(yield* errorOf({ error: new QueryError.NotIndexed({ range, checkpoint }) })).toBe(
        notIndexed("block 12 of this chain is not in the index"),
      )
      expect(yield* errorOf({ error: new QueryError.NotWatched({ chain: "eth", wallet: Rows.alice }) })).toBe(
        notIndexed(`the wallet ${Rows.alice} is not watched on eth`),
      )
      expect(yield* errorOf({ error: full })).toBe(
        "Free API access is temporarily unavailable: 16 sums are already waiting.",
      )
      expect(yield* errorOf({}, {})).toBe("Error! Invalid blockno: expected decimal digits")
    }),
  )

  it.effect("addresstokenbalance, addresstokennftbalance: list the holdings of each token, by address", () =>
    Effect.gen(function* () {
      const own = { TokenAddress: token, TokenName: "Gold", TokenSymbol: "GLD", TokenQuantity: "30" }
      const second = { TokenAddress: other, TokenName: "", TokenSymbol: "", TokenQuantity: "4" }
      const price = { TokenPriceUSD: "" }
      const rows = [
        { ...second, ...price, TokenDivisor: "" },
        { ...own, ...price, TokenDivisor: "6" },
      ]
      const collected = { ...second, TokenAddress: collectible, TokenQuantity: "2" }
      const sent = totalsOf([erc20(token, 5n), erc20(token, -5n), erc20(other, -1n), erc721(collectible, "3", -1n)])

      expect((yield* read("addresstokenbalance", {})).found).toEqual(rows)
      expect((yield* read("addresstokenbalance", { page: "2", offset: "1" })).found).toEqual(rows.slice(1))
      expect((yield* read("addresstokennftbalance", {})).found).toEqual([collected])
      for (const action of ["addresstokenbalance", "addresstokennftbalance"]) {
        expect((yield* read(action, {}, { closing: sent })).found).toEqual([])
      }
    }),
  )

  it.effect(
    "addresstokenbalance: an index that is behind, or lacks rows of some wallets, is an error only for a list",
    () =>
      Effect.gen(function* () {
        const settings = [{ name: "rows", value: "parties" }] as const
        const errorOf = (behind: Partial<ReportedStatus>) =>
          Effect.map(read("addresstokenbalance", {}, { status: behind }), ({ found }) => found)
        const late = { nodeHead: 40 }
        const query = { contractaddress: token, blockno: "9" }

        expect(yield* errorOf(late)).toBe(notIndexed("blocks 10 to 40 of this chain are not in the index yet"))
        expect(yield* errorOf({ settings })).toContain("without internal transactions and tokens of some wallets")
        expect((yield* read("tokenbalancehistory", query, { status: late })).found).toBe("30")
      }),
  )

  it.effect(
    "addresstokenbalance: reads a balance that a comparison found to differ from a node, at the last block",
    () =>
      Effect.gen(function* () {
        const corrected = Effect.fnUntraced(function* (index: Index, action = "addresstokenbalance") {
          const { asked, found } = yield* read(action, {}, index)
          const rows =
            typeof found === "string" ? found : found.map((row: Json) => [row.TokenAddress, row.TokenQuantity])
          return { asked, rows }
        })
        const sums = [
          [other, "4"],
          [token, "30"],
        ]
        const compared = [
          difference(token),
          difference(other, { found: null }),
          difference(collectible, { holding: holding(collectible, "erc721") }),
          difference(collectible, { holding: holding(collectible, "erc721", "3") }),
          difference("native", { holding: holding("native", "native") }),
        ]

        expect(yield* corrected({ compared, node: { [token]: 31n } })).toEqual({
          asked: [[token, "0x9"]],
          rows: [[token, "31"]],
        })
        expect(yield* corrected({ compared, node: { [token]: 0n } })).toEqual({ asked: [[token, "0x9"]], rows: [] })
        expect(yield* corrected({ compared, node: { [collectible]: 1n } }, "addresstokennftbalance")).toEqual({
          asked: [[collectible, "0x9"]],
          rows: [[collectible, "1"]],
        })
        const unknown = `0x${"0".repeat(39)}1`
        expect((yield* corrected({ compared: [difference(unknown)], node: { [unknown]: 7n } })).rows).toEqual([
          [unknown, "7"],
          ...sums,
        ])
        expect((yield* corrected({ compared })).rows).toBe(
          notIndexed("the chain has another balance of 2 tokens than the movements add up to"),
        )
        const many = (count: number) =>
          Array.from({ length: count }, (_, at) => difference(`0x${String(at).padStart(40, "0")}`, { found: null }))
        expect(yield* corrected({ compared: many(50) })).toEqual({ asked: [], rows: sums })
        expect((yield* corrected({ compared: many(51) })).rows).toBe(
          notIndexed("the chain has another balance of 51 tokens than the movements add up to"),
        )
      }),
  )

  it.effect("addresstokennftinventory: lists the ids of a contract, whatever the balances of others", () =>
    Effect.gen(function* () {
      const idsOf = (asset: string, index: Index = {}, query: Readonly<Record<string, string>> = {}) =>
        Effect.map(
          read("addresstokennftinventory", { contractaddress: asset, ...query }, index),
          ({ asked, found }) => {
            expect(asked).toEqual([])
            return found
          },
        )
      const rows = ["3", "7"].map((TokenId) => ({ TokenAddress: collectible, TokenId }))
      const ofOther = difference(Rows.address("f"), { holding: holding(Rows.address("f"), "erc721") })
      const own = difference(collectible, { holding: holding(collectible, "erc721") })

      expect(yield* idsOf(collectible)).toEqual(rows)
      expect(yield* idsOf(collectible, {}, { page: "2", offset: "1" })).toEqual(rows.slice(1))
      expect(yield* idsOf(token)).toEqual([])
      expect(yield* idsOf(collectible, { compared: [ofOther] })).toEqual(rows)
      expect(yield* idsOf(collectible, { compared: [own] })).toBe(
        notIndexed("the chain has another balance than the movements add up to"),
      )
      expect(yield* idsOf("0x1")).toBe("Error! Invalid address format")
    }),
  )
})
