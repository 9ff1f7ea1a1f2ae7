/** The promise client over real sockets: options, signals, typed rejections. */
import { describe, expect, it } from "@effect/vitest"
import { Cause, Effect, Exit } from "effect"
import { createRpcClient, isRpcError } from "../src/promise.ts"
import * as RpcClient from "../src/RpcClient.ts"
import { failure, gives, type Handler, refuses, replies, reply, script, success } from "./server.ts"
import { block, transaction } from "./values.ts"

const stall: Handler = (_seen, response) => void response.writeHead(200).write("{")

const rejection = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    (value) => expect.unreachable(`expected a rejection, got ${String(value)}`),
    (error: unknown) => error,
  )

const tagOf = (error: unknown): unknown => (error instanceof Error && "_tag" in error ? error._tag : error)

describe("promise", () => {
  describe("createRpcClient", () => {
    it.live("createRpcClient: has each method as a promise", () =>
      Effect.gen(function* () {
        const server = yield* script(gives(block([transaction()])))
        const client = createRpcClient({ url: server.url })

        const found = yield* Effect.promise(() => client.eth_getBlockByNumber("latest", true))

        expect(found?.transactions[0]?.nonce).toBe(7)
        expect(client.host).toBe(server.host)
      }),
    )

    it("createRpcClient, with: the stack of an invalid option names the program's call", () => {
      const makesClient = () => createRpcClient({ url: "node.example" })
      const client = createRpcClient({ url: "http://node.example" })
      const limitsCalls = () => client.with({ timeout: -1 })

      for (const program of [makesClient, limitsCalls]) {
        expect(program).toThrow(
          expect.objectContaining({
            stack: expect.stringMatching(new RegExp(`^InvalidOption: [^\\n]*\\n[^]*${program.name}`)),
          }),
        )
      }
    })

    it("createRpcClient: throws for an invalid option without showing the URL", () => {
      expect(() => createRpcClient({ url: "ftp://secret.example/key" })).toThrow(/^(?!.*secret).*ftp:/)
    })

    it.each([
      [
        undefined,
        'Invalid option "url": expected "url" with the complete path, or "rpcUrl" with "chain" and "apiKey", received nothing.',
      ],
      [
        { url: null },
        'Invalid option "url": expected "url" with the complete path, or "rpcUrl" with "chain" and "apiKey", received nothing.',
      ],
      [{ url: "http://host", retires: 2 }, 'Invalid option "retires": expected one of the keys url, rpcUrl, chain,'],
      [{ url: "http://host", retry: 2 }, 'Invalid option "retry": expected an object with maxAttempts, base,'],
      [
        { url: "http://host", retry: { attempts: 2 } },
        'Invalid option "retry.attempts": expected one of the keys maxAttempts,',
      ],
      [{ url: "http://host", batch: { size: 2 } }, 'Invalid option "batch.size": expected one of the keys window,'],
      [{ url: "http://host", rateLimit: 5 }, 'Invalid option "rateLimit": expected an object with perSecond,'],
      [
        { rpcUrl: "http://host?a=b", chain: 1, apiKey: "key" },
        'Invalid option "rpcUrl": expected a URL such as https://host/path, received a URL with a query.',
      ],
      [
        { url: 8545 },
        'Invalid option "url": expected an http or https URL such as https://host/path, received a number.',
      ],
      [
        { url: [undefined] },
        'Invalid option "url[0]": expected an http or https URL such as https://host/path, received nothing.',
      ],
      [
        { rpcUrl: {}, chain: "eth", apiKey: "key" },
        'Invalid option "rpcUrl": expected a URL such as https://host/path, received an object.',
      ],
      [
        { rpcUrl: "http://host", chain: "eth" },
        'Invalid option "apiKey": expected the API key of the server, as "rpcUrl" requires, received nothing.',
      ],
      ["http://host", 'Invalid option "options": expected an object with url, rpcUrl, chain,'],
      [8545, 'Invalid option "options": expected an object with url, rpcUrl, chain,'],
      [
        null,
        'Invalid option "url": expected "url" with the complete path, or "rpcUrl" with "chain" and "apiKey", received nothing.',
      ],
      [
        { url: "http://host", apiKey: "key-1" },
        'Invalid option "url": expected "url" with the complete path, or "rpcUrl" with "chain" and "apiKey", received "url" and "apiKey".',
      ],
      [
        { url: "http://host", chain: "eth" },
        'Invalid option "url": expected "url" with the complete path, or "rpcUrl" with "chain" and "apiKey", received "url" and "chain".',
      ],
      [
        { url: "http://host", headers: { "a b": "key-1" } },
        'Invalid option "headers.a b": expected a header name of letters, digits and hyphens',
      ],
      [
        { url: "http://host", headers: { "Content-Length": "5" } },
        'Invalid option "headers.Content-Length": expected a header that a client may set',
      ],
      [
        { url: "http://host", headers: { a: "key-1\n" } },
        'Invalid option "headers.a": expected a value of Latin-1 characters on one line',
      ],
      [
        { rpcUrl: "http://host", chain: "eip155:abc", apiKey: "key-1" },
        'Invalid option "chain": expected a name such as "polygon amoy", an identifier such as "0x13882" or a number such as 80002, received "eip155:" without a number after it.',
      ],
      [{ url: "http://host", ["f".repeat(64)]: 1 }, 'Invalid option "ffffffffff…": expected one of the keys '],
      [{ url: "http://host", signal: 5 }, 'Invalid option "signal": expected an AbortSignal, received 5.'],
      [{ url: "http://host", timeout: null }, 'Invalid option "timeout": expected a duration above zero'],
      [{ url: "http://host", share: "no" }, 'Invalid option "share": expected a boolean, received "no".'],
      [
        { url: "http://host", maxItemBytes: "1 MB" },
        'Invalid option "maxItemBytes": expected a whole number above 0, received "1 MB"',
      ],
      [{ url: "http://host", fetch: {} }, 'Invalid option "fetch": expected a function, received an object.'],
      [
        { url: "http://host", headers: new Headers() },
        'Invalid option "headers": expected a plain object, received a Headers object.',
      ],
      [
        { url: "http://host", headers: { "x-a": 5 } },
        'Invalid option "headers.x-a": expected a string, received a number.',
      ],
      [
        { url: "http://host", retry: { jitter: "0.5" } },
        'Invalid option "retry.jitter": expected a number from 0 to 1, received "0.5"',
      ],
      [{ url: "http://host", retry: null }, 'Invalid option "retry": expected an object with maxAttempts, base,'],
      [
        { url: "http://host", batch: "no" },
        'Invalid option "batch": expected a boolean or an object with window, maxCalls,',
      ],
      [
        { url: "http://host", batch: null },
        'Invalid option "batch": expected a boolean or an object with window, maxCalls,',
      ],
      [
        { url: "http://host", batch: { window: "x" } },
        'Invalid option "batch.window": expected a duration in milliseconds',
      ],
      [
        { url: "http://host", batch: { window: "1 minute" } },
        'Invalid option "batch.window": expected a duration of at most 10',
      ],
      [
        { url: "http://host", batch: { maxCalls: 0 } },
        'Invalid option "batch.maxCalls": expected a whole number above 0, received 0.',
      ],
      [
        { url: "http://host", rateLimit: {} },
        'Invalid option "rateLimit.perSecond": expected a number above 0, received nothing.',
      ],
      [
        { url: "http://host", rateLimit: { perSecond: 0 } },
        'Invalid option "rateLimit.perSecond": expected a number above 0, received 0',
      ],
      [
        { url: "http://host", rateLimit: { perSecond: 1, units: { eth_call: "2" } } },
        'Invalid option "rateLimit.units.eth_call": expected a number of at least 0, received "2".',
      ],
      [
        { url: ["http://host", { url: "http://host", header: {} }] },
        'Invalid option "url[1].header": expected one of the keys url, headers, received an unknown key.',
      ],
      [
        { url: [{ headers: {} }] },
        'Invalid option "url[0].url": expected an http or https URL such as https://host/path, received nothing.',
      ],
      [
        { rpcUrl: "http://host", chain: "eth", apiKey: "k", hyphens: 1 },
        'Invalid option "hyphens": expected a boolean, received 1',
      ],
    ])("createRpcClient: names the invalid option of %j", (given, message) => {
      const untyped = createRpcClient as (options: unknown) => unknown

      expect(() => untyped(given)).toThrow(message)
    })

    it("createRpcClient: lists the signal among the known options", () => {
      const untyped = createRpcClient as (options: unknown) => unknown

      expect(() => untyped({ url: "http://host", sginal: 1 })).toThrow(
        /"sginal": expected one of the keys .*, signal, received/,
      )
    })

    const invalidCalls: ReadonlyArray<readonly [unknown, string]> = [
      [
        { timout: 5 },
        'Invalid option "timout": expected one of the keys timeout, maxBytes, batch, share, headers, signal, received an unknown key.',
      ],
      [{ timeout: "soon" }, 'Invalid option "timeout": expected a duration above zero'],
      [{ maxBytes: -1 }, 'Invalid option "maxBytes": expected a whole number above 0, received -1.'],
      [{ batch: { maxCalls: 2 } }, 'Invalid option "batch": expected a boolean, received an object.'],
      [{ share: 0 }, 'Invalid option "share": expected a boolean, received 0.'],
      [{ signal: new AbortController() }, 'Invalid option "signal": expected an AbortSignal, received an object.'],
      [
        5000,
        'Invalid option "options": expected an object with timeout, maxBytes, batch, share, headers, signal, received a number.',
      ],
    ]
    it.live.each(invalidCalls)("with, request: reject the options %j before a call is made", ([given, message]) =>
      Effect.gen(function* () {
        const server = yield* script(gives("0x1"))
        const client = createRpcClient({ url: server.url })
        const untyped = client.with as (options: unknown) => unknown
        const request = client.request as (call: object, options: unknown) => Promise<unknown>

        expect(() => untyped(given)).toThrow(message)
        const error = yield* Effect.promise(() => rejection(request({ method: "eth_chainId" }, given)))
        expect(tagOf(error)).toBe("InvalidOption")
        expect(String(error)).toContain(message)
        expect(server.seen.length).toBe(0)
      }),
    )

    it.live.each([undefined, {}])("with: accepts %s", (given) =>
      Effect.gen(function* () {
        const server = yield* script(gives("0x1"))
        const client = createRpcClient({ url: server.url })
        const untyped = client.with as (options: unknown) => typeof client

        expect(yield* Effect.promise(() => untyped(given).eth_chainId())).toBe(1n)
      }),
    )

    it.live("with: rejects null", () =>
      Effect.gen(function* () {
        const client = createRpcClient({ url: "http://host" })
        const effects = RpcClient.makeUnsafe({ url: "http://host" })
        const message = 'Invalid option "options": expected an object with timeout, maxBytes, batch, share'

        expect(() => client.with(null as never)).toThrow(message)
        const exit = yield* Effect.exit(effects.with(null as never).eth_chainId())
        expect(Exit.isFailure(exit) ? String(Cause.squash(exit.cause)) : "").toContain(message)
      }),
    )

    it.live("createRpcClient: accepts a chain id as number or bigint", () =>
      Effect.gen(function* () {
        const server = yield* script(gives("0x1"))
        for (const [chain, segment] of [
          [1, "eth"],
          [11_155_420n, "optimism%20testnet"],
          [424_242, "0x67932"],
        ] as const) {
          yield* Effect.promise(() => createRpcClient({ rpcUrl: server.url, chain, apiKey: "key-1" }).eth_chainId())
          expect(server.seen.at(-1)?.url).toBe(`/${segment}/key-1`)
        }
      }),
    )

    it.each(["chain", "apiKey"])("createRpcClient: rejects an unpaired surrogate in %s", (option) => {
      const options = { rpcUrl: "http://host", chain: "eth", apiKey: "key-1", [option]: "abc\ud800def" }

      expect(() => createRpcClient(options)).toThrow(
        new RegExp(`^Invalid option "${option}": expected .*, received an unpaired surrogate\\.$`),
      )
    })

    it.each([-1, 1.5, Number.NaN, null, {}])("createRpcClient: rejects %s as a chain", (chain) => {
      const untyped = createRpcClient as (options: unknown) => unknown

      expect(() => untyped({ rpcUrl: "http://host", chain, apiKey: "key-1" })).toThrow(
        /Invalid option "chain": .* a number such as 80002/,
      )
    })

    it.live.each([
      [404, "<html><body>Not Found</body></html>"],
      [404, `{"message":"no such route"}`],
      [404, "no such route"],
      [405, "<html>Method Not Allowed</html>"],
      [404, ""],
    ] as const)("a response: status %i with %s advises to check the RPC URL", ([status, body]) =>
      Effect.gen(function* () {
        const server = yield* script(reply(body, status))
        const client = createRpcClient({
          rpcUrl: server.url,
          chain: 1,
          apiKey: "s3cret-key",
          retry: { maxAttempts: 1 },
        })

        const error = yield* Effect.promise(() => rejection(client.eth_chainId()))

        expect(tagOf(error)).toBe("InvalidResponse")
        expect(String(error)).toMatch(/Check the RPC URL: calls go to \{rpcUrl\}\/<chain>\/<apiKey>/)
        expect(String(error)).not.toContain("s3cret-key")
      }),
    )

    it.live.each(["eth_chainId", undefined, null, {}, { method: "" }])(
      "request: rejects %j before a call is made",
      (given) =>
        Effect.gen(function* () {
          const server = yield* script(gives("0x1"))
          const { request } = createRpcClient({ url: server.url })

          const error = yield* Effect.promise(() => rejection((request as (given: unknown) => Promise<unknown>)(given)))

          expect(tagOf(error)).toBe("InvalidParams")
          expect(String(error)).toContain(`expected an object such as { method: "eth_chainId", params: [] }`)
          expect(server.seen.length).toBe(0)
        }),
    )

    it.live("request: rejects misspelled params, and accepts members that wallets add", () =>
      Effect.gen(function* () {
        const server = yield* script(gives("0x1"))
        const client = createRpcClient({ url: server.url })
        const misspelled = { method: "eth_getBalance", parms: [] }

        const error = yield* Effect.promise(() => rejection(client.request(misspelled)))
        // @ts-expect-error a misspelled member does not compile
        const [first] = yield* Effect.promise(() => client.batch([{ method: "eth_chainId", parms: [] }]))

        const reason =
          'expected an object such as { method: "eth_chainId", params: [] }, received the unknown key parms.'
        expect(String(error)).toContain(`Invalid request: ${reason}`)
        expect(first.status === "rejected" ? String(first.reason) : "").toContain(
          `Invalid call of a batch "[0]": ${reason}`,
        )
        const envelope = { jsonrpc: "2.0", id: 9, method: "eth_chainId" }
        expect(yield* Effect.promise(() => client.request(envelope))).toBe("0x1")
        const added = { method: "eth_chainId", params: [], topic: "a wallet's own" }
        expect(yield* Effect.promise(() => client.request(added))).toBe("0x1")
        expect(server.seen.length).toBe(2)
      }),
    )

    it.live.each([undefined, null, "", 5])("requestText: rejects the method %j before a call is made", (given) =>
      Effect.gen(function* () {
        const server = yield* script(gives("0x1"))
        const { requestText } = createRpcClient({ url: server.url })

        const error = yield* Effect.promise(() =>
          rejection((requestText as (given: unknown) => Promise<string>)(given)),
        )

        expect(tagOf(error)).toBe("InvalidParams")
        expect(String(error)).toContain(`Invalid method: expected a method name such as "eth_chainId", received`)
        expect(server.seen.length).toBe(0)
      }),
    )

    it.live("a method: names the missing parameters", () =>
      Effect.gen(function* () {
        const client = createRpcClient({ url: "http://127.0.0.1:1" })
        const getStorageAt = client.eth_getStorageAt as (...params: ReadonlyArray<unknown>) => Promise<unknown>

        const error = yield* Effect.promise(() => rejection(getStorageAt(`0x${"00".repeat(20)}`)))

        expect(String(error)).toContain(
          `Invalid parameters of eth_getStorageAt: expected 2 to 3 parameters: address, slot, block such as "latest", received 1.`,
        )
      }),
    )

    it.live("isRpcError: recognises the errors of calls by their tags, and nothing else", () =>
      Effect.gen(function* () {
        const client = createRpcClient({ url: "http://127.0.0.1:1", retry: { maxAttempts: 1 } })
        const error = yield* Effect.promise(() => rejection(client.eth_chainId()))

        expect(isRpcError(error)).toBe(true)
        expect([new Error("other"), { _tag: "RpcError" }, null].some(isRpcError)).toBe(false)
      }),
    )

    it.live("a method: requests the latest block if the caller names none", () =>
      Effect.gen(function* () {
        const server = yield* script(replies((calls) => calls.map(({ id }) => success(id, "0x2a"))))
        const client = createRpcClient({ url: server.url, batch: false })

        expect(yield* Effect.promise(() => client.eth_getBalance(`0x${"11".repeat(20)}`))).toBe(42n)
        expect(server.seen[0]?.calls[0]?.params).toEqual([`0x${"11".repeat(20)}`, "latest"])
      }),
    )

    it("createRpcClient: accepts URL objects", () => {
      expect(createRpcClient({ url: new URL("http://host/a") }).host).toBe("host")
      expect(createRpcClient({ url: [new URL("http://host/a"), "http://other"] }).host).toBe("host")
    })

    it.live("a method: rejects with the typed error itself", () =>
      Effect.gen(function* () {
        const server = yield* script(refuses(3, "execution reverted", 200, "0x01"))
        const client = createRpcClient({ url: server.url })

        const error = yield* Effect.promise(() => rejection(client.eth_chainId()))
        const wrong = yield* Effect.promise(() => rejection(client.eth_getBlockByHash("0x1")))

        expect(error instanceof Error && error.message === "execution reverted").toBe(true)
        expect(tagOf(error)).toBe("RpcError")
        expect(tagOf(wrong)).toBe("InvalidParams")
      }),
    )

    it.live("request, requestText: return raw JSON and its text", () =>
      Effect.gen(function* () {
        const server = yield* script(reply(([call]) => `{"jsonrpc":"2.0","id":${call?.id},"result":[ 1.0 ]}`))
        const client = createRpcClient({ url: server.url })

        expect(yield* Effect.promise(() => client.request({ method: "x", params: [] }))).toEqual([1])
        expect(yield* Effect.promise(() => client.requestText("x"))).toBe("[ 1.0 ]")
      }),
    )

    it.live("batch: settles each call", () =>
      Effect.gen(function* () {
        const server = yield* script(reply(([one, two]) => [failure(two?.id, 3, "reverted"), success(one?.id, "0x2")]))
        const client = createRpcClient({ url: server.url })

        const [id, number] = yield* Effect.promise(() =>
          client.batch([{ method: "eth_chainId" }, { method: "eth_blockNumber" }]),
        )

        expect(id).toEqual({ status: "fulfilled", value: 2n })
        expect(number.status === "rejected" && tagOf(number.reason)).toBe("RpcError")
      }),
    )

    it("request: is an async function, by which web3 recognises an EIP-1193 provider", () => {
      const { request } = createRpcClient({ url: "http://127.0.0.1:1" })

      expect(request.constructor.name).toBe("AsyncFunction")
    })

    it.live("request: accepts options per call", () =>
      Effect.gen(function* () {
        const server = yield* script(stall)
        const client = createRpcClient({ url: server.url })

        const error = yield* Effect.promise(() => rejection(client.request({ method: "x" }, { timeout: 50 })))

        expect(tagOf(error)).toBe("TimeoutError")
      }),
    )
  })
})
