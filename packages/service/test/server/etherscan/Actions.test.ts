/** Actions that reject a request before they read the index. */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import * as AccountActions from "../../../src/server/etherscan/AccountActions.ts"
import type { Request } from "../../../src/server/etherscan/Action.ts"
import type { NodeCalls } from "../../../src/server/etherscan/NodeCalls.ts"
import * as BlockActions from "../../../src/server/etherscan/BlockActions.ts"
import * as ContractActions from "../../../src/server/etherscan/ContractActions.ts"
import * as ProxyActions from "../../../src/server/etherscan/ProxyActions.ts"
import * as TokenActions from "../../../src/server/etherscan/TokenActions.ts"
import * as Rows from "../rows.ts"

/** A frame of the call tracer. */
const frame = (type: string, value: string) => ({
  type,
  from: Rows.alice,
  to: Rows.bob,
  value,
  gas: "0x0",
  gasUsed: "0x0",
  input: "0x",
})

const calling = (one: object, ...calls: ReadonlyArray<object>) => ({ ...one, calls })

const word = (digit: string) => `0x${digit.repeat(64)}`
const transferOf = (...topics: ReadonlyArray<string>) => ({ data: word("1"), topics })

/** Blocks by number: receipts of a transaction each, and their traces. */
const blocks: Readonly<
  Record<string, { readonly logs: ReadonlyArray<object>; readonly traces: ReadonlyArray<object> }>
> = {
  "0x1": {
    logs: [transferOf(...Rows.transferTopics), transferOf(word("c"))],
    traces: [
      { result: frame("CALL", "0x5") },
      {
        result: calling(
          frame("CALL", "0x0"),
          calling(
            frame("CALL", "0x1"),
            frame("CREATE", "0x0"),
            calling(frame("STATICCALL", "0x0"), frame("CALL", "0x2")),
          ),
          frame("CALL", "0x0"),
          frame("DELEGATECALL", "0x1"),
        ),
      },
    ],
  },
  "0x2": { logs: [], traces: [{ result: frame("CALL", "0x5") }, { error: "execution timeout" }] },
}

const receiptOf = (status: object) => ({ blockNumber: "0x1", from: Rows.alice, ...status })

/** Receipts by the hash of their transaction. */
const receipts: Readonly<Record<string, object>> = {
  [word("1")]: receiptOf({ status: "0x1" }),
  [word("2")]: receiptOf({ status: "0x0" }),
  [word("3")]: receiptOf({ status: null }),
  [word("4")]: receiptOf({}),
  [word("5")]: { blockNumber: "0x1", from: "0x1", status: "0x0" },
}

/** A node that has some receipts; the balance of each account is the number of calls before. */
const makeCalls = () => {
  let asked = 0
  const results: Readonly<Record<string, (params: ReadonlyArray<unknown>) => unknown>> = {
    eth_getBlockReceipts: ([block]) =>
      blocks[String(block)]?.traces.map((_, at) => ({ logs: at === 0 ? blocks[String(block)]!.logs : [] })) ?? null,
    debug_traceBlockByNumber: ([block]) => blocks[String(block)]?.traces,
    eth_getTransactionReceipt: ([hash]) => receipts[String(hash)] ?? null,
    eth_call: ([call]) => {
      const { data, to } = call as { readonly data: string; readonly to: string }
      if (to === Rows.alice) return "0x"
      if (to === Rows.bob) return "0x01"
      const amount = data.startsWith("0x18160ddd") ? "5678" : "1234"
      // A contract may return more than the amount.
      return to === described ? `0x${"5".padStart(64, "0")}${"f".repeat(64)}` : `0x${amount.padStart(64, "0")}`
    },
    eth_getBalance: () => `0x${(asked++).toString(16)}`,
  }
  // Sound: nothing else of it is used.
  return {
    read: (_: Request, method: string, params: ReadonlyArray<unknown>) => Effect.sync(() => results[method]?.(params)),
  } as unknown as NodeCalls
}

