import { writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Signature from "@daybook/abi/Signature"
import { describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import { expect } from "vitest"
import { temporaryFolder } from "../../store/temporaryFolder.ts"
import { blockLevel, chainOf, type Ledger } from "../rest/ledgers.ts"
import * as Node from "../node.ts"
import * as Rows from "../rows.ts"
import { type Json, type Options, start, type Started } from "../service.ts"

const ledgers: Readonly<Record<number, Ledger>> = {
  1: { 0: [{ kind: "fee", amount: -7n, counterparty: null }, { amount: -5n }] },
  2: { 0: [{ amount: -5n }], [blockLevel]: [{ kind: "withdrawal", amount: 40n, counterparty: null }] },
}

const chains: Options["chains"] = { eth: chainOf(ledgers, 3) }

const ask = ({ fetch }: Started, query: string, path = "/v2/api") =>
  Effect.map(fetch(`${path}?${query}`), ({ headers, json, status }) => {
    expect([query, status]).toEqual([query, 200])
    return { headers, json }
  })

const answer = (service: Started, query: string) =>
  Effect.map(ask(service, `chainid=1&apikey=${service.key}&${query}`), ({ json }) => json)

const notOk = (result: string) => ({ status: "0", message: "NOTOK", result })

const txlist = `module=account&action=txlist&address=${Rows.alice}`

/** Keys of rows in recorded answers of Etherscan V2, sorted. */
const recordedKeys = {
  txlist: [
    "blockHash",
    "blockNumber",
    "confirmations",
    "contractAddress",
    "cumulativeGasUsed",
    "from",
    "functionName",
    "gas",
    "gasPrice",
    "gasUsed",
    "hash",
    "input",
    "isError",
    "methodId",
    "nonce",
    "timeStamp",
    "to",
    "transactionIndex",
    "txreceipt_status",
    "value",
  ],
} as const

describe("Etherscan's API", () => {
  it.live("rows of txlist have the keys of recorded responses of Etherscan V2, and string values", () =>
    Effect.gen(function* () {
      const service = yield* start({ chains })
      const { headers, json } = yield* ask(service, `chainid=1&apikey=${service.key}&${txlist}`)

      expect([json.status, json.message]).toEqual(["1", "OK"])
      expect(Object.keys(json.result[0]).toSorted()).toEqual(recordedKeys.txlist)
      expect(json.result[0]).toMatchObject({
        blockNumber: "1",
        blockHash: Rows.blockHash(1),
        timeStamp: String(Rows.genesisSeconds + Rows.blockSeconds),
        from: Rows.alice,
        to: Rows.bob,
        contractAddress: "",
        methodId: "0x",
        functionName: "",
        txreceipt_status: "1",
        isError: "0",
        confirmations: "2",
      })
      expect(Object.values(json.result[0]).every((value) => typeof value === "string")).toBe(true)
      expect(headers["daybook-indexed-to"]).toBe("3")
      expect(headers["access-control-allow-origin"]).toBe("*")
    }).pipe(Effect.scoped),
  )

  it.live("a function has the names of its parameters", () =>
    Effect.gen(function* () {
      const plan = { from: Rows.alice, to: Rows.contract, input: Rows.transferInput }
      const service = yield* start({ chains: { eth: { blocks: [Rows.block(0, [plan])] } } })
      const { result } = yield* answer(service, txlist)

      expect(result[0]).toMatchObject({ methodId: "0xa9059cbb", functionName: "transfer(address to, uint256 value)" })
    }).pipe(Effect.scoped),
  )

  it.live(
    "a function is decoded with current knowledge: for a row of an earlier decoder, and with a directory of signatures",
    () =>
      Effect.gen(function* () {
        const signatures = join(yield* temporaryFolder, "signatures.txt")
        writeFileSync(signatures, "poke(uint256)")
        const poke = Result.getOrThrow(Signature.fromText("function poke(uint256)")).key
        const inputs = [Rows.transferInput, `${poke}${"0".repeat(63)}7`]
        const plans = inputs.map((input) => ({ from: Rows.alice, to: Rows.contract, input }))
        const blocks = [Rows.block(0, plans, { staleRows: true }), Rows.block(1, plans)]
        const service = yield* start({ config: { signatures }, chains: { eth: { blocks } } })
        const { result } = yield* answer(service, txlist)

        const names = ["transfer(address to, uint256 value)", "poke(uint256)"]
        expect(result.map((row: Json) => row.functionName)).toEqual([...names, ...names])
      }).pipe(Effect.scoped),
  )

  it.live("a transaction of an OP Stack chain has the L1 fee that it paid", () =>
    Effect.gen(function* () {
      const plans = Array.from({ length: 3 }, () => ({ from: Rows.alice, to: Rows.bob }))
      const block = Rows.block(0, plans)
      const transactions = [
        { index: 0, type: 2, l1Fee: "123" },
        { index: 1, type: 126 },
        { index: 2, type: 2 },
      ]
      const facts = JSON.stringify({ transactions })
      const service = yield* start({ chains: { base: { blocks: [{ ...block, facts }] }, eth: { blocks: [block] } } })
      const feesOn = (chainId: number) =>
        Effect.map(ask(service, `chainid=${chainId}&apikey=${service.key}&${txlist}`), ({ json }) =>
          json.result.map((row: { readonly L1FeesPaid?: string }) => row.L1FeesPaid),
        )

      expect(yield* feesOn(8453)).toEqual(["123", "0", ""])
      expect(yield* feesOn(1)).toEqual([undefined, undefined, undefined])
    }).pipe(Effect.scoped),
  )

  it.live("names may have any case, empty values count as absent, and a form is read after the query", () =>
    Effect.gen(function* () {
      const service = yield* start({ chains })
      const expected = yield* answer(service, `${txlist}&startblock=2`)
      const query = `CHAINID=1&Module=Account&ACTION=TxList&Address=${Rows.alice}&startBlock=2&endBlock=latest&tag=&apiKey=${service.key}`
      const upper = (yield* ask(service, query, "/api")).json
      const slashed = [yield* ask(service, query, "/api/"), yield* ask(service, query, "/v2/api/")]
      const hosted = (yield* ask(service, `chain_id=1&${txlist}&startblock=2&apikey=${service.key}`)).json
      const other = (yield* ask(service, `chain_id=10&${txlist}&apikey=${service.key}`)).json
      const form = new URLSearchParams({
        module: "account",
        action: "txlist",
        address: Rows.alice,
        apikey: service.key,
      })
      form.set("startblock", "2")
      const posted = yield* service.fetch("/v2/api?chainid=1&startblock=", { method: "POST", body: form })

      expect(expected.result).toHaveLength(1)
      expect([upper, hosted]).toEqual([expected, expected])
      expect(other.result).toMatch(/^Missing or unsupported chainid/)
      expect(slashed.map(({ json }) => json)).toEqual([expected, expected])
      expect(posted.json).toEqual(expected)
    }).pipe(Effect.scoped),
  )

  it.live("balancemulti: addresses may also be separated by spaces", () =>
    Effect.gen(function* () {
      const node = yield* Node.start(() => Node.result('"0x7"'))
      const service = yield* start({ chains: { eth: { config: { rpc: [node.url] } } } })
      const query = `module=account&action=balancemulti&tag=latest&address=${Rows.alice},%20${Rows.bob}`

      expect((yield* answer(service, query)).result).toEqual([
        { account: Rows.alice, balance: "7" },
        { account: Rows.bob, balance: "7" },
      ])
    }).pipe(Effect.scoped),
  )

  it.live("errors have the texts that clients compare", () =>
    Effect.gen(function* () {
      const service = yield* start({ chains })
      const { key } = service
      const unsupported = notOk(
        "Missing or unsupported chainid parameter (required for v2 api), please see chainlist for the list of supported chainids",
      )

      expect((yield* ask(service, `chainid=1&${txlist}`)).json).toEqual(notOk("Missing/Invalid API Key"))
      expect((yield* ask(service, `chainid=1&${txlist}&apikey=unknown`)).json).toEqual(notOk("Invalid API Key"))
      expect((yield* ask(service, `chainid=5&${txlist}&apikey=${key}`)).json).toEqual(unsupported)
      expect((yield* ask(service, `${txlist}&apikey=${key}`)).json.status).toBe("1")
      const noAction = notOk("Error! Missing Or invalid Action name")
      expect(yield* answer(service, "module=account&action=nothing")).toEqual(noAction)
      expect(yield* answer(service, "module=account")).toEqual(noAction)
      const noModule = notOk("Error! Missing Or invalid Module name")
      expect(yield* answer(service, "module=constructor&action=txlist")).toEqual(noModule)
      expect(yield* answer(service, "action=txlist")).toEqual(noModule)
      const noAddress = notOk("Error! Invalid address format")
      expect(yield* answer(service, "module=account&action=txlist&address=0x12")).toEqual(noAddress)
      expect(yield* answer(service, "module=account&action=txlist")).toEqual(noAddress)
      expect(yield* answer(service, "module=account&action=balance")).toEqual(noAddress)
      const empty = yield* answer(service, `module=account&action=txlist&address=${Rows.stranger}`)
      expect(empty).toEqual({ status: "0", message: "No transactions found", result: [] })
      const noBlocks = yield* answer(service, `module=account&action=getminedblocks&address=${Rows.alice}`)
      expect(noBlocks).toEqual({ status: "0", message: "No transactions found", result: [] })
      const abi = yield* answer(service, `module=contract&action=getabi&address=${Rows.alice}`)
      expect(abi).toEqual(notOk("Contract source code not verified"))
    }).pipe(Effect.scoped),
  )

  it.live("keys: scopes, limits and anonymous access are those of the service", () =>
    Effect.gen(function* () {
      const service = yield* start({ chains })
      const narrow = yield* service.addKey({ name: "narrow", options: { operations: ["movements"] } })
      const slow = yield* service.addKey({ name: "slow", options: { rateLimit: { perSecond: 1, burst: 1 } } })
      const withKey = (key: string) => Effect.map(ask(service, `chainid=1&apikey=${key}&${txlist}`), ({ json }) => json)

      expect((yield* withKey(narrow)).result).toMatch(/^API key not allowed for the operation walletTransactions/)
      const answers = yield* Effect.forEach(Array.from({ length: 40 }), () => withKey(slow), { concurrency: 40 })
      const refused = answers.filter(({ status }) => status === "0")
      expect(refused.length).toBeGreaterThan(0)
      for (const one of refused) expect(one).toEqual(notOk("Max rate limit reached"))

      const open = yield* start({ chains, config: { anonymous: { perSecond: 100, burst: 100 } } })
      expect((yield* ask(open, `chainid=1&${txlist}`)).json.status).toBe("1")
      expect((yield* ask(open, `chainid=1&apikey=YourApiKeyToken&${txlist}`)).json.status).toBe("1")
    }).pipe(Effect.scoped),
  )

  it.live("what the index lacks is an error, and not a shorter list", () =>
    Effect.gen(function* () {
      const later = Array.from({ length: 3 }, (_, at) => Rows.block(5 + at, [{ from: Rows.alice, to: Rows.bob }]))
      const watched = { config: { watch: [Rows.alice] }, blocks: [Rows.block(0, [{ from: Rows.alice, to: Rows.bob }])] }
      const service = yield* start({ chains: { eth: { blocks: later }, polygon: watched, base: {} } })
      const on = (chainId: number, query: string) =>
        Effect.map(ask(service, `chainid=${chainId}&apikey=${service.key}&${query}`), ({ json }) => json)

      expect(yield* on(1, txlist)).toEqual(notOk("Not indexed: blocks 0 to 4 of this chain are not in the index"))
      expect((yield* on(1, `${txlist}&startblock=5`)).result).toHaveLength(3)
      expect(yield* on(1, `${txlist}&startblock=1&endblock=2`)).toEqual(
        notOk("Not indexed: blocks 1 to 2 of this chain are not in the index"),
      )
      expect((yield* on(137, txlist)).result).toHaveLength(1)
      const bob = `module=account&action=txlist&address=${Rows.bob}`
      expect(yield* on(137, bob)).toEqual(notOk(`Not indexed: the wallet ${Rows.bob} is not watched on polygon`))
      const transfers = `module=account&action=tokentx&address=${Rows.alice}`
      expect((yield* on(137, transfers)).result).toMatch(/^Not indexed: /)
      expect((yield* on(1, `${transfers}&startblock=5`)).result).toMatch(/^Not indexed: /)
      expect(yield* on(8453, txlist)).toEqual(notOk("Not indexed: no block of this chain is in the index yet"))
      expect((yield* on(1, `${txlist}&startblock=5&from=${Rows.alice}`)).result).toMatch(/^Error! The parameter from/)
    }).pipe(Effect.scoped),
  )
})
