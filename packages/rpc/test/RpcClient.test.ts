/** The client over real sockets: methods, raw requests, provider paths, options, configuration. */
import { describe, expect, it } from "@effect/vitest"
import { Cause, Config, ConfigProvider, Effect, Exit, Layer, Redacted } from "effect"
import * as RecordingTracer from "@daybook/harness/RecordingTracer"
import { RpcClient } from "../src/index.ts"
import { addressOf, gives, refuses, reply, script } from "./server.ts"
import { block, hash, transaction } from "./values.ts"

const quick = { retry: { base: 1, cap: 2 } }

const pathFor = (options: Omit<RpcClient.ProviderOptions, "rpcUrl">, base = "") =>
  Effect.gen(function* () {
    const server = yield* script(gives("0x1"))
    const client = yield* RpcClient.make({ ...options, rpcUrl: `${server.url}${base}` })
    yield* client.eth_chainId()
    return server.seen[0]?.url
  })

describe("RpcClient", () => {
  describe("a method", () => {
    it.live("a method: sends one JSON-RPC request and returns the typed result", () =>
      Effect.gen(function* () {
        const server = yield* script(gives(block()))
        const client = yield* RpcClient.make({ url: server.url })

        const found = yield* client.eth_getBlockByNumber("latest")

        expect(found?.number).toBe(5n)
        expect(found?.transactions).toEqual([hash("c")] as never)
        expect(server.seen[0]?.body).toBe(
          '{"jsonrpc":"2.0","id":1,"method":"eth_getBlockByNumber","params":["latest",false]}',
        )
        expect(server.seen[0]?.headers["content-type"]).toBe("application/json")
        expect(server.seen[0]?.headers.accept).toBe("application/json")
      }),
    )

    it.live("a method: returns hydrated transactions when the flag is true", () =>
      Effect.gen(function* () {
        const server = yield* script(gives(block([transaction()])))
        const client = yield* RpcClient.make({ url: server.url })

        const found = yield* client.eth_getBlockByNumber(5n, true)

        expect(found?.transactions[0]?.value).toBe(10n ** 18n)
        expect(server.seen[0]?.calls[0]?.params).toEqual(["0x5", true])
      }),
    )

    it.live("a method: returns null for a block that does not exist", () =>
      Effect.gen(function* () {
        const server = yield* script(gives(null))
        const client = yield* RpcClient.make({ url: server.url })

        expect(yield* client.eth_getBlockByNumber(9_999_999)).toBe(null)
      }),
    )

    it.live("a method: accepts numbers, bigints, hex, and hashes of any case", () =>
      Effect.gen(function* () {
        const server = yield* script(gives(null))
        const client = yield* RpcClient.make({ url: server.url })

        yield* client.eth_getBlockByNumber(436)
        yield* client.eth_getBlockByNumber("0x01B4")
        yield* client.eth_getTransactionByBlockHashAndIndex(hash("A"), 3)
        yield* client.eth_getTransactionByBlockHashAndIndex(hash("a"), 3n)
        yield* client.eth_getBlockReceipts(7)
        yield* client.eth_getBlockReceipts(hash("B"))

        expect(server.seen.map(({ calls }) => calls[0]?.params)).toEqual([
          ["0x1b4", false],
          ["0x1b4", false],
          [hash("a"), "0x3"],
          [hash("a"), "0x3"],
          ["0x7"],
          [hash("b")],
        ])
      }),
    )

    it.live("a method: uses each id once", () =>
      Effect.gen(function* () {
        const server = yield* script(gives("0x1"))
        const client = yield* RpcClient.make({ url: server.url, batch: false, share: false })

        yield* Effect.all(
          Array.from({ length: 20 }, (_, at) =>
            (at % 2 === 0 ? client : client.with({ timeout: 5_000 })).eth_chainId(),
          ),
          { concurrency: 20 },
        )

        expect(new Set(server.seen.map(({ calls }) => calls[0]?.id)).size).toBe(20)
      }),
    )

    it.live("a method: reports the path of an invalid field in the result", () =>
      Effect.gen(function* () {
        const server = yield* script(gives(block([transaction(), transaction({ hash: "0x12" })])))
        const client = yield* RpcClient.make({ url: server.url, ...quick })

        const error = yield* Effect.flip(client.eth_getBlockByNumber("latest", true))

        expect(error._tag).toBe("InvalidResponse")
        expect(error).toMatchObject({
          path: "result.transactions[1].hash",
          received: '"0x12"',
          expected: "a hash of 32 bytes in hex",
        })
        expect(server.seen.length).toBe(1)
      }),
    )

    it.live("a method: has a span without its URL and its value", () =>
      Effect.gen(function* () {
        const server = yield* script(refuses(-32603, "internal"), gives("0x1"))
        const { spans, tracer } = RecordingTracer.make()
        const client = yield* RpcClient.make({ rpcUrl: server.url, chain: "eth", apiKey: "k3y-secret", ...quick })

        yield* client.eth_chainId().pipe(Effect.withTracer(tracer))

        const [span] = spans
        expect(span?.name).toBe("RpcClient.eth_chainId")
        expect(Object.fromEntries(span?.attributes ?? [])).toEqual({
          "rpc.system": "jsonrpc",
          "rpc.method": "eth_chainId",
          ...addressOf(server.host),
          "daybook.chain": "eth",
          "daybook.attempts": 2,
        })
        expect(span?.status._tag === "Ended" && span.status.exit._tag === "Success" && span.status.exit.value).toEqual(
          undefined,
        )
      }),
    )
  })

  describe("a transaction without an envelope", () => {
    const requested = (body: unknown) =>
      Effect.gen(function* () {
        const server = yield* script(reply(() => body))
        const client = yield* RpcClient.make({ url: server.url, ...quick })
        return yield* Effect.result(client.eth_getTransactionByBlockHashAndIndex(hash("B"), 0))
      })

    it.live("a bare transaction: is accepted when it is the requested one", () =>
      Effect.gen(function* () {
        const outcome = yield* requested(transaction())

        expect(outcome._tag === "Success" && outcome.success?.nonce === 7).toBe(true)
      }),
    )

    it.live("a bare transaction: is rejected when it is another one", () =>
      Effect.gen(function* () {
        const other = yield* requested(transaction({ transactionIndex: "0x1" }))
        const elsewhere = yield* requested(transaction({ blockHash: hash("d") }))

        expect(other._tag === "Failure" && other.failure._tag === "InvalidResponse").toBe(true)
        expect(other).toMatchObject({ failure: { path: "transactionIndex", received: '"0x1"' } })
        expect(elsewhere).toMatchObject({ failure: { path: "blockHash" } })
      }),
    )

    it.live("a bare null: is rejected, because it identifies no call", () =>
      Effect.gen(function* () {
        const outcome = yield* requested(null)

        expect(outcome._tag === "Failure" && outcome.failure._tag === "InvalidResponse").toBe(true)
      }),
    )

    it.live("a bare object: is rejected as the result of another method", () =>
      Effect.gen(function* () {
        const server = yield* script(reply(() => block()))
        const client = yield* RpcClient.make({ url: server.url, ...quick })

        const error = yield* Effect.flip(client.eth_getBlockByNumber("latest"))

        expect(error._tag).toBe("InvalidResponse")
      }),
    )

    it.live("a bare transaction: keeps its text", () =>
      Effect.gen(function* () {
        const text = JSON.stringify(transaction({ extra: 1 }), null, 2).replace('"extra": 1', '"extra": 1.0')
        const server = yield* script(reply(`\n${text}\n`))
        const client = yield* RpcClient.make({ url: server.url })

        const got = yield* client.requestText("eth_getTransactionByBlockHashAndIndex", [hash("b"), "0x0"])

        expect(got).toBe(text)
      }),
    )
  })

  describe("request", () => {
    it.live("request: returns the raw JSON of any method", () =>
      Effect.gen(function* () {
        const server = yield* script(gives({ a: "0x01", b: [1] }))
        const client = yield* RpcClient.make({ url: server.url })

        const result = yield* client.request({ method: "my_method", params: [{ value: 10n }, true] })

        expect(result).toEqual({ a: "0x01", b: [1] })
        expect(server.seen[0]?.calls[0]?.params).toEqual([{ value: "0xa" }, true])
      }),
    )

    it.live("request: rejects parameters that are not JSON", () =>
      Effect.gen(function* () {
        const server = yield* script(gives(null))
        const client = yield* RpcClient.make({ url: server.url })
        const circle: Array<unknown> = []
        circle.push(circle)

        const text = yield* Effect.flip(client.request({ method: "m", params: "latest" as unknown as [] }))
        const loop = yield* Effect.flip(client.request({ method: "m", params: circle }))

        expect(text._tag).toBe("InvalidParams")
        expect(loop._tag).toBe("InvalidParams")
        expect(server.seen.length).toBe(0)
      }),
    )
  })

  describe("requestText", () => {
    it.live("requestText: keeps the spelling of numbers and white space", () =>
      Effect.gen(function* () {
        const result = '{ "a" : 1.0, "b":[12345678901234567890 ], "c":"\\u0041}" }'
        const server = yield* script(reply(([call]) => `{"result": ${result} , "id":${call?.id},"jsonrpc":"2.0"}`))
        const client = yield* RpcClient.make({ url: server.url })

        expect(yield* client.requestText("any_method")).toBe(result)
      }),
    )

    it.live("requestText: fails with the error of the node", () =>
      Effect.gen(function* () {
        const server = yield* script(refuses(3, "execution reverted: no", 200, "0x08c379a0"))
        const client = yield* RpcClient.make({ url: server.url })

        const error = yield* Effect.flip(client.requestText("eth_call", []))

        expect(error._tag === "RpcError" && error.code === 3 && error.data === "0x08c379a0").toBe(true)
        expect(error._tag === "RpcError" && error.kind).toBe("reverted")
        expect(error.message).toBe("execution reverted: no")
      }),
    )
  })

  describe("a provider path", () => {
    it.live.each([
      ["eth", "/eth/k"],
      ["ETH", "/eth/k"],
      ["0x1", "/eth/k"],
      ["polygon amoy", "/amoy/k"],
      ["Optimism-Sepolia", "/optimism%20testnet/k"],
      ["eip155:11155420", "/optimism%20testnet/k"],
      ["gnosis_testnet", "/gnosis%20testnet/k"],
      ["my chain/ä", "/my%20chain%2F%C3%A4/k"],
      ["0xe705", "/0xe705/k"],
    ])("a provider path: the chain %s becomes %s", ([chain = "", path]) =>
      Effect.gen(function* () {
        expect(yield* pathFor({ chain, apiKey: "k" })).toBe(path)
      }),
    )

    it.live("a provider path: writes spaces as hyphens with the option hyphens", () =>
      Effect.gen(function* () {
        expect(yield* pathFor({ chain: "bsc testnet", apiKey: "k", hyphens: true })).toBe("/bsc-testnet/k")
        expect(yield* pathFor({ chain: "my own chain", apiKey: "k", hyphens: true })).toBe("/my-own-chain/k")
      }),
    )

    it.live("a provider path: follows the path of the base URL, with the key encoded", () =>
      Effect.gen(function* () {
        expect(yield* pathFor({ chain: "eth", apiKey: Redacted.make("a/b c") }, "/rpc/")).toBe("/rpc/eth/a%2Fb%20c")
      }),
    )
  })

  describe("make", () => {
    const bad: ReadonlyArray<readonly [string, object]> = [
      ["url", {}],
      ["url", { url: "http://a", rpcUrl: "http://b" }],
      ["url", { url: "ws://a" }],
      ["rpcUrl", { rpcUrl: "nowhere", chain: "eth", apiKey: "k" }],
      ["chain", { rpcUrl: "http://a", apiKey: "k" }],
      ["chain", { rpcUrl: "http://a", chain: " ", apiKey: "k" }],
      ["chain", { rpcUrl: "http://a", chain: "..", apiKey: "k" }],
      ["apiKey", { rpcUrl: "http://a", chain: "eth" }],
      ["apiKey", { rpcUrl: "http://a", chain: "eth", apiKey: "" }],
      ["timeout", { url: "http://a", timeout: "soon" }],
      ["maxBytes", { url: "http://a", maxBytes: 0 }],
      ["retry.base", { url: "http://a", retry: { base: -1 } }],
      ["signal", { url: "http://a", signal: new AbortController().signal }],
    ]

    it.effect.each(bad)("make: rejects an invalid %s: %j", ([option, options]) =>
      Effect.gen(function* () {
        const error = yield* Effect.flip(RpcClient.make(options as RpcClient.Options))

        expect(error._tag).toBe("InvalidOption")
        expect(error.option).toBe(option)
      }),
    )
  })

  describe("with", () => {
    const wrong: ReadonlyArray<readonly [object, string]> = [
      [
        { timout: 5 },
        'Invalid option "timout": expected one of the keys timeout, maxBytes, batch, share, headers, received an unknown key.',
      ],
      [{ signal: new AbortController().signal }, 'Invalid option "signal": expected one of the keys '],
      [{ share: "no" }, 'Invalid option "share": expected a boolean, received "no".'],
      [{ timeout: 0 }, 'Invalid option "timeout": expected a duration above zero'],
    ]

    it.live.each(wrong)("with: ends each call with the defect InvalidOption for %j", ([options, message]) =>
      Effect.gen(function* () {
        const server = yield* script(gives("0x1"))
        const client = yield* RpcClient.make({ url: server.url })

        const exit = yield* Effect.exit(client.with(options).eth_chainId())

        expect(Exit.isFailure(exit) && Cause.hasDies(exit.cause)).toBe(true)
        expect(Exit.isFailure(exit) ? String(Cause.squash(exit.cause)) : "").toContain(message)
        expect(server.seen.length).toBe(0)
      }),
    )
  })

  describe("layerConfig", () => {
    const path = (env: Record<string, string>) =>
      Effect.gen(function* () {
        const server = yield* script(gives("0x1"))
        const call = RpcClient.RpcClient.use((client) => client.eth_chainId())
        const provider = ConfigProvider.layer(
          ConfigProvider.fromUnknown({ ...env, DAYBOOK_RPC_URL: `${server.url}/rpc` }),
        )
        yield* call.pipe(Effect.provide(Layer.provide(RpcClient.layerConfig, provider)))
        return server.seen[0]?.url
      })

    it.live("layerConfig: reads the URL of a node", () =>
      Effect.gen(function* () {
        expect(yield* path({})).toBe("/rpc")
      }),
    )

    it.live("layerConfig: reads the key and the chain of a provider", () =>
      Effect.gen(function* () {
        expect(yield* path({ DAYBOOK_API_KEY: "k", DAYBOOK_CHAIN: "base" })).toBe("/rpc/base/k")
        expect(yield* path({ DAYBOOK_API_KEY: "k" })).toBe("/rpc/eth/k")
      }),
    )

    it.live("layerConfig: rejects a chain without a key, and a missing URL", () =>
      Effect.gen(function* () {
        const noKey = yield* Effect.flip(path({ DAYBOOK_CHAIN: "base" }))
        const empty = ConfigProvider.layer(ConfigProvider.fromUnknown({}))
        const noUrl = yield* Effect.flip(
          Effect.provide(
            RpcClient.RpcClient.use((client) => client.eth_chainId()),
            Layer.provide(RpcClient.layerConfig, empty),
          ),
        )

        expect(noKey._tag).toBe("InvalidOption")
        expect(noUrl).toBeInstanceOf(Config.ConfigError)
      }),
    )

    it.live.each([
      [{ DAYBOOK_RPC_URL: "node" }, "DAYBOOK_RPC_URL"],
      [{ DAYBOOK_RPC_URL: "node", DAYBOOK_API_KEY: "k" }, "DAYBOOK_RPC_URL"],
      [{ DAYBOOK_RPC_URL: "http://host", DAYBOOK_API_KEY: ".." }, "DAYBOOK_API_KEY"],
      [{ DAYBOOK_RPC_URL: "http://host", DAYBOOK_API_KEY: "k", DAYBOOK_CHAIN: " " }, "DAYBOOK_CHAIN"],
    ] as const)("layerConfig: names the invalid variable: %o", ([env, variable]) =>
      Effect.gen(function* () {
        const provider = ConfigProvider.layer(ConfigProvider.fromUnknown(env))

        const error = yield* Effect.flip(
          Effect.provide(RpcClient.RpcClient, Layer.provide(RpcClient.layerConfig, provider)),
        )

        expect(error._tag === "InvalidOption" && error.option).toBe(variable)
        expect(error.message).toContain(`Invalid option "${variable}"`)
      }),
    )
  })

  describe("layer", () => {
    it.live("layer: provides a client that authenticates with the user and password of the URL", () =>
      Effect.gen(function* () {
        const server = yield* script(gives("0x1"))
        const url = server.url.replace("//", "//user:pass%20word@")

        yield* RpcClient.RpcClient.use((client) => client.eth_chainId()).pipe(Effect.provide(RpcClient.layer({ url })))

        expect(server.seen[0]?.headers.authorization).toBe(`Basic ${btoa("user:pass word")}`)
      }),
    )
  })
})
