/** Whether a node's rejection of `eth_getBlockReceipts` concerns the method or only one block. */
import { FakeNode } from "@daybook/harness"
import { describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { expect } from "vitest"
import * as Node from "../../src/node/Node.ts"
import * as fixture from "../indexer/fixture.ts"
import { type Response, start } from "./server.ts"

const { blockHash, creationReceiptWire, hash, transferReceiptWire } = fixture
const wires = [transferReceiptWire, creationReceiptWire]
const ref = { number: 100, hash: blockHash, transactions: [hash("1"), hash("2")] }

const byTransaction: Response = ([asked]) => ({
  result: wires.find((one) => one["transactionHash"] === asked) ?? null,
})

const error =
  (code: number, message: string): Response =>
  () => ({ error: { code, message } })

/**
 * Requests the receipts of a block twice from a node that rejects the method: both outcomes, and the number of calls of
 * each method.
 */
const twice = Effect.fnUntraced(function* (refusal: Response) {
  const server = yield* start({
    eth_chainId: () => ({ result: "0x1" }),
    eth_getBlockReceipts: refusal,
    eth_getTransactionReceipt: byTransaction,
  })
  const node = yield* Node.make({ urls: [server.url], chainId: 1, traces: "off" })
  const count = (method: string) => server.calls.filter(([name]) => name === method).length
  const once = Effect.match(node.receipts(ref), {
    onFailure: () => "failed",
    onSuccess: (found: ReadonlyArray<unknown> | null) => found?.length ?? null,
  })
  const first = yield* once
  const before = count("eth_getBlockReceipts")
  const second = yield* once
  return {
    outcomes: [first, second],
    /** Whether the second block was requested as a whole. */
    isAskedAgain: count("eth_getBlockReceipts") > before,
    single: count("eth_getTransactionReceipt"),
  }
})

describe("BlockReceipts", () => {
  it.live.each([404, 405, 501])(
    "fetch: does not request whole blocks again from a node that rejects them with HTTP %i",
    (status) =>
      Effect.gen(function* () {
        expect(yield* twice(() => FakeNode.status(status))).toEqual({
          outcomes: [2, 2],
          isAskedAgain: false,
          single: 4,
        })
      }),
  )

  it.live.each<readonly [string, Response]>([
    ["an internal error", error(-32603, "internal error")],
    ["a response that is too large", error(-32000, "response too large")],
  ])("fetch: requests single receipts of a block after %s, and the next block as a whole", ([, refusal]) =>
    Effect.gen(function* () {
      expect(yield* twice(refusal)).toEqual({ outcomes: [2, 2], isAskedAgain: true, single: 4 })
    }),
  )

  it.live("fetch: requests no single receipts while a node limits the rate", () =>
    Effect.gen(function* () {
      const { outcomes, single } = yield* twice(error(-32005, "rate limit exceeded"))

      expect([outcomes, single]).toEqual([["failed", "failed"], 0])
    }),
  )

  it.live("fetch: requests only one receipt of a block that the node does not have", () =>
    Effect.gen(function* () {
      const server = yield* start({
        eth_chainId: () => ({ result: "0x1" }),
        eth_getBlockReceipts: () => ({ result: null }),
        eth_getTransactionReceipt: () => ({ result: null }),
      })
      const node = yield* Node.make({ urls: [server.url], chainId: 1, traces: "off" })

      expect(yield* node.receipts(ref)).toBe(null)
      expect(server.calls.filter(([name]) => name === "eth_getTransactionReceipt")).toHaveLength(1)
    }),
  )
})