const [described, other] = [Rows.address("d"), Rows.address("e")]

const contracts: Contracts = {
  find: () =>
    Effect.succeed({
      contracts: [
        { address: other, name: "Other", abi: "[]", implementations: [] },
        {
          address: described,
          name: "Described",
          abi: '["described"]',
          implementations: [
            { from: 1, address: Rows.bob },
            { from: 9, address: other },
          ],
        },
      ],
      decoder: null,
    }),
}

/** The lists that were requested. */
const asked: Array<{
  readonly kind: string
  readonly needs?: string
  readonly selection: (transfer: object) => boolean
}> = []

const calls = makeCalls()
const actions = {
  // Sound: nothing else is used of them.
  ...AccountActions.make({
    calls,
    contracts,
    readList: (list: (typeof asked)[number]) =>
      Effect.sync(() => {
        asked.push(list)
        return { rows: [], bytes: 0, coverage: { checkpoint: null, missing: 0, reconciledTo: null } }
      }),
  } as unknown as AccountActions.Options),
  ...ContractActions.make(contracts as unknown as Parameters<typeof ContractActions.make>[0], { run: (work) => work }),
  ...ProxyActions.make(calls),
  ...BlockActions.make(calls),
  ...TokenActions.make(calls),
}

interface Contracts {
  readonly find: () => Effect.Effect<unknown>
}

/** The result of an action, or the text of its error. */
const answer = (action: string, parameters: Readonly<Record<string, string>>, module = "account") =>
  // Sound: they read nothing of the chain or of the key.
  actions[`${module}/${action}`]!.answer({
    parameters: new Map(Object.entries(parameters)),
  } as unknown as Request).pipe(
    Effect.map((found) => ("result" in found ? found.result : undefined)),
    Effect.catchTag("Refused", ({ message, result }) => Effect.succeed(typeof result === "string" ? result : message)),
  )

const addresses = (count: number) => Array(count).fill(Rows.alice).join(",")

