/** Batches over real sockets: each call receives its own reply or its own error. */
import { describe, expect, it } from "@effect/vitest"
import { Cause, Effect, Exit, Result } from "effect"
import { RpcClient } from "../src/index.ts"
import { failure, gives, replies, reply, script, success } from "./server.ts"
import { block, transaction } from "./values.ts"

const quick = { retry: { base: 1, cap: 2 } }

describe("RpcClient", () => {
  describe("batch", () => {
    it.live("batch: returns to each call its own reply, whatever the order of the replies", () =>
      Effect.gen(function* () {
        const server = yield* script(
          replies((calls) =>
            calls
              .map((call) => success(call.id, call.method === "eth_chainId" ? "0x2a" : block([transaction()])))
              .reverse(),
          ),
        )
        const client = yield* RpcClient.make({ url: server.url })

        const [id, found, none] = yield* client.batch([
          { method: "eth_chainId" },
          { method: "eth_getBlockByNumber", params: ["latest", true] },
          { method: "eth_getBlockByHash", params: ["0x1"] },
        ])

        expect(id._tag === "Success" && id.success === 42n).toBe(true)
        expect(found._tag === "Success" && found.success?.transactions[0]?.gas === 21_000n).toBe(true)
        expect(none._tag === "Failure" && none.failure._tag === "InvalidParams").toBe(true)
        expect(server.seen.length).toBe(1)
        expect(server.seen[0]?.calls.length).toBe(2)
      }),
    )

    it.live("batch: rejects invalid calls and sends the others", () =>
      Effect.gen(function* () {
        const server = yield* script(replies((calls) => calls.map((call) => success(call.id, "0x2a"))))
        const client = yield* RpcClient.make({ url: server.url })
        const untyped = client.batch as (calls: unknown) => Effect.Effect<ReadonlyArray<Result.Result<unknown, Error>>>

        const results = yield* untyped([
          { method: "eth_chainId" },
          null,
          "eth_chainId",
          { params: [] },
          { method: "eth_chainId", params: {} },
          { method: "eth_chainId", params: null },
          { method: "eth_nonsense" },
        ])
        const messages = results.map((result) => (Result.isFailure(result) ? result.failure.message : result.success))

        expect(messages.slice(0, 6)).toEqual([
          42n,
          'Invalid call of a batch "[1]": expected an object such as { method: "eth_chainId", params: [] }, received null.',
          'Invalid call of a batch "[2]": expected an object such as { method: "eth_chainId", params: [] }, received "eth_chainId".',
          'Invalid call of a batch "[3]": expected an object such as { method: "eth_chainId", params: [] }, received an object without a method.',
          "Invalid parameters of eth_chainId: expected an array, received an empty object.",
          42n,
        ])
        expect(messages[6]).toMatch(/^Invalid method: expected one of .* received "eth_nonsense"\.$/)
        expect(server.seen.length).toBe(1)
      }),
    )

    it.live.each([undefined, null, { method: "eth_chainId" }])(
      "batch: dies with InvalidParams when given %j",
      (given) =>
        Effect.gen(function* () {
          const server = yield* script(gives("0x1"))
          const client = yield* RpcClient.make({ url: server.url })
          const untyped = client.batch as (calls: unknown) => Effect.Effect<unknown>

          const exit = yield* Effect.exit(untyped(given))

          const message = Exit.isFailure(exit) ? String(Cause.squash(exit.cause)) : ""
          expect(message).toContain(
            `Invalid batch: expected an array of calls such as [{ method: "eth_chainId" }], received`,
          )
          expect(server.seen.length).toBe(0)
        }),
    )

    it.live("batch: makes no request for an empty list", () =>
      Effect.gen(function* () {
        const server = yield* script(gives(null))
        const client = yield* RpcClient.make({ url: server.url })

        expect(yield* client.batch([])).toEqual([])
        expect(server.seen.length).toBe(0)
      }),
    )

    it.live("batch: retries only calls with a transient failure", () =>
      Effect.gen(function* () {
        const server = yield* script(
          replies((calls) => [
            success(calls[0]?.id, "0x1"),
            failure(calls[1]?.id, -32603, "internal"),
            failure(calls[2]?.id, -32602, "bad"),
          ]),
          replies((calls) => calls.map((call) => success(call.id, "0x2"))),
        )
        const client = yield* RpcClient.make({ url: server.url, ...quick })

        const results = yield* client.batch([
          { method: "eth_chainId" },
          { method: "eth_chainId" },
          { method: "eth_chainId" },
        ])

        expect(results.map((result) => (result._tag === "Success" ? result.success : result.failure._tag))).toEqual([
          1n,
          2n,
          "RpcError",
        ])
        expect(server.seen.map(({ calls }) => calls.length)).toEqual([3, 1])
      }),
    )

    it.live("batch: returns an error of the whole request to each call", () =>
      Effect.gen(function* () {
        const server = yield* script(reply(() => failure(null, -32010, "not today")))
        const client = yield* RpcClient.make({ url: server.url, ...quick })

        const results = yield* client.batch([{ method: "eth_chainId" }, { method: "eth_blockNumber" }])

        expect(
          results.map((result) =>
            result._tag === "Failure" && result.failure._tag === "RpcError"
              ? [result.failure.method, result.failure.code, result.failure.message]
              : result,
          ),
        ).toEqual([
          ["eth_chainId", -32010, "not today"],
          ["eth_blockNumber", -32010, "not today"],
        ])
        expect(server.seen.length).toBe(1)
      }),
    )

    it.live("batch: fails the calls with missing, duplicated and invalid replies, and no others", () =>
      Effect.gen(function* () {
        const server = yield* script(
          replies(([missing, duplicated, version, two, nullId, fine]) =>
            [
              success(duplicated?.id, "0x1"),
              { jsonrpc: "1.0", id: version?.id, result: "0x1" },
              success(duplicated?.id, "0x1"),
              { ...success(two?.id, "0x1"), error: { code: 1, message: "both" } },
              success(null, "0x1"),
              success(999, "0x1"),
              success(String(missing?.id), "0x1"),
              "not a reply",
              success(fine?.id, "0x7"),
            ].filter(() => nullId !== undefined),
          ),
          replies((calls) => calls.filter(() => false)),
        )
        const client = yield* RpcClient.make({ url: server.url, ...quick })

        const results = yield* client.batch(Array.from({ length: 6 }, () => ({ method: "eth_chainId" as const })))

        const [, duplicated, version, two, , fine] = results
        expect(results.map((result) => (result._tag === "Success" ? result.success : result.failure._tag))).toEqual([
          ...Array.from({ length: 5 }, () => "InvalidResponse"),
          7n,
        ])
        const issues = [duplicated, version, two].map((result) =>
          result?._tag === "Failure" && result.failure._tag === "InvalidResponse"
            ? [result.failure.path, result.failure.received, result.failure.expected]
            : result,
        )
        expect(issues).toEqual([
          ["reply 2", "2 replies with this id", "one reply to each call"],
          ["reply 3.jsonrpc", '"1.0"', '"2.0"'],
          ["reply 4", "a result and an error at once", "either a result or an error"],
        ])
        expect(fine?._tag === "Success").toBe(true)
        expect(server.seen.map(({ calls }) => calls.map((call) => call.id))).toEqual([
          [1, 2, 3, 4, 5, 6],
          [1, 5],
          [1, 5],
          [1, 5],
        ])
      }),
    )

    it.live("batch: keeps received results when a retry fails", () =>
      Effect.gen(function* () {
        const server = yield* script(
          replies((calls) => [success(calls[0]?.id, "0x1"), failure(calls[1]?.id, -32603, "internal")]),
          (_seen, _response, _number, request) => void request.socket.resetAndDestroy(),
        )
        const client = yield* RpcClient.make({ url: server.url, ...quick })

        const results = yield* client.batch([{ method: "eth_chainId" }, { method: "eth_chainId" }])

        expect(results.map((result) => (result._tag === "Success" ? result.success : result.failure._tag))).toEqual([
          1n,
          "TransportError",
        ])
      }),
    )
  })
})
