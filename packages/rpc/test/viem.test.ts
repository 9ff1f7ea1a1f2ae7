/** The transport for viem. */
import { inspect } from "node:util"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { type BaseError, createPublicClient, erc20Abi, parseEventLogs } from "viem"
import { RpcClient } from "../src/index.ts"
import { createRpcClient } from "../src/promise.ts"
import { daybookTransport, type ProviderError, toLogs } from "../src/viem.ts"
import { gives, type Handler, refuses, reply, script } from "./server.ts"

const quick = { retry: { base: 1, cap: 2, maxAttempts: 2 } }

const names = (error: unknown): ReadonlyArray<string> =>
  error instanceof Error ? [error.name, ...names(error.cause)] : []

describe("viem", () => {
  describe("daybookTransport", () => {
    it.live("daybookTransport: answers the calls of viem", () =>
      Effect.gen(function* () {
        const server = yield* script(gives("0x2a"))
        const client = createPublicClient({ transport: daybookTransport({ url: server.url }) })

        expect(yield* Effect.promise(() => client.getChainId())).toBe(42)
      }),
    )

    it.live("daybookTransport: accepts an existing client", () =>
      Effect.gen(function* () {
        const server = yield* script(gives("0x2a"))
        const client = createPublicClient({ transport: daybookTransport(createRpcClient({ url: server.url })) })

        expect(yield* Effect.promise(() => client.getChainId())).toBe(42)
      }),
    )

    it.effect("daybookTransport: rejects an Effect client", () =>
      Effect.gen(function* () {
        const client = yield* RpcClient.make({ url: "http://127.0.0.1:1" })
        const untyped = daybookTransport as (options: unknown) => unknown

        expect(() => untyped(client)).toThrow(
          'Invalid option "client": expected options, or a client of "@daybook/rpc/promise", received an Effect client.',
        )
      }),
    )

    it.each([
      [
        undefined,
        'Invalid option "url": expected "url" with the complete path, or "rpcUrl" with "chain" and "apiKey", received nothing.',
      ],
      [
        null,
        'Invalid option "url": expected "url" with the complete path, or "rpcUrl" with "chain" and "apiKey", received nothing.',
      ],
      ["http://127.0.0.1:8545", 'Invalid option "options": expected an object with url, rpcUrl,'],
      [8545, 'Invalid option "options": expected an object with url, rpcUrl,'],
      [{ url: "http://127.0.0.1:8545", retryCount: 2 }, 'Invalid option "retryCount": expected one of the keys url,'],
      [
        { url: "http://127.0.0.1:8545", batch: { wait: 2 } },
        'Invalid option "batch.wait": expected one of the keys window,',
      ],
    ])("daybookTransport: rejects the options %j", (given, message) => {
      const untyped = daybookTransport as (options: unknown) => unknown

      expect(() => untyped(given)).toThrow(message)
    })

    it("daybookTransport: a timeout is viem's, with the typed error as its cause and without the path of the URL", async () => {
      const fetch = () => new Promise<never>(() => {})
      const url = "http://n.example/a-secret-key"
      const client = createPublicClient({ transport: daybookTransport({ url, fetch, timeout: 5 }) })

      const error = await client.getChainId().then(
        () => undefined,
        (failed: BaseError) => failed,
      )

      expect(names(error)).toEqual(expect.arrayContaining(["TimeoutError", "ProviderError"]))
      expect(inspect(error, { depth: 8 })).not.toContain("secret")
    })

    const cases: ReadonlyArray<readonly [string, Handler, string, number, number]> = [
      ["a revert", refuses(3, "execution reverted", 200, "0x01"), "ProviderError", 3, 1],
      ["an unknown method", refuses(-32601, "method not found"), "MethodNotFoundRpcError", -32601, 1],
      ["invalid parameters", refuses(-32602, "invalid argument"), "InvalidParamsRpcError", -32602, 1],
      ["a rate limit", refuses(-32005, "limit exceeded"), "LimitExceededRpcError", -32005, 2],
      ["a rejected key", reply("", 401), "UnauthorizedProviderError", 4100, 1],
      ["an invalid response", reply("<html>"), "ResourceUnavailableRpcError", -32002, 1],
      [
        "a reset connection",
        (_seen, _response, _number, request) => void request.socket.resetAndDestroy(),
        "HttpRequestError",
        4900,
        2,
      ],
    ]

    it.live.each(cases)(
      "daybookTransport: %s has a code that viem knows, and viem does not retry it",
      ([, handler, name, code, requests]) =>
        Effect.gen(function* () {
          const server = yield* script(handler)
          const client = createPublicClient({ transport: daybookTransport({ url: server.url, ...quick }) })

          const error = yield* Effect.promise(() =>
            client.getChainId().then(
              () => undefined,
              (failed: BaseError) => failed,
            ),
          )
          const own = error?.walk((one) => (one as Error).name === "ProviderError") as ProviderError | undefined

          expect(names(error)).toContain(name)
          expect(own?.code).toBe(code)
          expect(own?.cause instanceof Error && "_tag" in own.cause).toBe(true)
          expect(server.seen.length).toBe(requests)
        }),
    )
  })

  describe("toLogs", () => {
    it.live("toLogs: viem decodes the logs of eth_getLogs, even from nodes that omit optional fields", () =>
      Effect.gen(function* () {
        const topicOf = (digit: string) => `0x${"0".repeat(24)}${digit.repeat(40)}`
        const log = {
          address: `0x${"c".repeat(40)}`,
          topics: ["0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef", topicOf("a"), topicOf("b")],
          data: `0x${"5".padStart(64, "0")}`,
          transactionHash: null,
          transactionIndex: null,
          logIndex: null,
        }
        const server = yield* script(gives([log]))
        const logs = yield* Effect.promise(() => createRpcClient({ url: server.url }).eth_getLogs({}))

        const [event] = parseEventLogs({ abi: erc20Abi, eventName: "Transfer", logs: toLogs(logs) })

        expect(event?.args.value).toBe(5n)
        expect([event?.blockNumber, event?.removed]).toStrictEqual([null, false])
      }),
    )
  })
})
