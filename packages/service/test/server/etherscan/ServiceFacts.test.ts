import { describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { expect } from "vitest"
import * as LedgerCodec from "../../../src/ledger/LedgerCodec.ts"
import * as Role from "../../../src/ledger/Role.ts"
import * as WalletLedger from "../../../src/projection/WalletLedger.ts"
import * as WalletTransactions from "../../../src/projection/WalletTransactions.ts"
import * as Node from "../node.ts"
import { blockLevel, chainOf, type Ledger, token, writeProof } from "../rest/ledgers.ts"
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
  it.live("a countdown is estimated from the time between the blocks of the index", () =>
    Effect.gen(function* () {
      const node = yield* Node.start(({ method }) => Node.result(method === "eth_chainId" ? '"0x1"' : '"0x5"'))
      const chainOfBlocks = (count: number, first = 0) => ({
        eth: {
          config: { rpc: [node.url] },
          blocks: Array.from({ length: count }, (_, at) => Rows.block(first + at, [])),
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
      const later = yield* start({ chains: chainOfBlocks(3, 2) })
      expect((yield* countdown(later, 6)).result.EstimateTimeInSec).toBe(`${Rows.blockSeconds}.0`)
      // For one block, or none, only the time of the chain's row is known.
      for (const count of [0, 1]) {
        const young = yield* start({ chains: chainOfBlocks(count) })
        expect((yield* countdown(young, 6)).result.EstimateTimeInSec).toBe("12.0")
      }
    }),
  )

  it.live(
    "getblocknobytime: is the nearest block on one side of a time, among the blocks that the index is certain of",
    () =>
      Effect.gen(function* () {
        const blocks = Array.from({ length: 8 }, (_, number) => Rows.block(number, []))
        const service = yield* start({ chains: { eth: { blocks }, polygon: { blocks: blocks.slice(5) }, base: {} } })
        const at = (block: number, closest?: string, chain = 1) =>
          Effect.map(
            service.fetch(
              `/v2/api?chainid=${chain}&apikey=${service.key}&module=block&action=getblocknobytime&timestamp=${
                Rows.genesisSeconds + Rows.blockSeconds * block
              }${closest === undefined ? "" : `&closest=${closest}`}`,
            ),
            ({ json }) => json.result,
          )
        const lacking = "Not indexed: blocks 0 to 4 of this chain are not in the index"

        expect([yield* at(3), yield* at(3.5), yield* at(3.5, "Before")]).toEqual(["3", "3", "3"])
        expect([yield* at(3, "after"), yield* at(3.5, "AFTER"), yield* at(-1, "after")]).toEqual(["3", "4", "0"])
        expect([yield* at(7), yield* at(70), yield* at(7, "after")]).toEqual(["7", "7", "7"])
        expect(yield* at(-1)).toBe("Error! No closest block found")
        expect(yield* at(8, "after")).toBe("Error! No closest block found: the last block in the index is 7")
        expect(yield* at(3, "near")).toBe("Error! Invalid closest: expected before or after")
        expect([yield* at(4, "before", 137), yield* at(4, "after", 137)]).toEqual([lacking, lacking])
        expect(yield* at(5, "after", 137)).toBe("5")
        expect(yield* at(4, "before", 8453)).toBe("Not indexed: no block of this chain is in the index yet")
        yield* Effect.orDie(
          service.stores["eth"]!.writeStatus({ state: "backfill", traces: "off", nodeHead: 40, message: "" }),
        )
        expect(yield* at(70)).toBe("Not indexed: blocks 8 to 40 of this chain are not in the index yet")
        expect(yield* at(6.5)).toBe("6")
      }).pipe(Effect.scoped),
  )

  it.live("withdrawals and fees are those of the index's blocks, and mined blocks begin with the newest", () =>
    Effect.gen(function* () {
      const withdrawal = (index: number, address: string) => ({
        index,
        validator: index + 1,
        address,
        amount: index + 2,
      })
      const factsOf = (
        feeRecipient: string | null,
        indexes: ReadonlyArray<number>,
        uncles: ReadonlyArray<string> = [],
      ) =>
        JSON.stringify({
          feeRecipient,
          baseFeePerGas: null,
          gasUsed: "0",
          gasFees: null,
          difficulty: "0",
          uncles,
          withdrawals: [withdrawal(9, Rows.bob), ...indexes.map((index) => withdrawal(index, Rows.alice))].map(
            (row) => ({ ...row, index: `${row.index}`, validator: `${row.validator}`, amount: `${row.amount}` }),
          ),
          transactions: [],
        })
      const facts = [
        factsOf(null, []),
        factsOf(Rows.alice, [1, 2]),
        factsOf(Rows.alice, [], [Rows.hashOf("uncle")]),
        factsOf(Rows.alice, [3]),
        factsOf(Rows.bob, []),
      ]
      const reward = (amount: bigint) => ({ kind: "reward", amount, counterparty: null }) as const
      const given: Readonly<Record<number, Ledger>> = {
        1: { [blockLevel]: [reward(5n), reward(6n), { kind: "withdrawal", amount: 7n, counterparty: null }] },
        3: { [blockLevel]: [reward(8n)] },
      }
      const roles = Role.bits.withdrawal_recipient | Role.bits.fee_recipient
      const { blocks, projections } = chainOf(given, 4, [], "a", roles)
      const service = yield* start({
        chains: { eth: { blocks: blocks.map((block, at) => ({ ...block, facts: facts[at] })), projections } },
      })
      const list = (action: string, query = "") =>
        Effect.map(ask(service, account(action, query)), ({ result }) => result)
      const time = (number: number) => String(Rows.genesisSeconds + number * Rows.blockSeconds)
      const row = (index: number, block: number) => ({
        withdrawalIndex: String(index),
        validatorIndex: String(index + 1),
        address: Rows.alice,
        amount: String(index + 2),
        blockNumber: String(block),
        timestamp: time(block),
      })
      const mined = [
        { blockNumber: "3", timeStamp: time(3), blockReward: "8" },
        { blockNumber: "1", timeStamp: time(1), blockReward: "11" },
      ]
      const rewardOf = (block: number) =>
        Effect.map(ask(service, `module=block&action=getblockreward&blockno=${block}`), ({ result }) => result)

      expect(yield* list("txsBeaconWithdrawal")).toEqual([row(1, 1), row(2, 1), row(3, 3)])
      expect(yield* list("txsBeaconWithdrawal", "&sort=desc&offset=2")).toEqual([row(3, 3), row(2, 1)])
      expect(yield* list("getminedblocks", "&sort=asc&blocktype=blocks")).toEqual(mined)
      expect(yield* list("getminedblocks", "&page=2&offset=1")).toEqual(mined.slice(1))
      expect(yield* list("getminedblocks", "&blocktype=Uncles")).toBe(
        "Not indexed: miners of uncles are not in the index",
      )
      expect(yield* rewardOf(1)).toEqual({
        blockNumber: "1",
        timeStamp: time(1),
        blockMiner: Rows.alice,
        blockReward: "11",
        uncles: [],
        uncleInclusionReward: "0",
      })
      expect(yield* rewardOf(4)).toMatchObject({ blockMiner: Rows.bob, blockReward: "0" })
      for (const block of [0, 2])
        expect(yield* rewardOf(block)).toBe(`Not indexed: the reward of block ${block} is not known`)
      expect(yield* rewardOf(5)).toBe("Not indexed: block 5 of this chain is not in the index")
    }).pipe(Effect.scoped),
  )

  it.live("getcontractcreation: is the transaction or the call that created each of 10 contracts", () =>
    Effect.gen(function* () {
      const [factory, made, failed] = [Rows.address("5"), Rows.address("6"), Rows.address("7")]
      const plain = Rows.block(1, [
        { from: Rows.alice, to: null, input: "0x6001" },
        { from: Rows.bob, to: factory },
      ])
      const [first, second] = plain.transactions
      const frame = (own: object) => ({ ...JSON.parse(second!.internal!)[0], type: "CREATE2", from: factory, ...own })
      const internal = JSON.stringify([
        frame({ to: failed, error: "out of gas", input: "0x6003" }),
        frame({ to: made, input: undefined }),
      ])
      const blocks = [Rows.block(0, []), { ...plain, transactions: [first!, { ...second!, internal }] }]
      const created = [Rows.contract, made, failed].map((wallet) => ({
        index: wallet === Rows.contract ? 0 : 1,
        wallet,
        roles: Role.bits.created,
        movements: [],
      }))
      const ledger = {
        id: WalletLedger.id,
        kind: "ledger",
        revision: WalletLedger.revision,
        ledger: ({ number }: { readonly number: number }) => LedgerCodec.pack(number === 1 ? created : []),
      } as const
      const service = yield* start({
        chains: { eth: { blocks, projections: [WalletTransactions.projection, ledger] }, polygon: {} },
      })
      const creations = (addresses: ReadonlyArray<string>) =>
        ask(service, `module=contract&action=getcontractcreation&contractaddresses=${addresses.join(",%20")}`)
      const at = { blockNumber: "1", timestamp: String(Rows.genesisSeconds + Rows.blockSeconds) }
      const row = {
        contractAddress: Rows.contract,
        contractCreator: Rows.alice,
        txHash: first!.hash,
        ...at,
        contractFactory: "",
        creationBytecode: "0x6001",
      }
      const byCall = {
        contractAddress: made,
        contractCreator: Rows.bob,
        txHash: second!.hash,
        ...at,
        contractFactory: factory,
        creationBytecode: "",
      }

      expect((yield* creations([made, Rows.contract])).result).toEqual([byCall, row])
      expect((yield* creations(Array(10).fill(Rows.contract))).result).toEqual(Array(10).fill(row))
      expect(yield* creations(Array(11).fill(Rows.contract))).toEqual(
        notOk("Error! Invalid contractaddresses: expected at most 10 addresses"),
      )
      expect((yield* creations([Rows.alice, Rows.contract])).result).toEqual([row])
      expect(yield* creations([failed])).toEqual({ status: "0", message: "No data found", result: null })
      expect(yield* creations(["0x1"])).toEqual(notOk("Error! Invalid address format"))
      const elsewhere = `/api?chainid=137&module=contract&action=getcontractcreation&contractaddresses=${made}`
      expect((yield* service.fetch(`${elsewhere}&apikey=${service.key}`)).json).toEqual(
        notOk("Not indexed: no block of this chain is in the index yet"),
      )
    }).pipe(Effect.scoped),
  )

  it.live("internal transactions of one transaction have the requested order and page", () =>
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

  it.live(
    "a balance that a comparison found to differ from its sum is read from the node from the first such block",
    () =>
      Effect.gen(function* () {
        const silent = Rows.address("f")
        const word = `0x${"1f".padStart(64, "0")}`
        const erc20 = (asset: string) => ({ standard: "erc20", asset, tokenId: null }) as const
        const node = yield* Node.start(({ method }) => Node.result(method === "eth_call" ? `"${word}"` : '"0x3"'))
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

  it.live("what is unknown is an error that states it", () =>
    Effect.gen(function* () {
      const service = yield* start({ chains: { eth: chainOf(ledgers, 3) } })
      const results = yield* Effect.forEach(
        [
          "module=stats&action=ethprice",
          "module=stats&action=ethsupply",
          account("getdeposittxs"),
          account("getwithdrawaltxs"),
          account("txnbridge"),
          "module=stats&action=dailytx&startdate=2026-01-01&enddate=2026-01-02",
          "module=stats&action=nodecount",
          "module=token&action=tokenholderlist",
          "module=gastracker&action=gasestimate",
        ],
        (query) => ask(service, query),
      )

      expect(results).toEqual([
        notOk("Error! Prices are not known here"),
        notOk("Error! The supply of the native currency is not known here"),
        notOk("Error! Deposits from L1 are not known here"),
        notOk("Error! Withdrawals to L1 are not known here"),
        notOk("Error! Bridge transactions are not known here"),
        notOk("Error! Daily statistics are not known here"),
        notOk("Error! Nodes of the network and their sizes are not known here"),
        notOk("Error! The holders of tokens are not known here"),
        notOk("Error! The time until a transaction is mined is not known here"),
      ])
    }).pipe(Effect.scoped),
  )
})
