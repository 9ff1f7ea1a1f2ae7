/** The calls of a node for a page of logs, its contents, and how many a key has at a time. */
import { Eventually, LocalServer } from "@daybook/harness"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import * as FairQueue from "../../../src/server/admission/FairQueue.ts"
import type { Request } from "../../../src/server/etherscan/Action.ts"
import * as Envelope from "../../../src/server/etherscan/Envelope.ts"
import * as LogActions from "../../../src/server/etherscan/LogActions.ts"
import * as Node from "../node.ts"
import * as Rows from "../rows.ts"
import { type Json, start } from "../service.ts"

const hex = (digit: string, length: number) => `0x${digit.repeat(length)}`

/** A log of a block. */
const logOf = (block: number) => ({
  address: Rows.alice,
  topics: [],
  data: "0x",
  blockNumber: `0x${block}`,
  blockHash: hex(String(block), 64),
  transactionHash: hex(String(block), 64),
  transactionIndex: "0x0",
  logIndex: "0x0",
  removed: false,
})

const [first, second, third] = [hex("1", 64), hex("2", 64), hex("3", 64)]

/** Responses of a node and an index. */
interface Responses {
  readonly logs?: unknown
  readonly block?: unknown
  readonly receipt?: unknown
  readonly head?: number
  readonly refusal?: Envelope.Refused
  /** Block of the index. */
  readonly stored?: object | null
}

/** Reads a page; returns it or the text of its error, the calls of the node by method, and the turns that it took. */
const page = Effect.fnUntraced(function* (parameters: Readonly<Record<string, string>>, answers: Responses = {}) {
  const { block = { timestamp: "0x9" }, head = 20, logs = [], refusal, stored = null } = answers
  const { receipt = { transactionHash: first, gasUsed: "0x7", effectiveGasPrice: "0x8" } } = answers
  const results: Readonly<Record<string, unknown>> = {
    eth_getLogs: logs,
    eth_getBlockByHash: block,
    eth_getTransactionReceipt: receipt,
  }
  const calls: Record<string, Array<unknown>> = {}
  let turns = 0
  const { "logs/getlogs": action } = LogActions.make({
    calls: {
      call: () => Effect.die("it is not used"),
      read: (_, method, [param]) => {
        calls[method] = [...(calls[method] ?? []), param]
        return refusal === undefined ? Effect.succeed(results[method]) : Effect.fail(refusal)
      },
      head: () => Effect.succeed(head),
    },
    queue: FairQueue.make(FairQueue.besideOthers),
    turns: {
      run: (work) => {
        turns++
        return work
      },
    },
  })
  const snapshot = { block: () => Effect.succeed(stored) }
  // Sound: nothing else is read of the chain and of the key.
  const request = {
    parameters: new Map(Object.entries(parameters)),
    grant: { name: "usual", operator: false, empty: null },
    chain: { reader: { snapshot: (read: (one: typeof snapshot) => unknown) => read(snapshot) } },
  } as unknown as Request
  const found = yield* action!.answer(request).pipe(
    Effect.map((result) => {
      const { bytes, rows } = result as Extract<Envelope.ActionResult, { readonly _tag: "Rows" }>
      return { rows: rows as ReadonlyArray<Json>, bytes, refused: undefined }
    }),
    Effect.catchTag("Refused", ({ message, result }) =>
      Effect.succeed({ rows: [], bytes: 0, refused: result ?? message }),
    ),
  )
  return { ...found, calls, turns }
})

const address = Rows.alice

