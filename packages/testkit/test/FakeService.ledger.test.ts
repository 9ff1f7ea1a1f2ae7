/** The ledger of the fake service, as both clients see it. */
import { describe, expect, it } from "vitest"
import { createRestClient, rowId } from "@daybook/rest/promise"
import { createRpcClient } from "@daybook/rpc/promise"
import * as Balance from "@daybook/schema/Balance"
import * as DecodeWarning from "@daybook/schema/DecodeWarning"
import * as Movement from "@daybook/schema/Movement"
import * as Statement from "@daybook/schema/Statement"
import * as WalletPage from "@daybook/schema/WalletPage"
import * as FakeService from "@daybook/testkit/FakeService"

const quick = { retry: { base: 1, cap: 1 } }
const restOf = (fake: FakeService.FakeService, apiKey = "any") =>
  createRestClient({ baseUrl: "http://daybook.test", apiKey, fetch: fake.fetch, ...quick })
const rpcOf = (fake: FakeService.FakeService, apiKey = "any") =>
  createRpcClient({ rpcUrl: "http://daybook.test", chain: "eth", apiKey, fetch: fake.fetch, ...quick })

const collect = async <A>(values: AsyncIterable<A>): Promise<ReadonlyArray<A>> => {
  const all: Array<A> = []
  for await (const value of values) all.push(value)
  return all
}

const responseOf = async (fake: FakeService.FakeService, path: string, body?: object): Promise<unknown> => {
  const init = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) }
  return (await fake.fetch(`http://daybook.test${path}`, init)).json()
}

describe("FakeService: ledger", () => {
  it("balances: equal the node's after a comparison, at any block", async () => {
    const fake = FakeService.make({ seed: 11, blocks: 150 })
    const [rest, rpc] = [restOf(fake), rpcOf(fake)]
    fake.reconcile()
    const blocks = fake.blocks()
    for (const { number } of [blocks[0]!, blocks[70]!, blocks.at(-1)!]) {
      const { incomplete, result } = await rest.balances({ address: fake.wallet, to_block: number })
      const [native, ...tokens] = result
      const erc20 = tokens.filter(({ token_id }) => token_id === null)
      const data = `0x70a08231${fake.wallet.slice(2).padStart(64, "0")}` as const
      const held = await Promise.all(erc20.map(({ asset }) => rpc.eth_call({ to: asset, data }, number)))

      expect(incomplete.opening).toBe(false)
      expect(native?.balance).toBe(await rpc.eth_getBalance(fake.wallet, number))
      expect(erc20.map(({ balance }) => balance)).toEqual(held.map((amount) => BigInt(amount)))
      expect(erc20.length).toBe(3)
    }
  })

  it("statement: opening balances and movements add up to the holdings, for every kind of movement", async () => {
    const fake = FakeService.make({ seed: 12, blocks: 200 })
    fake.reconcile()
    const [first] = fake.blocks()
    const range = { from_block: first!.number + 40, to_block: first!.number + 180 }
    const { closing, opening, proof, sums } = await restOf(fake).statement({ address: fake.wallet, ...range })
    const held = new Map<string, bigint>()
    const amounts = [
      ...opening.result.map(({ asset, balance, token_id }) => ({ asset, token_id, amount: balance })),
      ...sums,
    ]
    for (const { amount, asset, token_id } of amounts) {
      const key = `${asset} ${token_id}`
      held.set(key, (held.get(key) ?? 0n) + amount)
    }

    expect(new Map(closing.result.map(({ asset, balance, token_id }) => [`${asset} ${token_id}`, balance]))).toEqual(
      new Map([...held].filter(([, amount]) => amount !== 0n)),
    )
    expect(new Set(sums.map(({ kind }) => kind))).toEqual(
      new Set(["fee", "value", "internal", "withdrawal", "erc20", "erc721", "erc1155"]),
    )
    expect(proof).toMatchObject({ proved: true, differences: [] })
  })

  it("rowId: differs for each transaction and movement of a wallet, including opening ones and those by a block", async () => {
    const fake = FakeService.make({ seed: 13, blocks: 150 })
    fake.reconcile()
    const rest = restOf(fake)
    const rows = [
      ...(await collect(rest.walletTransactionsStream({ address: fake.wallet, scope: "all" }))),
      ...(await collect(rest.movementsStream({ address: fake.wallet }))),
    ]

    expect(new Set(rows.map(rowId)).size).toBe(rows.length)
    expect(rows.length).toBeGreaterThan(500)
  })

  it("ledger: responses have the exact form of the interface", async () => {
    const fake = FakeService.make({ blocks: 80 })
    fake.reconcile()
    const of = (operation: string) => responseOf(fake, `/api/v2.2/${fake.wallet}/${operation}`)
    const exact = { _tag: "Success", success: [] }

    expect(DecodeWarning.find(Movement.MovementPage, await of("movements"))).toMatchObject(exact)
    expect(DecodeWarning.find(Balance.Balances, await of("balances"))).toMatchObject(exact)
    expect(DecodeWarning.find(Statement.Statement, await of("statement"))).toMatchObject(exact)
    expect(
      DecodeWarning.find(WalletPage.WalletPage, await of("verbose?scope=all&include=internal_transactions")),
    ).toMatchObject(exact)
  })

  it("verbose: accepts include[] as include, as the service does", async () => {
    const fake = FakeService.make({ blocks: 30 })
    const of = (name: string) =>
      responseOf(fake, `/api/v2.2/${fake.wallet}/verbose?limit=5&${name}=internal_transactions`)

    expect(await of("include[]")).toEqual(await of("include"))
  })

  it("withResponse: returns notModified for a known tag, until a block is added", async () => {
    const fake = FakeService.make({ blocks: 30 })
    const rest = restOf(fake)
    const first = await rest.movements({ address: fake.wallet }).withResponse()
    const ifNoneMatch = first.headers["etag"] ?? ""
    const again = () => rest.movementsWithResponse({ address: fake.wallet }, { ifNoneMatch })

    expect(await again()).toMatchObject({ notModified: true })
    fake.mine(4)
    expect(await again()).toMatchObject({ page: { page: 0 } })
  })
})
