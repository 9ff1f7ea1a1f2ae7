import type { ErrorKind } from "@daybook/rpc/ErrorKind"
import { RpcError } from "@daybook/rpc/RpcError"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import * as Proxies from "../../src/contract/Proxies.ts"
import type { Node } from "../../src/node/Node.ts"

const [proxy, other] = [`0x${"a1".repeat(20)}`, `0x${"b0".repeat(20)}`]
const implementation = `0x${"cd".repeat(20)}`
const slot = `0x${implementation.slice(2).padStart(64, "0")}`
const history = [
  { from: 5, address: `0x${"ef".repeat(20)}` },
  { from: 9, address: implementation },
]

const failed = (kind: ErrorKind) =>
  Result.fail(
    new RpcError({
      method: "eth_getStorageAt",
      host: "127.0.0.1:8545",
      code: -32005,
      message: "limit exceeded",
      kind,
      requestId: undefined,
    }),
  )

/** A node on which both contracts are proxies, with what it answers to reads of the storage of one of them, and to searches for logs. */
const nodeOf = (storage: unknown, logs: unknown): Pick<Node, "batch"> => ({
  batch: (calls) =>
    Effect.succeed(
      calls.map(({ method, params }) => {
        if (method === "eth_getLogs") return logs
        if (method === "eth_getCode") return Result.succeed("0x60")
        return (params as ReadonlyArray<unknown>)[0] === proxy ? storage : Result.succeed(slot)
      }) as Effect.Success<ReturnType<Node["batch"]>>,
    ),
})

const contracts = [proxy, other].map((address) => ({ address, implementations: history }))

describe("Proxies", () => {
  it.effect.each(["rateLimited", "notFound", "pruned"] as const)(
    "read: leaves out a contract whose storage the node did not return: %s",
    (kind) =>
      Effect.gen(function* () {
        const found = yield* Proxies.read(nodeOf(failed(kind), Result.succeed([])), contracts, 1)

        expect([...found.keys()]).toEqual([other])
      }),
  )

  it.effect("read: gives no implementation where the node does not have the method", () =>
    Effect.gen(function* () {
      const found = yield* Proxies.read(nodeOf(failed("methodUnsupported"), Result.succeed([])), contracts, 1)

      expect(found.get(proxy)).toEqual([])
    }),
  )

  it.effect("read: keeps the upgrades that were known where the node does not return logs", () =>
    Effect.gen(function* () {
      const found = yield* Proxies.read(nodeOf(Result.succeed(slot), failed("tooLarge")), contracts, 1)

      expect(found.get(proxy)).toEqual(history)
    }),
  )

  it.effect("read: gives what a proxy has now for all blocks where nothing leads to it", () =>
    Effect.gen(function* () {
      const known = [{ address: proxy, implementations: [{ from: 5, address: other }] }]
      const found = yield* Proxies.read(nodeOf(Result.succeed(slot), failed("tooLarge")), known, 1)

      expect(found.get(proxy)).toEqual([{ from: 0, address: implementation }])
    }),
  )
})
