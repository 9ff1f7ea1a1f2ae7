import { describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { expect } from "vitest"
import * as Node from "../node.ts"
import { chainOf, type Ledger, token, writeProof } from "../rest/ledgers.ts"
import * as Rows from "../rows.ts"
import { start, type Started } from "../service.ts"

const notOk = (result: string) => ({ status: "0", message: "NOTOK", result })

const collectible = Rows.address("e")

const ledgers: Readonly<Record<number, Ledger>> = {
  1: { 0: [{ asset: token, kind: "erc20", amount: 50n }] },
  2: { 0: [{ asset: token, kind: "erc20", amount: -20n }], 1: [{ amount: -5n }] },
  3: { 0: [3n, 7n].map((id) => ({ asset: collectible, kind: "erc721", tokenId: String(id), amount: 1n })) },
}

const ask = ({ fetch, key }: Started, query: string) =>
  Effect.map(fetch(`/v2/api?chainid=1&apikey=${key}&${query}`), ({ json, status }) => {
    expect([query, status]).toEqual([query, 200])
    return json
  })

const account = (action: string, query = "") => `module=account&action=${action}&address=${Rows.alice}${query}`

describe("Etherscan's API: what the index and the service state", () => {
  it.live("a countdown is estimated by the time between the blocks of the index", () =>
    Effect.gen(function* () {
      const node = yield* Node.start(({ method }) => Node.result(method === "eth_chainId" ? '"0x1"' : '"0x5"'))
      const chainOfBlocks = (count: number) => ({
        eth: {
          config: { rpc: [node.url] },
          blocks: Array.from({ length: count }, (_, number) => Rows.block(number, [])),
        },
      })
      const countdown = (service: Started, block: number) =>
        ask(service, `module=block&action=getblockcountdown&blockno=${block}`)
      const service = yield* start({ chains: chainOfBlocks(4) })

      expect((yield* countdown(service, 12)).result).toEqual({
        CurrentBlock: "5",
        CountdownBlock: "12",
        RemainingBlock: "7",
        EstimateTimeInSec: `${7 * Rows.blockSeconds}.0`,
      })
      expect(yield* countdown(service, 5)).toEqual(notOk("Error! Block number already pass"))
      // Of one block no time is known but that of the chain's row.
      const young = yield* start({ chains: chainOfBlocks(1) })
      expect((yield* countdown(young, 6)).result.EstimateTimeInSec).toBe("12.0")
    }),
  )

  it.live(
    "internal transactions of one transaction are those of the index, in the order and the page that is sent",
    () =>
      Effect.gen(function* () {
        const plans = Array.from({ length: 2 }, () => ({ from: Rows.alice, to: Rows.contract }))
        const plain = Rows.block(1, plans)
        const [first, second] = plain.transactions
        const frames = ["1", "0", "3"].map((value) => ({ ...JSON.parse(second!.internal!)[0], value }))
        const blocks = [
          Rows.block(0, []),
          { ...plain, transactions: [first!, { ...second!, internal: JSON.stringify(frames) }] },
        ]
        const node = yield* Node.start(({ method, params }) => {
          if (method !== "eth_getTransactionReceipt") return Node.result(method === "eth_chainId" ? '"0x1"' : '"0x1"')
          const isKnown = params?.[0] !== Rows.hashOf("unknown")
          return Node.result(JSON.stringify(isKnown ? { blockNumber: "0x1", from: Rows.alice, status: "0x1" } : null))
        })
        const service = yield* start({ chains: { eth: { config: { rpc: [node.url] }, blocks } } })
        const listed = (hash: string, query = "") =>
          ask(service, `module=account&action=txlistinternal&txhash=${hash}${query}`)
        const valuesOf = (hash: string, query?: string) =>
          Effect.map(listed(hash, query), ({ result }) => result.map(({ value }: { readonly value: string }) => value))

        expect(yield* valuesOf(first!.hash)).toEqual(["1"])
        expect(yield* valuesOf(second!.hash)).toEqual(["1", "3"])
        expect(yield* valuesOf(second!.hash, "&sort=desc")).toEqual(["3", "1"])
        expect(yield* valuesOf(second!.hash, "&page=2&offset=1")).toEqual(["3"])
        expect((yield* listed(Rows.hashOf("other"))).result).toContain("the transaction is not in the index of eth")
        expect(yield* listed(Rows.hashOf("unknown"))).toMatchObject({ message: "No transactions found", result: [] })
      }),
  )

  it.live("holdings are sums of the ledger, and an error where a sum is not certain and no node answers", () =>
    Effect.gen(function* () {
      const service = yield* start({ chains: { eth: chainOf(ledgers, 3) } })
      const history = (block: number) => account("tokenbalancehistory", `&contractaddress=${token}&blockno=${block}`)

      expect(yield* ask(service, history(1))).toEqual({ status: "1", message: "OK", result: "50" })
      expect((yield* ask(service, history(2))).result).toBe("30")
      expect(yield* ask(service, history(9))).toEqual(
        notOk("Not indexed: block 9 of this chain is not in the index yet"),
      )
      expect(yield* ask(service, account("balancehistory", "&blockno=2"))).toEqual(
        notOk("Not indexed: what the wallet held before block 0 is not known"),
      )
      expect(yield* ask(service, account("balancehistory"))).toEqual(
        notOk("Error! Invalid blockno: expected decimal digits"),
      )
      expect((yield* ask(service, account("addresstokenbalance"))).result).toEqual([
        {
          TokenAddress: token,
          TokenName: "",
          TokenSymbol: "",
          TokenQuantity: "30",
          TokenDivisor: "",
          TokenPriceUSD: "",
        },
      ])
      expect((yield* ask(service, account("addresstokennftbalance"))).result).toEqual([
        { TokenAddress: collectible, TokenName: "", TokenSymbol: "", TokenQuantity: "2" },
      ])
      const inventory = account("addresstokennftinventory", `&contractaddress=${collectible}`)
      expect((yield* ask(service, `${inventory}&page=2&offset=1`)).result).toEqual([
        { TokenAddress: collectible, TokenId: "7" },
      ])
      const none = account("addresstokennftinventory", `&contractaddress=${token}`)
      expect(yield* ask(service, none)).toEqual({ status: "0", message: "No tokens found", result: [] })
    }).pipe(Effect.scoped),
  )

  it.live("holdings of an index that begins later, or may miss movements, are an error", () =>
    Effect.gen(function* () {
      const marked = chainOf(ledgers, 3, [[2, 0]])
      const whole = chainOf(ledgers, 3)
      const later = { ...whole, blocks: whole.blocks.slice(1) }
      const service = yield* start({ chains: { eth: marked, polygon: later } })
      const on = (chainId: number) =>
        Effect.map(
          service.fetch(`/api?chainid=${chainId}&apikey=${service.key}&${account("addresstokenbalance")}`),
          ({ json }) => json.result,
        )

      expect(yield* on(1)).toBe("Not indexed: movements of the wallet may be missing")
      expect(yield* on(137)).toBe("Not indexed: what the wallet held before block 1 is not known")
    }).pipe(Effect.scoped),
  )

  it.live(
    "a balance that a comparison found to differ from its sum is read of the node from the first such block on",
    () =>
      Effect.gen(function* () {
        const silent = Rows.address("f")
        const erc20 = (asset: string) => ({ standard: "erc20", asset, tokenId: null }) as const
        const node = yield* Node.start(({ method }) => Node.result(method === "eth_call" ? '"0x1f"' : '"0x3"'))
        const given = { ...ledgers, 3: { ...ledgers[3], 1: [{ asset: silent, kind: "erc20", amount: 9n } as const] } }
        const chain = chainOf(given, 3)
        const service = yield* start({ chains: { eth: { ...chain, config: { rpc: [node.url] } } } })
        const block = { number: 3, hash: chain.blocks[3]!.hash }
        const holdings = [
          { holding: erc20(token), block: 3, expected: 30n, found: 31n, firstBlock: 2 },
          { holding: erc20(silent), block: 3, expected: 9n, found: null, firstBlock: 3 },
        ]
        yield* writeProof(service, { block, provedBlock: null, holdings, unchecked: [] })
        const history = (asset: string, at: number) =>
          Effect.map(
            ask(service, account("tokenbalancehistory", `&contractaddress=${asset}&blockno=${at}`)),
            ({ result }) => result,
          )
        const listed = (yield* ask(service, account("addresstokenbalance"))).result as ReadonlyArray<
          Record<string, string>
        >

        expect([yield* history(token, 1), yield* history(token, 2), yield* history(token, 3)]).toEqual([
          "50",
          "31",
          "31",
        ])
        expect(listed.map(({ TokenAddress, TokenQuantity }) => [TokenAddress, TokenQuantity])).toEqual([[token, "31"]])
        expect((yield* ask(service, account("addresstokennftbalance"))).result).toHaveLength(1)
        expect(node.calls.filter(({ method }) => method === "eth_call").map(({ params }) => params[1])).toEqual([
          "0x3",
          "0x2",
          "0x3",
        ])
      }).pipe(Effect.scoped),
  )

  it.live("limits, labels and chains are those of the service", () =>
    Effect.gen(function* () {
      const config = { labels: { [Rows.bob]: "Bob's wallet" } }
      const service = yield* start({ chains: { eth: { ...chainOf(ledgers, 3), config }, polygon: {} } })
      const slow = yield* service.addKey({ name: "slow", options: { rateLimit: { perSecond: 10, burst: 10 } } })
      const limit = yield* service.fetch(`/v2/api?chainid=1&module=getapilimit&action=getapilimit&apikey=${slow}`)
      const tags = yield* ask(service, `module=nametag&action=getaddresstag&address=${Rows.bob},${Rows.alice}`)
      const chains = (yield* service.fetch("/v2/chainlist")).json

      expect(limit.json.result).toEqual({
        creditsUsed: 0,
        creditsAvailable: 200_000,
        creditLimit: 200_000,
        limitInterval: "daily",
        intervalExpiryTimespan: expect.stringMatching(/^\d\d:\d\d:\d\d$/),
      })
      const nametags = tags.result.map((row: { address: string; nametag: string }) => [row.address, row.nametag])
      expect(nametags).toEqual([
        [Rows.bob, "Bob's wallet"],
        [Rows.alice, ""],
      ])
      expect([chains.totalcount, chains.result[0]]).toEqual([
        2,
        {
          chainname: "eth",
          chainid: "1",
          blockexplorer: "/?chain=eth",
          apiurl: "/v2/api?chainid=1",
          status: 1,
          comment: "",
        },
      ])
    }).pipe(Effect.scoped),
  )

  it.live("what is not known is an error that states it", () =>
    Effect.gen(function* () {
      const service = yield* start({ chains: { eth: chainOf(ledgers, 3) } })
      const results = yield* Effect.forEach(
        [
          "module=stats&action=ethprice",
          "module=stats&action=ethsupply",
          account("getdeposittxs"),
          account("getwithdrawaltxs"),
        ],
        (query) => ask(service, query),
      )

      expect(results).toEqual([
        notOk("Error! Prices are not known here"),
        notOk("Error! The supply of the native currency is not known here"),
        notOk("Error! Transactions of L1 that deposit are not known here"),
        notOk("Error! Transactions of L1 that withdraw are not known here"),
      ])
    }).pipe(Effect.scoped),
  )
})
