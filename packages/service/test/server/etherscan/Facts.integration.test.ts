/** Logs, contract creations and block facts, compared with the node's. */
import { describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { expect } from "vitest"
import * as indexedService from "./indexedService.ts"

type Indexed = indexedService.Indexed

type Raw = Readonly<Record<string, string>>

interface RawLog {
  readonly address: string
  readonly topics: ReadonlyArray<string>
  readonly data: string
  readonly blockNumber: string
  readonly blockHash: string
  readonly logIndex: string
  readonly transactionHash: string
  readonly transactionIndex: string
}

const notOk = (result: string) => ({ status: "0", message: "NOTOK", result })

const transfer = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef"
const word = (address: string): string => `0x${address.slice(2).padStart(64, "0")}`

/** The expected rows from logs of the node, each joined with its block and receipt. */
const expectedRows = Effect.fnUntraced(function* ({ chain: { node } }: Indexed, logs: ReadonlyArray<RawLog>) {
  return yield* Effect.forEach(logs, (log) =>
    Effect.gen(function* () {
      const block = yield* node.call<Raw>("eth_getBlockByHash", [log.blockHash, false])
      const receipt = yield* node.call<Raw>("eth_getTransactionReceipt", [log.transactionHash])
      return {
        address: log.address,
        topics: log.topics,
        data: log.data,
        blockNumber: log.blockNumber,
        blockHash: log.blockHash,
        timeStamp: block["timestamp"],
        gasPrice: receipt["effectiveGasPrice"],
        gasUsed: receipt["gasUsed"],
        logIndex: log.logIndex,
        transactionHash: log.transactionHash,
        transactionIndex: log.transactionIndex,
      }
    }),
  )
})

const logs = Effect.fnUntraced(function* (service: Indexed) {
  const { chain, get } = service
  const { node, world } = chain
  const { accounts, contracts } = world
  const ofNode = (filter: object) =>
    Effect.flatMap(
      node.call<ReadonlyArray<RawLog>>("eth_getLogs", [{ fromBlock: "0x0", toBlock: "latest", ...filter }]),
      (found) => expectedRows(service, found),
    )
  const getLogs = (query: string) => get(`module=logs&action=getLogs&${query}`)
  const alice = word(accounts.alice)
  const gold = contracts.gold
  const all = yield* ofNode({ address: gold })

  expect(yield* getLogs(`fromBlock=0&toBlock=99999999&address=${gold}`)).toEqual({
    status: "1",
    message: "OK",
    result: all,
  })
  expect((yield* getLogs(`address=${gold}`)).result).toEqual(all)
  const ranged = yield* ofNode({ address: gold, fromBlock: "0x4", toBlock: "0x6" })
  expect((yield* getLogs(`fromBlock=4&toBlock=6&address=${gold}`)).result).toEqual(ranged)
  const both = yield* ofNode({ topics: [transfer, alice] })
  const and = `topic0=${transfer}&topic1=${alice}&topic0_1_opr=and`
  expect((yield* getLogs(`fromBlock=0&toBlock=latest&${and}`)).result).toEqual(both)
  expect(both.length).toBeGreaterThan(0)
  const sent = (yield* ofNode({ topics: [null, alice] })).concat(yield* ofNode({ topics: [null, null, alice] }))
  const places = (rows: ReadonlyArray<Raw>) =>
    [...new Set(rows.map((row) => `${Number(row["blockNumber"])} ${Number(row["logIndex"])}`))].toSorted()
  const either = (yield* getLogs(`topic1=${alice}&topic2=${alice}&topic1_2_opr=or`)).result
  expect(places(either)).toEqual(places(sent as never))
  const pages = yield* Effect.forEach([1, 2, 3], (page) => getLogs(`address=${gold}&page=${page}&offset=3`))
  expect(pages.flatMap(({ result }) => result)).toEqual(all.slice(0, 9))
  const none = { status: "0", message: "No records found", result: [] }
  expect(yield* getLogs(`address=${accounts.alice}`)).toEqual(none)
  expect(yield* getLogs(`address=${gold}&fromBlock=5000000`)).toEqual(none)
  expect(yield* getLogs("fromBlock=0")).toEqual(notOk("Error! Missing address or topic parameters"))
  expect(yield* getLogs("topic0=0x12")).toEqual(notOk("Error! Invalid topic0: expected 32 bytes"))
})

const creations = Effect.fnUntraced(function* ({ chain, get, scan }: Indexed) {
  const { accounts, contracts } = chain.world
  const creation = (...addresses: ReadonlyArray<string>) =>
    get(`module=contract&action=getcontractcreation&contractaddresses=${addresses.join(",")}`)
  const gold = scan.rows("txlist", contracts.gold).find(({ contractAddress }) => contractAddress === contracts.gold)!
  const pair = scan
    .rows("txlistinternal", contracts.goldSilverPair)
    .find(({ contractAddress }) => contractAddress === contracts.goldSilverPair)!
  const { result } = yield* creation(contracts.gold, contracts.goldSilverPair)

  expect(result[0]).toEqual({
    contractAddress: contracts.gold,
    contractCreator: gold["from"],
    txHash: gold["hash"],
    blockNumber: gold["blockNumber"],
    timestamp: gold["timeStamp"],
    contractFactory: "",
    creationBytecode: gold["input"],
  })
  expect(result[1]).toMatchObject({
    contractAddress: contracts.goldSilverPair,
    contractCreator: accounts.deployer,
    txHash: pair["hash"],
    contractFactory: contracts.pairFactory,
  })
  expect(result[1].creationBytecode.length).toBeGreaterThan(1_000)
  expect(yield* creation(accounts.bob)).toEqual({ status: "0", message: "No data found", result: null })
  expect(yield* creation("0x12")).toEqual(notOk("Error! Invalid address format"))
  expect((yield* creation(...Array.from({ length: 11 }, () => contracts.gold))).message).toBe("NOTOK")
})

const blocks = Effect.fnUntraced(function* (service: Indexed) {
  const { chain, get, scan } = service
  const { node } = chain
  const block = (action: string, number: number) => get(`module=block&action=${action}&blockno=${number}`)
  const mined = scan.addresses.flatMap((miner) =>
    scan.rows("getminedblocks", miner).map((row): Raw => ({ ...row, miner })),
  )
  const { miner, ...expected } = mined.find((row) => row["blockReward"] !== "0")!

  expect((yield* block("getblockreward", Number(expected["blockNumber"]))).result).toEqual({
    ...expected,
    blockMiner: miner,
    uncles: [],
    uncleInclusionReward: "0",
  })
  expect(yield* block("getblockreward", 5_000_000)).toEqual(
    notOk("Not indexed: block 5000000 of this chain is not in the index"),
  )
  const countdown = (yield* block("getblockcountdown", chain.last + 10)).result
  expect(countdown).toMatchObject({
    CurrentBlock: String(chain.last),
    CountdownBlock: String(chain.last + 10),
    RemainingBlock: "10",
    EstimateTimeInSec: "120.0",
  })
  expect(yield* block("getblockcountdown", chain.last)).toEqual(notOk("Error! Block number already pass"))

  expect((yield* block("getblocktxnscount", 4)).result).toMatch(/^Error! Method not allowed for this API key/)
  const operator = yield* service.addKey({ name: "operator", operator: true })
  const lists = ["txlist", "txlistinternal", "tokentx", "tokennfttx", "token1155tx"] as const
  for (const number of [3, 4, 8, 12]) {
    const query = `/v2/api?chainid=1&module=block&action=getblocktxnscount&blockno=${number}&apikey=${operator}`
    const { result } = (yield* service.fetch(query)).json
    const [transactions, calls] = lists.map((list) => scan.countIn(list, number))
    expect([number, result.block, result.txsCount, result.internalTxsCount]).toEqual([
      number,
      number,
      transactions,
      calls,
    ])
  }

  const { result: gas } = yield* get("module=gastracker&action=gasoracle")
  const pending = yield* node.call<{ baseFeePerGas: ReadonlyArray<string> }>("eth_feeHistory", ["0x1", "latest", []])
  expect([gas.LastBlock, BigInt(Math.round(Number(gas.suggestBaseFee) * 1e9))]).toEqual([
    String(chain.last),
    BigInt(pending.baseFeePerGas.at(-1)!),
  ])
  expect(Number(gas.FastGasPrice)).toBeGreaterThanOrEqual(Number(gas.SafeGasPrice))
})

const holdings = Effect.fnUntraced(function* ({ chain, get }: Indexed) {
  const { node, tokens, world } = chain
  const { accounts, contracts } = world
  const account = (query: string) => Effect.map(get(`module=account&action=${query}`), ({ result }) => result)
  const { bob } = accounts
  const balance = yield* node.call<string>("eth_getBalance", [bob, "0x8"])
  expect(yield* account(`balancehistory&address=${bob}&blockno=8`)).toBe(String(BigInt(balance)))
  const data = `0x70a08231${bob.slice(2).padStart(64, "0")}`
  const gold = yield* node.call<string>("eth_call", [{ to: contracts.gold, data }, "0x8"])
  expect(yield* account(`tokenbalancehistory&address=${bob}&contractaddress=${contracts.gold}&blockno=8`)).toBe(
    String(BigInt(gold)),
  )
  expect(yield* account(`balancehistory&address=${bob}&blockno=5000000`)).toBe(
    "Not indexed: block 5000000 of this chain is not in the index yet",
  )
  let compared = 0
  for (const wallet of Object.values(accounts)) {
    const rows: ReadonlyArray<Raw> = yield* account(`addresstokenbalance&address=${wallet}`)
    const data = `0x70a08231${wallet.slice(2).padStart(64, "0")}`
    for (const token of tokens.fungible) {
      // The node was given this amount without a transaction.
      if (wallet === accounts.alice && token === contracts.gold) continue
      const amount = BigInt(yield* node.call<string>("eth_call", [{ to: token, data }, "latest"]))
      const row = rows.find((one) => one["TokenAddress"] === token)
      expect([wallet, token, row?.["TokenQuantity"] ?? "0"]).toEqual([wallet, token, String(amount)])
      compared++
    }
    const [collectible] = tokens.collectibles
    const count = BigInt(yield* node.call<string>("eth_call", [{ to: collectible, data }, "latest"]))
    const counted: ReadonlyArray<Raw> = yield* account(`addresstokennftbalance&address=${wallet}`)
    const counts = counted.find((one) => one["TokenAddress"] === collectible)
    expect(counts?.["TokenQuantity"] ?? "0").toBe(String(count))
    const ids: ReadonlyArray<Raw> = yield* account(
      `addresstokennftinventory&address=${wallet}&contractaddress=${collectible}`,
    )
    expect(ids).toHaveLength(Number(count))
  }
  expect(compared).toBeGreaterThan(40)
})

describe("Etherscan's API", () => {
  it.live("logs, contract creations, block facts and holdings equal the node's", () =>
    Effect.gen(function* () {
      const service = yield* indexedService.start
      yield* logs(service)
      yield* creations(service)
      yield* blocks(service)
      yield* holdings(service)
    }).pipe(Effect.scoped),
  )
})