describe("actions", () => {
  it.effect("txlist: reads transactions without internal transactions", () =>
    Effect.gen(function* () {
      asked.length = 0
      yield* answer("txlist", { address: Rows.alice })

      expect(asked.map(({ kind, selection }) => [kind, selection])).toEqual([["txlist", { internal: false }]])
    }),
  )

  it.effect(
    "txlistinternal: reads those of an address, a transaction or a range of blocks, and requires one of them",
    () =>
      Effect.gen(function* () {
        expect(yield* answer("txlistinternal", { txhash: word("6") })).toBe("No transactions found")
        expect(yield* answer("txlistinternal", { address: "0x1" })).toBe("Error! Invalid address format")
        expect(yield* answer("txlistinternal", { startblock: "1" })).toBe(
          "Error! Missing address, txhash, or startblock and endblock",
        )
      }),
  )

  it.effect("txlistinternal: rejects a transaction together with an address, whose list would be longer", () =>
    Effect.gen(function* () {
      expect(yield* answer("txlistinternal", { address: Rows.alice, txhash: word("6") })).toBe(
        "Error! The parameter txhash is not supported together with address",
      )
    }),
  )

  it.effect("balance, balancemulti: return the balances of up to 20 accounts, in their order", () =>
    Effect.gen(function* () {
      const refused = "Error! Invalid address: expected at most 20 addresses"

      expect(yield* answer("balance", { address: Rows.alice })).toBe("0")
      expect(yield* answer("balancemulti", { address: addresses(2) })).toEqual([
        { account: Rows.alice, balance: "1" },
        { account: Rows.alice, balance: "2" },
      ])
      expect(yield* answer("balancemulti", { address: addresses(20) })).toHaveLength(20)
      for (const action of ["balance", "balancemulti"]) {
        expect(yield* answer(action, { address: addresses(21) })).toBe(refused)
      }
    }),
  )

  it.effect("proxy: each method has the parameters of its call, and defaults to the newest block", () =>
    Effect.gen(function* () {
      const sent = new Map(
        Object.entries({
          address: Rows.alice,
          position: "0x3",
          txhash: word("1"),
          index: "0x2",
          hex: "0xfe",
          to: Rows.bob,
          gasprice: "0x5",
          maxfeepergas: "0x6",
        }),
      )
      const call = { to: Rows.bob, gasPrice: "0x5", maxFeePerGas: "0x6" }
      const params: Readonly<Record<string, ReadonlyArray<unknown>>> = {
        eth_blockNumber: [],
        eth_gasPrice: [],
        eth_getBlockByNumber: ["latest", false],
        eth_getBlockTransactionCountByNumber: ["latest"],
        eth_getUncleByBlockNumberAndIndex: ["latest", "0x2"],
        eth_getTransactionByBlockNumberAndIndex: ["latest", "0x2"],
        eth_getTransactionByHash: [word("1")],
        eth_getTransactionReceipt: [word("1")],
        eth_getTransactionCount: [Rows.alice, "latest"],
        eth_getCode: [Rows.alice, "latest"],
        eth_getStorageAt: [Rows.alice, "0x3", "latest"],
        eth_call: [call, "latest"],
        eth_estimateGas: [call],
        eth_sendRawTransaction: ["0xfe"],
      }
      const asked: Array<readonly [string, ReadonlyArray<unknown>]> = []
      const proxied = ProxyActions.make({
        ...calls,
        call: (_, method, given) => {
          asked.push([method, given])
          return Effect.succeed({ _tag: "Success", result: Buffer.from('"0x1"') } as const)
        },
      })
      // Sound: nothing else of a request is read.
      const ask = (method: string, more: Readonly<Record<string, string>> = {}) =>
        proxied[`proxy/${method.toLowerCase()}`]!.answer({
          parameters: new Map([...sent, ...Object.entries(more)]),
        } as unknown as Request)
      const results = yield* Effect.forEach(Object.keys(params), (method) => ask(method))

      expect(Object.fromEntries(asked)).toEqual(params)
      for (const result of results) {
        expect(result).toMatchObject({ _tag: "JsonRpc", bytes: Buffer.from('{"jsonrpc":"2.0","id":1,"result":"0x1"}') })
      }
      asked.length = 0
      yield* ask("eth_getBlockByNumber", { tag: "0x7", boolean: "True" })
      yield* ask("eth_getBlockByNumber", { boolean: "1" })
      expect(asked.map(([, given]) => given)).toEqual([
        ["0x7", true],
        ["latest", false],
      ])
    }),
  )

  it.effect(
    "tokenbalance, tokensupply: read a contract, do not treat empty data as 0, and reject an amount of another form",
    () =>
      Effect.gen(function* () {
        const token = { contractaddress: other }
        const ofWallet = { ...token, address: Rows.alice }

        expect(yield* answer("tokenbalance", ofWallet)).toBe("4660")
        expect(yield* answer("tokenbalance", { ...ofWallet, contractaddress: described })).toBe("5")
        expect(yield* answer("tokensupply", token, "stats")).toBe("22136")
        const withoutCode = { contractaddress: Rows.alice }
        expect(yield* answer("tokensupply", withoutCode, "stats")).toBe("0")
        expect(yield* answer("tokenbalance", { ...ofWallet, ...withoutCode })).toBe("0")
        expect(yield* answer("tokensupply", { contractaddress: Rows.bob }, "stats")).toBe(
          "Error! The node did not return an amount",
        )
        expect(yield* answer("tokenbalance", token)).toBe("Error! Invalid address format")
        expect(yield* answer("tokenbalance", { address: Rows.alice })).toBe("Error! Invalid address format")
        expect(yield* answer("tokensupply", {}, "stats")).toBe("Error! Invalid address format")
        expect(yield* answer("tokensupplyhistory", { ...token, blockno: "31" }, "stats")).toBe("22136")
        expect(yield* answer("tokensupplyhistory", token, "stats")).toBe(
          "Error! Invalid blockno: expected decimal digits",
        )
      }),
  )

  it.effect("getblocktxnscount: counts internal transactions below the transactions", () =>
    Effect.gen(function* () {
      expect(yield* answer("getblocktxnscount", { blockno: "1" }, "block")).toMatchObject({
        block: 1,
        txsCount: 2,
        internalTxsCount: 3,
        erc20TxsCount: 1,
        erc721TxsCount: 0,
        erc1155TxsCount: 0,
      })
      expect(yield* answer("getblocktxnscount", { blockno: "2" }, "block")).toContain("the traces of a block")
      expect(yield* answer("getblocktxnscount", { blockno: "3" }, "block")).toBe("Error! Invalid block number")
    }),
  )

  it.effect("tokentx: selects transfers of a standard, of an address, of a contract, or of both", () =>
    Effect.gen(function* () {
      const transfers = [
        { standard: "erc20", token: described },
        { standard: "erc20", token: other },
        { standard: "erc721", token: described },
      ]
      const selected = Effect.fnUntraced(function* (action: string, parameters: Readonly<Record<string, string>>) {
        asked.length = 0
        const result = yield* answer(action, parameters)
        return asked.length === 0 ? result : { kind: asked[0]!.kind, places: transfers.map(asked[0]!.selection) }
      })
      const address = Rows.alice

      expect(yield* selected("tokentx", { address })).toEqual({ kind: "tokentx ", places: [true, true, false] })
      expect(yield* selected("tokentx", { address, contractaddress: other })).toEqual({
        kind: `tokentx ${other}`,
        places: [false, true, false],
      })
      expect(yield* selected("tokennfttx", { address })).toEqual({ kind: "tokennfttx ", places: [false, false, true] })
      expect(yield* selected("tokentx", { contractaddress: other })).toEqual({
        kind: "tokentx of the contract",
        places: [false, true, false],
      })
      expect(asked[0]!.needs).toBe("calls")
      expect(yield* selected("tokentx", {})).toContain("address")
      expect(yield* selected("tokentx", { address: `0x${"0".repeat(40)}` })).toContain(
        "not listed for the zero address",
      )
    }),
  )

  it.effect("getabi: returns the ABI of a contract if one is configured", () =>
    Effect.gen(function* () {
      expect(yield* answer("getabi", { address: described }, "contract")).toBe('["described"]')
      expect(yield* answer("getabi", { address: Rows.alice }, "contract")).toBe("Contract source code not verified")
    }),
  )

  it.effect("getsourcecode: returns the configured description of a contract, and its last implementation", () =>
    Effect.gen(function* () {
      const stated = (address: string) => answer("getsourcecode", { address }, "contract")
      const one = (ABI: string, ContractName: string, Proxy: string, Implementation: string) => [
        expect.objectContaining({ ABI, ContractName, Proxy, Implementation }),
      ]
      const notVerified = "Contract source code not verified"

      expect(yield* stated(described)).toEqual(one('["described"]', "Described", "1", other))
      expect(yield* stated(other)).toEqual(one(notVerified, "Other", "0", ""))
      expect(yield* stated(Rows.alice)).toEqual(one(notVerified, "", "0", ""))
    }),
  )

  it.effect("getstatus, gettxreceiptstatus: return the status of a receipt, empty if there is none", () =>
    Effect.gen(function* () {
      const statuses: Array<unknown> = []
      for (const digit of ["1", "2", "3", "4", "5", "6"]) {
        const parameters = { txhash: word(digit) }
        statuses.push([
          yield* answer("getstatus", parameters, "transaction"),
          yield* answer("gettxreceiptstatus", parameters, "transaction"),
        ])
      }

      expect(statuses).toEqual(
        [
          ["0", "1"],
          ["1", "0"],
          ["0", ""],
          ["0", ""],
          ["0", ""],
          ["0", ""],
        ].map(([isError, status]) => [{ isError, errDescription: "" }, { status }]),
      )
    }),
  )
})
