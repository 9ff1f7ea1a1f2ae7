/** How many pages of logs a key has at a time. */
import { Eventually, LocalServer } from "@daybook/harness"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
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

describe("getLogs", () => {
  it.live("getLogs: a block that the node adds while it is asked is not part of a range that ends below it", () =>
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

  it.live("getLogs: asks the node for the range up to its head, and for the topics up to the last one sent", () =>
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

  it.live("getLogs: a node's logs of more than 8 MiB are too much, and not parsed at once", () =>
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

  it.live("getLogs: one page of a key is read at a time, 16 wait, and more are refused", () =>
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
      expect(answers[0].result).toBe("Free API access is temporarily unavailable: 16 pages of logs wait already.")
      expect(answers.slice(1).map(({ message }) => message)).toEqual(Array(17).fill("No records found"))
    }),
  )
})
