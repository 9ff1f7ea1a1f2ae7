import { inspect } from "node:util"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { RpcClient } from "../../src/index.ts"
import type { CallError } from "../../src/RpcError.ts"
import { gives, script } from "../server.ts"
import { hash } from "../values.ts"

const checksummed = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8"

const privateKey = "0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80"

describe("params", () => {
  describe("wrong parameters", () => {
    const refused: ReadonlyArray<
      readonly [string, (client: RpcClient.Client) => Effect.Effect<unknown, { _tag: string; message: string }>]
    > = [
      [
        "Parameter 1 of eth_getBlockByNumber is -1; expected a block number, or one of latest, earliest, pending, safe, finalized. Nothing was sent.",
        (client) => client.eth_getBlockByNumber(-1),
      ],
      [
        'Parameter 1 of eth_getBlockByNumber is "newest"; expected a block number, or one of latest, earliest, pending, safe, finalized. Nothing was sent.',
        (client) => client.eth_getBlockByNumber("newest" as "latest"),
      ],
      [
        'Parameter 1 of eth_getBlockByHash is "0x12"; expected a hash of 32 bytes in hex. Nothing was sent.',
        (client) => client.eth_getBlockByHash("0x12"),
      ],
      [
        "Parameter 2 of eth_getTransactionByBlockHashAndIndex is 1.5; expected an unsigned safe integer. Nothing was sent.",
        (client) => client.eth_getTransactionByBlockHashAndIndex(hash("a"), 1.5),
      ],
      [
        'Parameter 2 of eth_getBlockByNumber is "true"; expected a boolean. Nothing was sent.',
        (client) => client.eth_getBlockByNumber("latest", "true" as unknown as true),
      ],
      [
        "The call of eth_getTransactionByBlockHashAndIndex has 1 parameter; expected 2. Nothing was sent.",
        (client) => client.eth_getTransactionByBlockHashAndIndex(...([hash("a")] as unknown as [string, number])),
      ],
      [
        "Parameter 2 of debug_traceBlockByNumber is wrong at .tracr: an unknown key; expected one of the keys tracer, timeout. Nothing was sent.",
        (client) =>
          client.debug_traceBlockByNumber(1, { tracer: "callTracer", tracr: "x" } as { tracer: "callTracer" }),
      ],
      [
        'Parameter 1 of eth_call is wrong at .data: "abcd"; expected hex bytes such as 0xa9059cbb. Nothing was sent.',
        (client) => client.eth_call({ to: checksummed, data: "abcd" as "0x" }, "latest"),
      ],
      [
        "Parameter 1 of eth_call is wrong at .value: -1; expected an unsigned bigint of at most 256 bits. Nothing was sent.",
        (client) => client.eth_call({ to: checksummed, value: -1 }, "latest"),
      ],
      [
        "Parameter 1 of eth_call is wrong at .value: 1000000000000000000 (a number so large is not exact: give a bigint); expected an unsigned bigint of at most 256 bits. Nothing was sent.",
        (client) => client.eth_call({ to: checksummed, value: 1e18 }, "latest"),
      ],
      [
        'Parameter 1 of eth_call is wrong at .value: "0.1"; expected an unsigned bigint of at most 256 bits. Nothing was sent.',
        (client) => client.eth_call({ to: checksummed, value: "0.1" as "0x" }, "latest"),
      ],
      [
        "Parameter 1 of eth_estimateGas is wrong at .gas: null; expected an unsigned bigint of at most 256 bits. Nothing was sent.",
        (client) => client.eth_estimateGas({ from: checksummed, gas: null as unknown as bigint }),
      ],
      [
        'Parameter 1 of eth_getLogs is wrong at .topics[0]: "0x12"; expected a hash of 32 bytes in hex. Nothing was sent.',
        (client) => client.eth_getLogs({ address: checksummed, topics: ["0x12"] }),
      ],
      [
        "Parameter 1 of eth_getBlockByNumber is 1152921504606847000 (a number so large is not exact: give a bigint); expected a block number, or one of latest, earliest, pending, safe, finalized. Nothing was sent.",
        (client) => client.eth_getBlockByNumber(2 ** 60),
      ],
      [
        'The call of eth_getBlockByNumber has 0 parameters; expected 1 to 2: a block, such as "latest". Nothing was sent.',
        (client) => client.eth_getBlockByNumber(...([] as unknown as [number])),
      ],
      [
        "Parameter 3 of eth_feeHistory is wrong at [0]: 500; expected a percentile from 0 to 100. Nothing was sent.",
        (client) => client.eth_feeHistory(4, "latest", [500, -50]),
      ],
    ]

    it.live.each(refused)("%s", ([message, call]) =>
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
    it.live("says that a value contains itself", () =>
      Effect.gen(function* () {
        const loop: Array<unknown> = []
        loop.push(loop)
        const client = yield* RpcClient.make({ url: "http://127.0.0.1:9" })

        const error = yield* Effect.flip(client.request({ method: "any_method", params: loop }))

        expect(error.message).toContain(
          "has parameters that are not JSON: a value that contains itself; expected values",
        )
      }),
    )
  })

  describe("a private key given by mistake", () => {
    const wrong: ReadonlyArray<readonly [string, (client: RpcClient.Client) => Effect.Effect<unknown, CallError>]> = [
      ["as an address", (client) => client.eth_getBalance(privateKey, "latest")],
      ["without 0x", (client) => client.eth_getBalance(privateKey.slice(2), "latest")],
      ["with a byte too many", (client) => client.eth_getTransactionByHash(`${privateKey}00`)],
      ["as a number", (client) => client.eth_getBalance(BigInt(privateKey) as unknown as string, "latest")],
      ["as bytes", (client) => client.eth_getBalance(Buffer.from(privateKey.slice(2), "hex") as never, "latest")],
      ["in a call", (client) => client.eth_call({ to: privateKey }, "latest")],
      ["as a member that is not known", (client) => client.eth_call({ privateKey } as object, "latest")],
      ["as a key that is not known", (client) => client.eth_call({ [privateKey]: 1 } as object, "latest")],
      ["in a block", (client) => client.eth_getBalance(checksummed, { blockHsh: privateKey } as never)],
      ["as a tag", (client) => client.eth_getBalance(checksummed, privateKey.slice(2))],
      ["as a list", (client) => client.eth_getBalance([privateKey] as unknown as string, "latest")],
      ["as the parameters", (client) => client.request({ method: "eth_getBalance", params: privateKey as never })],
      ["as a request", (client) => client.request(privateKey as never)],
      ["in a request", (client) => client.request({ method: "eth_getBalance", [privateKey]: 1 } as never)],
      ["as a batch", (client) => client.batch(privateKey as never)],
    ]

    it.live.each(wrong)("is shown nowhere: %s", ([, call]) =>
      Effect.gen(function* () {
        const server = yield* script(gives(null))
        const client = yield* RpcClient.make({ url: server.url })

        const error = yield* Effect.flip(
          call(client).pipe(Effect.catchDefect((defect) => Effect.fail(defect as never))),
        )

        expect(error._tag).toBe("InvalidParams")
        const told = [error.message, inspect(error, { depth: 9, showHidden: true }), JSON.stringify(error), error.stack]
        for (const text of told) {
          expect(String(text).toLowerCase()).not.toContain(privateKey.slice(2, 34))
          expect(String(text)).not.toContain(BigInt(privateKey).toString().slice(0, 20))
        }
        expect(server.seen.length).toBe(0)
      }),
    )
  })
})
