/** The relay at the edges of the index, and with nodes of which some respond and none returns a result. */
import { describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { expect } from "vitest"
import * as Cacheability from "../../../src/server/relay/Cacheability.ts"
import * as Node from "../node.ts"
import * as Rows from "../rows.ts"
import { start } from "../service.ts"

const blockText = (number: number) => `{"number":"0x${number.toString(16)}","hash":"${Rows.blockHash(number)}"}`

const byNumber = (number: number) => ({
  jsonrpc: "2.0",
  id: 1,
  method: "eth_getBlockByNumber",
  params: [`0x${number.toString(16)}`, true],
})

/** How often a node is called for a block that is requested three times, and the last response. */
const askedFor = Effect.fnUntraced(function* (number: number, first: number, finalized: number | null) {
  const node = yield* Node.start(({ params }) => Node.result(blockText(Number(params[0]))))
  const blocks = Rows.chain(first, 20)
  const service = yield* start({ chains: { eth: { config: { rpc: [node.url] }, blocks } } })
  if (finalized !== null) yield* Effect.orDie(service.stores["eth"]!.finalize(finalized))
  const answers = yield* Effect.forEach([1, 2, 3], () => service.call(byNumber(number)))
  return [node.calls.length, answers.at(-1)?.json.result.hash]
})

describe("Relay", () => {
  it.live("call: keeps no block while none is final, not even the first one", () =>
    Effect.gen(function* () {
      expect(yield* askedFor(0, 0, null)).toEqual([3, Rows.blockHash(0)])
      expect(yield* askedFor(0, 0, 0)).toEqual([1, Rows.blockHash(0)])
    }),
  )

  it.live("call: keeps no block below the first one of the index", () =>
    Effect.gen(function* () {
      expect(yield* askedFor(3, 5, 10)).toEqual([3, Rows.blockHash(3)])
    }),
  )

  it.live("call: returns the error of a node that responds if the others cannot be reached", () =>
    Effect.gen(function* () {
      const down = yield* Node.start(() => ({ status: 502, body: "bad gateway" }))
      const failing = yield* Node.start(() => Node.error('{"code":-32603,"message":"internal error"}'))
      const service = yield* start({ chains: { eth: { config: { rpc: [down.url, failing.url] } } } })

      const { json, status } = yield* service.call(byNumber(1))

      expect([status, json.error]).toEqual([200, { code: -32603, message: "internal error" }])
      expect([down.calls.length, failing.calls.length]).toEqual([1, 1])
    }),
  )

  it("blockOf: finds none in a result whose hash or number is not a string", () => {
    const hash = Rows.blockHash(1)

    expect(Cacheability.blockOf("eth_getBlockByHash", { hash: [hash], number: "0x1" })).toBe(null)
    expect(Cacheability.blockOf("eth_getBlockByHash", { hash, number: ["0x1"] })).toBe(null)
    expect(Cacheability.blockOf("eth_getBlockByHash", { hash, number: "0x1" })).toEqual({ hash, number: 1 })
  })
})
