/** Invalid parameters are reported before a request is made, and never with a private key. */
import { inspect } from "node:util"
import { describe, expect, it } from "@effect/vitest"
import * as RpcMethod from "@daybook/schema/RpcMethod"
import { Effect, Result, Schema } from "effect"
import { RpcClient } from "../../src/index.ts"
import type { CallError } from "../../src/RpcError.ts"
import { encodeParams, withHex } from "../../src/internal/Params.ts"
import { gives, script } from "../server.ts"
import { hash } from "../values.ts"

const checksummed = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8"

const privateKey = "0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80"

describe("Params", () => {
  describe("encodeParams", () => {
    const refused: ReadonlyArray<
      readonly [string, (client: RpcClient.Client) => Effect.Effect<unknown, { _tag: string; message: string }>]
    > = [
      [
        'Invalid parameter of eth_getBlockByNumber "block": expected a block number, or one of latest, earliest, pending, safe, finalized, received -1.',
        (client) => client.eth_getBlockByNumber(-1),
      ],
      [
        'Invalid parameter of eth_getBlockByNumber "block": expected a block number, or one of latest, earliest, pending, safe, finalized, received "newest".',
        (client) => client.eth_getBlockByNumber("newest" as "latest"),
      ],
      [
        'Invalid parameter of eth_getBlockByHash "hash": expected a hash of 32 bytes in hex, received "0x12".',
        (client) => client.eth_getBlockByHash("0x12"),
      ],
      [
        'Invalid parameter of eth_getTransactionByBlockHashAndIndex "index": expected an unsigned safe integer, received 1.5.',
        (client) => client.eth_getTransactionByBlockHashAndIndex(hash("a"), 1.5),
      ],
      [
        'Invalid parameter of eth_getBlockByNumber "hydrated": expected a boolean, received "true".',
        (client) => client.eth_getBlockByNumber("latest", "true" as unknown as true),
      ],
      [
        "Invalid parameters of eth_getTransactionByBlockHashAndIndex: expected 2 parameters: blockHash, index, received 1.",
        (client) => client.eth_getTransactionByBlockHashAndIndex(...([hash("a")] as unknown as [string, number])),
      ],
      [
        'Invalid parameter of debug_traceBlockByNumber "options.tracr": expected one of the keys tracer, timeout, received an unknown key.',
        (client) =>
          client.debug_traceBlockByNumber(1, { tracer: "callTracer", tracr: "x" } as { tracer: "callTracer" }),
      ],
      [
        'Invalid parameter of eth_call "call.data": expected hex bytes such as 0xa9059cbb, received "abcd".',
        (client) => client.eth_call({ to: checksummed, data: "abcd" as "0x" }, "latest"),
      ],
      [
        'Invalid parameter of eth_call "call.value": expected an unsigned bigint of at most 256 bits, received -1.',
        (client) => client.eth_call({ to: checksummed, value: -1 }, "latest"),
      ],
      [
        'Invalid parameter of eth_call "call.value": expected an unsigned bigint of at most 256 bits, received 1000000000000000000 (inexact: use a bigint).',
        (client) => client.eth_call({ to: checksummed, value: 1e18 }, "latest"),
      ],
      [
        'Invalid parameter of eth_call "call.value": expected an unsigned bigint of at most 256 bits, received "0.1".',
        (client) => client.eth_call({ to: checksummed, value: "0.1" as "0x" }, "latest"),
      ],
      [
        'Invalid parameter of eth_estimateGas "call.gas": expected an unsigned bigint of at most 256 bits, received null.',
        (client) => client.eth_estimateGas({ from: checksummed, gas: null as unknown as bigint }),
      ],
      [
        'Invalid parameter of eth_getLogs "filter.topics[0]": expected a hash of 32 bytes in hex, received "0x12".',
        (client) => client.eth_getLogs({ address: checksummed, topics: ["0x12"] }),
      ],
      [
        'Invalid parameter of eth_getBlockByNumber "block": expected a block number, or one of latest, earliest, pending, safe, finalized, received 1152921504606847000 (inexact: use a bigint).',
        (client) => client.eth_getBlockByNumber(2 ** 60),
      ],
      [
        'Invalid parameters of eth_getBlockByNumber: expected 1 to 2 parameters: block such as "latest", hydrated, received 0.',
        (client) => client.eth_getBlockByNumber(...([] as unknown as [number])),
      ],
      [
        'Invalid parameter of eth_feeHistory "percentiles[0]": expected a percentile from 0 to 100, received 500.',
        (client) => client.eth_feeHistory(4, "latest", [500, -50]),
      ],
    ]

    it.live.each(refused)("encodeParams: fails without a request: %s", ([message, call]) =>
      Effect.gen(function* () {
        const server = yield* script(gives(null))
        const client = yield* RpcClient.make({ url: server.url })

        const error = yield* Effect.flip(call(client))

        expect(error._tag).toBe("InvalidParams")
        expect(error.message).toBe(message)
        expect(server.seen.length).toBe(0)
      }),
    )
  })

  describe("rawParams", () => {
    it.effect("rawParams: reports a circular reference", () =>
      Effect.gen(function* () {
        const loop: Array<unknown> = []
        loop.push(loop)
        const client = yield* RpcClient.make({ url: "http://127.0.0.1:9" })

        const error = yield* Effect.flip(client.request({ method: "any_method", params: loop }))

        expect(error.message).toBe(
          "Invalid parameters of any_method: expected JSON values, received a circular reference.",
        )
      }),
    )
  })

  describe("a private key given by mistake", () => {
    const wrong: ReadonlyArray<readonly [string, (client: RpcClient.Client) => Effect.Effect<unknown, CallError>]> = [
      ["as an address", (client) => client.eth_getBalance(privateKey, "latest")],
      ["without 0x", (client) => client.eth_getBalance(privateKey.slice(2), "latest")],
      ["with an extra byte", (client) => client.eth_getTransactionByHash(`${privateKey}00`)],
      ["as a number", (client) => client.eth_getBalance(BigInt(privateKey) as unknown as string, "latest")],
      ["as bytes", (client) => client.eth_getBalance(Buffer.from(privateKey.slice(2), "hex") as never, "latest")],
      ["in a call", (client) => client.eth_call({ to: privateKey }, "latest")],
      ["as an unknown member", (client) => client.eth_call({ privateKey } as object, "latest")],
      ["as an unknown key", (client) => client.eth_call({ [privateKey]: 1 } as object, "latest")],
      ["in a block", (client) => client.eth_getBalance(checksummed, { blockHsh: privateKey } as never)],
      ["as a tag", (client) => client.eth_getBalance(checksummed, privateKey.slice(2))],
      ["as an array", (client) => client.eth_getBalance([privateKey] as unknown as string, "latest")],
      ["as the parameters", (client) => client.request({ method: "eth_getBalance", params: privateKey as never })],
      ["as a request", (client) => client.request(privateKey as never)],
      ["in a request", (client) => client.request({ method: "eth_getBalance", [privateKey]: 1 } as never)],
      ["as a batch", (client) => client.batch(privateKey as never)],
    ]

    it.live.each(wrong)("InvalidParams: does not contain a private key that was given %s", ([, call]) =>
      Effect.gen(function* () {
        const server = yield* script(gives(null))
        const client = yield* RpcClient.make({ url: server.url })

        const error = yield* Effect.flip(
          call(client).pipe(Effect.catchDefect((defect) => Effect.fail(defect as never))),
        )

        expect(error._tag).toBe("InvalidParams")
        const texts = [
          error.message,
          inspect(error, { depth: 9, showHidden: true }),
          JSON.stringify(error),
          error.stack,
        ]
        for (const text of texts) {
          expect(String(text).toLowerCase()).not.toContain(privateKey.slice(2, 34))
          expect(String(text)).not.toContain(BigInt(privateKey).toString().slice(0, 20))
        }
        expect(server.seen.length).toBe(0)
      }),
    )
  })

  describe("defaults", () => {
    const to = `0x${"a".repeat(40)}`
    const overrides = { [to]: { balance: "0x1" } }

    it.each([
      ["eth_call", [{ to }], [{ to }, "latest"]],
      ["eth_call", [{ to }, undefined, overrides], [{ to }, "latest", overrides]],
      ["eth_call", [{ to }, 5, undefined, { time: 16 }], [{ to }, "0x5", {}, { time: "0x10" }]],
      ["eth_estimateGas", [{ to }], [{ to }]],
      ["eth_estimateGas", [{ to }, undefined, overrides], [{ to }, "latest", overrides]],
      ["eth_getProof", [to, [0]], [to, ["0x0"], "latest"]],
      ["eth_getStorageValues", [{ [to]: [] }], [{ [to]: [] }, "latest"]],
      ["eth_createAccessList", [{ to }, undefined, overrides], [{ to }, "latest", overrides]],
      [
        "eth_simulateV1",
        [
          {
            blockStateCalls: [{ blockOverrides: { time: 16 }, stateOverrides: overrides, calls: [{ to, value: 1 }] }],
          },
          5,
        ],
        [
          {
            blockStateCalls: [
              { blockOverrides: { time: "0x10" }, stateOverrides: overrides, calls: [{ to, value: "0x1" }] },
            ],
          },
          "0x5",
        ],
      ],
      ["eth_getLogs", [{ fromBlock: 1, address: null }], [{ fromBlock: "0x1", address: null }]],
    ] as const)("defaults: %s of %j is sent as %j", (method, given, wire) => {
      expect(encodeParams(method, given)).toEqual(Result.succeed(wire))
    })
  })

  describe("laws", () => {
    const Unsigned = Schema.BigInt.check(Schema.isBetweenBigInt({ minimum: 0n, maximum: 2n ** 256n - 1n }))
    const Safe = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }))

    it.prop("law: a quantity is sent as the hex of its value, in whichever form it is given", [Unsigned], ([value]) => {
      const hex = `0x${value.toString(16)}`

      for (const given of [value, hex]) {
        expect(encodeParams("eth_call", [{ value: given }, "latest"])).toEqual(
          Result.succeed([{ value: hex }, "latest"]),
        )
      }
    })

    it.prop("law: a number and a bigint of the same value are sent as the same text", [Safe], ([value]) => {
      const encoded = encodeParams("eth_getBlockByNumber", [value])

      expect(encoded).toEqual(encodeParams("eth_getBlockByNumber", [BigInt(value)]))
      expect(encoded).toEqual(Result.succeed([`0x${value.toString(16)}`, false]))
    })

    it.prop("law: withHex leaves JSON without integers unchanged and is idempotent", [Schema.Json], ([json]) => {
      const once = withHex(json, true)

      expect(withHex(json, false)).toEqual(json)
      expect(withHex(once, true)).toEqual(once)
    })

    it.prop(
      "law: encodeParams never throws, whatever it is given",
      [Schema.Literals(Object.values(RpcMethod.all).map(({ name }) => name)), Schema.Array(Schema.Json)],
      ([method, params]) => {
        const encoded = encodeParams(method, params)

        expect(Result.isSuccess(encoded) || encoded.failure._tag === "InvalidParams").toBe(true)
      },
    )
  })
})