describe("getLogs", () => {
  it.effect("getLogs: topics of all positions are one filter, and alternatives are one filter each", () =>
    Effect.gen(function* () {
      const topicsOf = Effect.fnUntraced(function* (parameters: Readonly<Record<string, string>>) {
        const { calls, refused } = yield* page(parameters)
        return refused ?? calls["eth_getLogs"]!.map((filter) => (filter as Json).topics)
      })

      expect(yield* topicsOf({ address })).toEqual([[]])
      expect(yield* topicsOf({ topic0: first.toUpperCase().replace("X", "x"), topic1: second })).toEqual([
        [first, second],
      ])
      expect(yield* topicsOf({ topic0: first, topic3: third })).toEqual([[first, null, null, third]])
      expect(yield* topicsOf({ topic0: first, topic1: second, topic0_1_opr: "and" })).toEqual([[first, second]])
      expect(yield* topicsOf({ topic0: first, topic1: second, topic0_1_opr: "OR" })).toEqual([[first], [null, second]])
      const any = { topic0_1_opr: "or", topic0_2_opr: "or", topic1_2_opr: "or" }
      const three = { topic0: first, topic1: second, topic2: third }
      expect(yield* topicsOf({ ...three, ...any })).toEqual([[first], [null, second], [null, null, third]])
      expect(yield* topicsOf({ ...three, topic0_1_opr: "or" })).toBe(
        'Error! Invalid topic operators: expected all of them "and", or all of them "or"',
      )
      expect(yield* topicsOf({ topic0: first, topic0_1_opr: "or" })).toEqual([[first]])
    }),
  )

  it.effect("getLogs: rejects an invalid filter, and one that selects nothing", () =>
    Effect.gen(function* () {
      const refusalOf = (parameters: Readonly<Record<string, string>>) =>
        Effect.map(page(parameters), ({ calls, refused }) => {
          expect(calls).toEqual({})
          return refused
        })

      expect(yield* refusalOf({})).toBe("Error! Missing address or topic parameters")
      expect(yield* refusalOf({ address: "0x1" })).toBe("Error! Invalid address format")
      expect(yield* refusalOf({ topic1: "0x1" })).toBe("Error! Invalid topic1: expected 32 bytes")
      expect(yield* refusalOf({ topic0: first, topic2: second, topic0_2_opr: "xor" })).toBe(
        'Error! Invalid topic0_2_opr: expected "and" or "or"',
      )
      for (const name of ["fromblock", "toblock", "page", "offset"]) {
        expect(yield* refusalOf({ address, [name]: "x" })).toBe(`Error! Invalid ${name}: expected decimal digits`)
      }
    }),
  )

  it.effect("getLogs: a range ends with the head of the node, and begins below it or at it", () =>
    Effect.gen(function* () {
      const rangeOf = Effect.fnUntraced(function* (parameters: Readonly<Record<string, string>>) {
        const { calls } = yield* page({ address, ...parameters })
        return calls["eth_getLogs"]?.map((filter) => [(filter as Json).fromBlock, (filter as Json).toBlock])[0]
      })

      expect(yield* rangeOf({})).toEqual(["0x0", "latest"])
      expect(yield* rangeOf({ fromblock: "20", toblock: "19" })).toBeUndefined()
      expect(yield* rangeOf({ fromblock: "19", toblock: "19" })).toEqual(["0x13", "0x13"])
      expect(yield* rangeOf({ fromblock: "20", toblock: "20" })).toEqual(["0x14", "latest"])
      expect(yield* rangeOf({ fromblock: "Latest" })).toEqual(["0x14", "latest"])
      expect(yield* rangeOf({ fromblock: "latest", toblock: "19" })).toBeUndefined()
      expect(yield* rangeOf({ fromblock: "21", toblock: "latest" })).toBeUndefined()
    }),
  )

  it.effect("getLogs: a page has each log of a block once, in chain order", () =>
    Effect.gen(function* () {
      const at = (block: number, logIndex: number) => ({ ...logOf(block), logIndex: `0x${logIndex.toString(16)}` })
      const pending = [{ blockHash: null }, { blockNumber: null }, { logIndex: null }, { transactionHash: null }]
      const logs = [
        at(2, 10),
        at(2, 9),
        at(1, 3),
        ...pending.map((member) => ({ ...logOf(3), ...member })),
        at(3, 0),
        at(1, 3),
      ]
      const placesOf = (parameters: Readonly<Record<string, string>>) =>
        Effect.map(page({ address, ...parameters }, { logs }), ({ rows }) =>
          rows.map(({ blockNumber, logIndex }) => [blockNumber, logIndex]),
        )
      const places = [
        ["0x1", "0x3"],
        ["0x2", "0x9"],
        ["0x2", "0xa"],
        ["0x3", "0x0"],
      ]

      expect(yield* placesOf({})).toEqual(places)
      expect(yield* placesOf({ offset: "0", page: "0" })).toEqual(places)
      expect(yield* placesOf({ offset: "1", page: "2" })).toEqual([places[1]])
      expect(yield* placesOf({ offset: "3", page: "2" })).toEqual([places[3]])
      expect(yield* placesOf({ offset: "3", page: "3" })).toEqual([])
    }),
  )

  it.effect("getLogs: a page has 1,000 logs, of which 250 are decoded per turn, each once", () =>
    Effect.gen(function* () {
      const logsOf = (count: number) =>
        Array.from({ length: count }, (_, at) => ({ ...logOf(1), logIndex: `0x${at.toString(16)}` }))
      let reads = 0
      const last = Object.defineProperty({ ...logOf(1), logIndex: "0x3e8" }, "data", {
        enumerable: true,
        get: () => {
          reads++
          return "0x"
        },
      })
      const many = yield* page({ address, offset: "5000" }, { logs: [...logsOf(1_000), last] })
      const rest = yield* page({ address, page: "2" }, { logs: [...logsOf(1_000), last] })

      expect([many.rows.length, many.turns]).toEqual([1_000, 5])
      expect(rest.rows.map(({ logIndex }) => logIndex)).toEqual(["0x3e8"])
      const readsOfMany = reads
      yield* page({ address }, { logs: [last] })
      expect(readsOfMany).toBe(2 * (reads - readsOfMany))
      expect((yield* page({ address }, { logs: logsOf(250) })).turns).toBe(1)
      expect((yield* page({ address })).turns).toBe(0)
    }),
  )

  it.effect("getLogs: joins a row with its block, from the index if it has it, and with its receipt", () =>
    Effect.gen(function* () {
      const logs = [0, 1].map((logIndex) => ({ ...logOf(1), logIndex: `0x${logIndex}`, data: "0x1234" }))
      const row = {
        address,
        topics: [],
        data: "0x1234",
        blockNumber: "0x1",
        blockHash: first,
        timeStamp: "0x9",
        gasPrice: "0x8",
        gasUsed: "0x7",
        logIndex: "0x0",
        transactionHash: first,
        transactionIndex: "0x0",
      }
      const found = yield* page({ address }, { logs })
      const timeWith = (stored: object) =>
        Effect.map(page({ address }, { logs, stored }), ({ calls, rows }) => [
          rows[0].timeStamp,
          calls["eth_getBlockByHash"],
        ])

      expect(found.rows).toEqual([row, { ...row, logIndex: "0x1" }])
      expect(found.bytes).toBe(2 * (700 + 6))
      expect(found.calls).toMatchObject({ eth_getBlockByHash: [first], eth_getTransactionReceipt: [first] })
      expect(yield* timeWith({ hash: first, timestamp: 16 })).toEqual(["0x10", undefined])
      expect(yield* timeWith({ hash: second, timestamp: 16 })).toEqual(["0x9", [first]])
      const bare = { transactionHash: first, gasUsed: "0x7", effectiveGasPrice: null }
      const [old] = (yield* page({ address }, { logs: [{ ...logOf(1), transactionIndex: "0x5" }], receipt: bare })).rows
      expect([old.gasPrice, old.transactionIndex]).toEqual(["0x0", "0x5"])
    }),
  )

  it.effect(
    "getLogs: asks for a smaller range if the node rejects it as too large, and reports unreadable responses as errors",
    () =>
      Effect.gen(function* () {
        const logs = [logOf(1)]
        const refusedWith = (answers: Responses) => Effect.map(page({ address }, answers), ({ refused }) => refused)
        const afterError = (refusal: Envelope.Refused) => refusedWith({ refusal })
        const tooMuch = "Query Timeout occured. Please select a smaller result dataset"

        expect(yield* afterError(Envelope.notOk("Error! query returned more than 10000 results"))).toBe(tooMuch)
        expect(yield* afterError(Envelope.notOk("Error! request timed out"))).toBe(tooMuch)
        expect(yield* afterError(Envelope.notOk("Error! invalid params"))).toBe("Error! invalid params")
        expect(yield* afterError(Envelope.notOk("the limit of the key, Error!"))).toBe("the limit of the key, Error!")
        expect(yield* afterError(Envelope.busy("the rate limit is reached"))).toBe(
          "Free API access is temporarily unavailable: the rate limit is reached",
        )
        expect(yield* afterError(Envelope.none("range", []))).toEqual([])
        const unreadable = (what: string) => `Error! The node did not return ${what}`
        expect(yield* refusedWith({ logs: null })).toBe(unreadable("logs"))
        expect(yield* refusedWith({ logs: { 0: logs[0], length: 1 } })).toBe(unreadable("logs"))
        expect(yield* refusedWith({ logs: [...logs, { ...logOf(2), topics: "0x" }] })).toBe(unreadable("logs"))
        expect(yield* refusedWith({ logs, block: null })).toBe(unreadable("the block of a log"))
        expect(yield* refusedWith({ logs, receipt: null })).toBe(unreadable("the receipt of a log"))
      }),
  )

  it.live("getLogs: excludes a block that the node adds during the request from a range that ends below it", () =>
    Effect.gen(function* () {
      const answers: Readonly<Record<string, unknown>> = {
        eth_blockNumber: "0x5",
        eth_getLogs: [logOf(5), logOf(6)],
        eth_getBlockByHash: { timestamp: "0x1" },
        eth_getTransactionReceipt: { transactionHash: hex("5", 64), gasUsed: "0x1" },
      }
      const node = yield* Node.start(({ method }) => Node.result(JSON.stringify(answers[method])))
      const service = yield* start({ chains: { eth: { config: { rpc: [node.url] } } } })
      const { json } = yield* service.fetch(
        `/v2/api?chainid=1&module=logs&action=getLogs&address=${Rows.alice}&fromBlock=0&toBlock=5&apikey=${service.key}`,
      )

      expect(json.result.map((row: Json) => row.blockNumber)).toEqual(["0x5"])
    }),
  )

  it.live("getLogs: requests the range up to the node's head, and the topics up to the last one given", () =>
    Effect.gen(function* () {
      const filters: Array<unknown> = []
      const node = yield* Node.start(({ method, params }) => {
        if (method === "eth_getLogs") filters.push(params?.[0])
        return Node.result(JSON.stringify(method === "eth_getLogs" ? [] : "0x5"))
      })
      const service = yield* start({ chains: { eth: { config: { rpc: [node.url] } } } })
      const [first, third] = [hex("1", 64), hex("3", 64)]
      const asked = Effect.fnUntraced(function* (query: string) {
        filters.length = 0
        yield* service.fetch(`/v2/api?chainid=1&module=logs&action=getLogs&${query}&apikey=${service.key}`)
        return [...filters]
      })
      const address = Rows.alice

      expect(yield* asked(`address=${address}&fromBlock=2&toBlock=4`)).toEqual([
        { fromBlock: "0x2", toBlock: "0x4", address, topics: [] },
      ])
      expect(yield* asked(`topic0=${first}&topic2=${third}&fromBlock=5&toBlock=9`)).toEqual([
        { fromBlock: "0x5", toBlock: "latest", topics: [first, null, third] },
      ])
      expect(yield* asked(`address=${address}&fromBlock=latest&toBlock=5`)).toEqual([
        { fromBlock: "0x5", toBlock: "latest", address, topics: [] },
      ])
      expect(yield* asked(`address=${address}&fromBlock=6`)).toEqual([])
    }),
  )

  it.live("getLogs: treats more than 8 MiB of logs as too large, and does not parse them at once", () =>
    Effect.gen(function* () {
      let data = "0x"
      const node = yield* Node.start(({ method }) => {
        if (method === "eth_getTransactionReceipt") {
          return Node.result(JSON.stringify({ transactionHash: hex("5", 64), gasUsed: "0x1" }))
        }
        if (method === "eth_getBlockByHash") return Node.result(JSON.stringify({ timestamp: "0x1" }))
        return Node.result(JSON.stringify(method === "eth_getLogs" ? [{ ...logOf(5), data }] : "0x5"))
      })
      const service = yield* start({ chains: { eth: { config: { rpc: [node.url] } } } })
      const path = `/v2/api?chainid=1&module=logs&action=getLogs&address=${Rows.alice}&apikey=${service.key}`
      const messageFor = (mebibytes: number) => {
        data = `0x${"00".repeat(mebibytes * 512 * 1024)}`
        return Effect.map(service.fetch(path), ({ json }) => json.message)
      }

      expect(yield* messageFor(7)).toBe("OK")
      expect(yield* messageFor(8)).toBe("Query Timeout occured. Please select a smaller result dataset")
    }),
  )

  it.live("getLogs: reads one page per key at a time, lets 16 wait, and rejects more", () =>
    Effect.gen(function* () {
      let release = () => {}
      const held = new Promise<void>((resolve) => (release = resolve))
      const methods: Array<string> = []
      const node = yield* LocalServer.scoped(() =>
        LocalServer.start(({ body }, response) => {
          const { id, method } = JSON.parse(body.toString())
          const answer = (result: unknown) =>
            response
              .writeHead(200, { "content-type": "application/json" })
              .end(JSON.stringify({ jsonrpc: "2.0", id, result }))
          if (method === "eth_chainId") return answer("0x1")
          methods.push(method)
          void held.then(() => answer(method === "eth_getLogs" ? [] : "0x1"))
        }),
      )
      const service = yield* start({ chains: { eth: { config: { rpc: [node.url] } } } })
      const path = `/v2/api?chainid=1&module=logs&action=getLogs&address=${Rows.alice}&apikey=${service.key}`
      const answers: Array<Json> = []
      const asked = yield* Effect.forEach(Array.from({ length: 18 }), () =>
        Effect.forkChild(Effect.tap(service.fetch(path), ({ json }) => Effect.sync(() => void answers.push(json)))),
      )
      yield* Effect.promise(() => Eventually.until(() => answers.length > 0 && methods.length > 0))
      const begun = [...methods]
      release()
      yield* Effect.forEach(asked, Fiber.join)

      expect(begun).toEqual(["eth_blockNumber"])
      expect(answers[0].result).toBe(
        "Free API access is temporarily unavailable: 16 pages of logs are already waiting.",
      )
      expect(answers.slice(1).map(({ message }) => message)).toEqual(Array(17).fill("No records found"))
    }),
  )
})
