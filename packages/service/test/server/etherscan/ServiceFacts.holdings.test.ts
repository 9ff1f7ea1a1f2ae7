import { describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { expect } from "vitest"
import * as Holding from "../../../src/ledger/Holding.ts"
import * as Node from "../node.ts"
import { blockLevel, chainOf, type Ledger, token, writeOpenings, writeTokens } from "../rest/ledgers.ts"
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
  it.live("holdings are sums of the ledger, and an error if a sum is uncertain and no node responds", () =>
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
      expect(yield* ask(service, none)).toEqual({ status: "0", message: "No records found", result: [] })
    }).pipe(Effect.scoped),
  )

  it.live("holdings share a queue of sums with REST, and neither adds up again what the other has", () =>
    Effect.gen(function* () {
      const service = yield* start({ chains: { eth: chainOf(ledgers, 3) } })
      yield* Effect.orDie(service.stores["eth"]!.finalize(3))
      const reads = Effect.map(service.fetch("/metrics"), ({ text }) =>
        Number(/_count\{operation="ledger"\} (\d+)/.exec(text)?.[1] ?? 0),
      )
      const before = yield* reads
      yield* service.get(`/api/v2.2/${Rows.alice}/balances?chain=eth`)
      const added = yield* reads
      expect((yield* ask(service, account("addresstokenbalance"))).result).toHaveLength(1)

      expect([added - before, yield* reads]).toEqual([1, added])
    }).pipe(Effect.scoped),
  )

  it.live("fundedby: is the first native value of a transaction, if the holdings before block 0 are known", () =>
    Effect.gen(function* () {
      const received: Readonly<Record<number, Ledger>> = {
        1: { 0: [{ amount: -5n }], [blockLevel]: [{ kind: "withdrawal", amount: 40n, counterparty: null }] },
        2: {
          0: [
            { asset: token, kind: "erc20", amount: 9n },
            { kind: "internal", amount: 6n },
          ],
        },
        3: { 0: [{ amount: 8n }] },
      }
      const service = yield* start({ chains: { eth: chainOf(received, 3) } })
      const funded = ask(service, account("fundedby"))
      const [, second] = (yield* ask(service, account("txlist"))).result

      expect(yield* funded).toEqual(notOk("Not indexed: what the wallet held before the first block is not known"))
      yield* Effect.orDie(writeOpenings(service, [{ holding: Holding.native, amount: 0n }]))
      expect((yield* funded).result).toEqual({
        block: 2,
        timeStamp: second.timeStamp,
        fundingAddress: Rows.bob,
        fundingTxn: second.hash,
        value: "6",
      })
      yield* Effect.orDie(writeOpenings(service, [{ holding: Holding.native, amount: 3n }]))
      expect(yield* funded).toEqual(notOk("Error! The account was funded in the first block"))

      const empty = yield* start({ chains: { eth: chainOf({ 1: { 0: [{ amount: -5n }] } }, 1) } })
      yield* Effect.orDie(writeOpenings(empty, [{ holding: Holding.native, amount: 0n }]))
      expect(yield* ask(empty, account("fundedby"))).toEqual({ status: "0", message: "No data found", result: null })
    }).pipe(Effect.scoped),
  )

  it.live("fundedby: reports up to which block the chain may have funded the account without a record", () =>
    Effect.gen(function* () {
      const fundedOf = Effect.fnUntraced(function* (received: Readonly<Record<number, Ledger>>) {
        const chain = chainOf(received, 3)
        const service = yield* start({ chains: { eth: { ...chain, config: { feeRules: "kaia" } } } })
        yield* Effect.orDie(writeOpenings(service, [{ holding: Holding.native, amount: 0n }]))
        return yield* ask(service, account("fundedby"))
      })

      expect((yield* fundedOf({ 2: { 0: [{ amount: 6n }] } })).result).toMatchObject({
        block: 2,
        value: "6",
        unstatedTo: 2,
      })
      expect(yield* fundedOf({ 1: { 0: [{ amount: -5n }] } })).toEqual(
        notOk("Not indexed: the chain changes native balances without a statement of it, up to block 3"),
      )
    }).pipe(Effect.scoped),
  )

  it.live("tokeninfo: is the token's description of itself in the index, with its supply from a node", () =>
    Effect.gen(function* () {
      const node = yield* Node.start(({ method }) =>
        Node.result(method === "eth_chainId" ? '"0x1"' : `"0x${"0".repeat(63)}7"`),
      )
      const service = yield* start({ chains: { eth: { ...chainOf(ledgers, 3), config: { rpc: [node.url] } } } })
      const info = ask(service, `module=token&action=tokeninfo&contractaddress=${token}`)

      expect(yield* info).toEqual(notOk(`Not indexed: the token ${token} of eth`))
      yield* Effect.orDie(
        writeTokens(service, new Map([[token, { name: "Gold", symbol: "GLD", decimals: 6, block: 1 }]])),
      )
      expect((yield* info).result).toEqual([
        expect.objectContaining({
          contractAddress: token,
          tokenName: "Gold",
          symbol: "GLD",
          divisor: "6",
          totalSupply: "7",
          tokenPriceUSD: "",
        }),
      ])
    }).pipe(Effect.scoped),
  )

  it.live("holdings of a contract with ids are their number, listed separately from the amount if it has both", () =>
    Effect.gen(function* () {
      const multi = Rows.address("f")
      const idOf = (asset: string, tokenId: string) => ({ asset, kind: "erc721", tokenId, amount: 1n }) as const
      const ids = [idOf(collectible, "7"), idOf(collectible, "8"), idOf(token, "3")]
      const amounts = [
        { asset: token, kind: "erc20", amount: 50n },
        { asset: multi, kind: "erc1155", tokenId: "1", amount: 4n },
      ] as const
      const service = yield* start({ chains: { eth: chainOf({ 1: { 0: [...ids, ...amounts] } }, 3) } })
      const history = (asset: string) =>
        Effect.map(
          ask(service, account("tokenbalancehistory", `&contractaddress=${asset}&blockno=2`)),
          ({ result }) => result,
        )
      const listed = (action: string) =>
        Effect.map(ask(service, account(action)), ({ result }) =>
          result.map((row: Record<string, string>) => [row["TokenAddress"], row["TokenQuantity"]]),
        )

      expect([yield* history(collectible), yield* history(token)]).toEqual(["2", "50"])
      expect(yield* history(multi)).toBe("Not indexed: the contract has an amount of each id")
      expect(yield* listed("addresstokenbalance")).toEqual([[token, "50"]])
      expect(yield* listed("addresstokennftbalance")).toEqual([
        [token, "1"],
        [collectible, "2"],
      ])
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
})
