/**
 * A key is put wherever a caller may put one. Everything that can be printed after a failure, in every style, must not
 * contain it.
 */
import { inspect } from "node:util"
import { describe, expect, it } from "@effect/vitest"
import { Cause, Effect, Exit, Logger, Metric, Redacted, References, Result, Tracer } from "effect"
import { createPublicClient } from "viem"
import { RpcClient } from "../src/index.ts"
import { createRpcClient } from "../src/promise.ts"
import { daybookTransport } from "../src/viem.ts"
import { failure, type Handler, reply, script, success } from "./server.ts"

const canary = "CaNaRy/5f3e+9a1c b7"
const encoded = encodeURIComponent(canary)
const spellings = [
  canary,
  encoded,
  "5f3e+9a1c",
  "5f3e%2B9a1c",
  Buffer.from(`user:${canary}`).toString("base64"),
  JSON.stringify(canary).slice(1, -1),
]

const places: Readonly<Record<string, (url: string) => RpcClient.Options>> = {
  "a provider's key": (url) => ({ rpcUrl: `${url}/rpc`, chain: "eth", apiKey: canary }),
  "a redacted key": (url) => ({ rpcUrl: url, chain: "my chain", apiKey: Redacted.make(canary) }),
  "the path of the URL": (url) => ({ url: `${url}/v3/${encoded}` }),
  "the query of the URL": (url) => ({ url: `${url}/?apikey=${encoded}` }),
  "the path of one URL of several": (url) => ({ url: [`${url}/v3/${encoded}`, { url, headers: { "x-key": canary } }] }),
  "the password of the URL": (url) => ({ url: url.replace("//", `//user:${encoded}@`) }),
  "a header": (url) => ({ url, headers: { "x-api-key": canary } }),
}

/** Everything that the server received, sent back. */
const echoOf = (url: string, headers: unknown): string =>
  `${url} ${decodeURIComponent(url)} ${JSON.stringify(headers)} ${canary} ${encoded}`

const echoes =
  (status: number, body: (id: number | undefined, text: string) => unknown): Handler =>
  (seen, response) => {
    const text = echoOf(seen.url, seen.headers)
    const all = seen.body.startsWith("[")
    const bodies = seen.calls.map((call) => body(call.id, text))
    response.writeHead(status, { "x-request-id": encoded })
    response.end(typeof bodies[0] === "string" ? bodies[0] : JSON.stringify(all ? bodies : bodies[0]))
  }

const failures: Readonly<Record<string, Handler>> = {
  "a node's error": echoes(200, (id, text) => failure(id, 3, `execution reverted: ${text}`, { text, list: [text] })),
  "a failing node": echoes(500, (id, text) => failure(id, -32603, text, text)),
  "a rate limit": echoes(429, (id, text) => failure(id, -32005, text, { text, retry_after: 3600 })),
  "a rate limit in plain text": echoes(200, (_id, text) => ({ error: `too many requests for ${text}` })),
  "a rejected key": echoes(401, (id, text) => failure(id, -32001, text)),
  "a result of another shape": echoes(200, (id, text) => success(id, { [text]: text })),
  "a text result": echoes(200, (id, text) => success(id, text)),
  "another id": echoes(200, (_id, text) => success(text, "0x1")),
  "another version": echoes(200, (id, text) => ({ ...success(id, "0x1"), jsonrpc: text })),
  "a malformed error": echoes(200, (id, text) => ({ jsonrpc: "2.0", id, error: { code: text, message: text } })),
  "the message of a block explorer": echoes(200, (_id, text) => ({ status: "0", message: "NOTOK", result: text })),
  "an HTML page": echoes(200, (_id, text) => `<html>${text}</html>`),
  "plain text": echoes(502, (_id, text) => text),
  "a redirect": (seen, response) => void response.writeHead(307, { location: `http://${seen.url}` }).end(),
  "a reset connection": (_seen, _response, _number, request) => void request.socket.resetAndDestroy(),
  "a stalled body": (_seen, response) => void response.writeHead(200).write(canary),
  "a large response": reply(canary.repeat(2_000)),
}

const expectClean = (texts: ReadonlyArray<string>) => {
  for (const text of texts) for (const spelling of spellings) expect(text).not.toContain(spelling)
}

const texts: (thing: unknown) => ReadonlyArray<string> = (thing) => {
  const stacks =
    thing instanceof Error
      ? [thing.message, thing.stack ?? "", String(thing), ...(thing.cause === undefined ? [] : texts(thing.cause))]
      : []
  const json =
    JSON.stringify(thing, (_name, value: unknown) => (typeof value === "bigint" ? String(value) : value)) ?? ""
  return [...stacks, inspect(thing, { depth: 10, showHidden: true, getters: true }), json]
}

/** Only endless cases have a short time limit: a busy machine may take long for the rest. */
const limitsOf = (failure: string) => ({
  timeout: failure === "a stalled body" ? 150 : 10_000,
  maxBytes: 10_000,
  retry: { base: 1, cap: 1, maxAttempts: 2 },
})

const observed = <A, E>(effect: Effect.Effect<A, E>) =>
  Effect.gen(function* () {
    const seen: Array<string> = []
    const spans: Array<Tracer.Span> = []
    const tracer = Tracer.make({
      span: (options) => {
        const span = new Tracer.NativeSpan(options)
        spans.push(span)
        return span
      },
    })
    const loggers = Logger.layer([
      Logger.make((entry) => {
        seen.push(
          Logger.formatLogFmt.log(entry),
          Logger.formatJson.log(entry),
          ...texts(entry.message),
          Cause.pretty(entry.cause),
        )
      }),
    ])
    const exit = yield* effect.pipe(
      Effect.tapCause((cause) => Effect.logError("The call failed", cause)),
      Effect.exit,
      Effect.withTracer(tracer),
      Effect.provide(loggers),
      Effect.provideService(References.MinimumLogLevel, "All"),
    )
    seen.push(...texts(exit))
    if (Exit.isFailure(exit))
      seen.push(Cause.pretty(exit.cause), ...texts(exit.cause), ...texts(Cause.squash(exit.cause)))
    for (const { id, description, attributes, state } of yield* Metric.snapshot) {
      seen.push(...texts({ id, description, attributes, state }))
    }
    for (const span of spans) {
      // The parents of a span hold the fiber's services, which are not printed by tracers.
      const { name, attributes, status, links } = span
      const linked = links.map(({ attributes: own }) => own)
      seen.push(...texts({ name, attributes: [...attributes], status, linked }))
    }
    return { exit, seen, spans }
  }).pipe(
    Effect.provideServiceEffect(
      Metric.MetricRegistry,
      Effect.sync(() => new Map()),
    ),
  )

const rejected = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    (value) => ({ value }),
    (error: unknown) => error,
  )

/** Paddings that move the key across each position at which texts are cut. */
const longKey = "Qw7Er9Ty2Ui4Op6As8Df1Gh3Jk5Lz0Xc"
const paddings = [...Array.from({ length: 34 }, (_, at) => 70 + at), ...Array.from({ length: 34 }, (_, at) => 170 + at)]

const cutting: Readonly<Record<string, (text: string) => Handler>> = {
  "another id": (text) => reply(() => success(text, "0x1")),
  "a text result": (text) => reply(([call]) => success(call?.id, text)),
  "an object result": (text) => reply(([call]) => success(call?.id, { a: text })),
  "another version": (text) => reply(([call]) => ({ ...success(call?.id, "0x1"), jsonrpc: text })),
  "a malformed error": (text) =>
    reply(([call]) => ({ jsonrpc: "2.0", id: call?.id, error: { code: text, message: "" } })),
  "JSON that is cut off": (text) => reply(`{"jsonrpc":"${text}`),
  "plain text": (text) => reply(text),
  "an HTML page": (text) => reply(`<html>${text}`),
}

/** The texts of a viem error; raw values of the node are not errors and are not searched. */
const viemTexts = (error: unknown): ReadonlyArray<string> =>
  error instanceof Error && error.cause !== undefined ? texts(error) : []

describe("canary", () => {
  for (const [place, options] of Object.entries(places)) {
    describe(`a key in ${place}`, () => {
      it.live.each(Object.entries(failures))(`a key in ${place}: does not appear after %s`, ([name, handler]) =>
        Effect.gen(function* () {
          const limits = limitsOf(name)
          const server = yield* script(handler)
          const client = yield* RpcClient.make({ ...options(server.url), ...limits })
          const { exit, seen, spans } = yield* observed(client.eth_getBlockByNumber("latest", true))
          const promises = createRpcClient({ ...options(server.url), ...limits })
          const viem = createPublicClient({ transport: daybookTransport({ ...options(server.url), ...limits }) })
          const errors = yield* Effect.promise(() =>
            Promise.all([rejected(promises.eth_chainId()), rejected(viem.getBlock()), rejected(viem.getChainId())]),
          )
          const batch = yield* RpcClient.make({ ...options(server.url), ...limits })
          const results = yield* observed(batch.batch([{ method: "eth_chainId" }, { method: "eth_blockNumber" }]))

          expect(spellings.map((one) => JSON.stringify(server.seen).includes(one))).toContain(true)
          expect(Exit.isFailure(exit)).toBe(true)
          expect(results.exit._tag === "Success" && results.exit.value.every((one) => Result.isFailure(one))).toBe(true)
          expect(spans.some((span) => span.name === "RpcClient.eth_getBlockByNumber")).toBe(true)
          expectClean([...seen, ...results.seen, ...texts(client), ...texts(promises), ...texts(viem)])
          expectClean(errors.slice(0, 1).flatMap((error) => texts(error)))
          expectClean(errors.slice(1).flatMap((error) => viemTexts(error)))
        }),
      )
    })
  }

  it.live.each(Object.keys(cutting))(
    "a key: no part of it appears in a message that is truncated inside it: %s",
    (name) =>
      Effect.gen(function* () {
        const handlers = paddings.map((padding) => cutting[name]!(`${"x".repeat(padding)}${longKey} and more`))
        const server = yield* script(...handlers)
        const client = yield* RpcClient.make({ url: `${server.url}/v3/${longKey}`, retry: { maxAttempts: 1 } })
        for (const _ of paddings) {
          const error = yield* Effect.flip(client.eth_chainId())

          for (const text of texts(error)) expect(text).not.toContain(longKey.slice(0, 6))
        }
      }),
  )

  it.live.each(Object.keys(cutting))("a key: the start of one of 8,000 characters does not appear: %s", (name) =>
    Effect.gen(function* () {
      const token = `eyJhbGciOiJIUzI1NiJ9.${"Qw7Er9Ty2Ui4Op6A".repeat(500)}`
      const server = yield* script(cutting[name]!(token))
      const headers = { authorization: `Bearer ${token}` }
      const client = yield* RpcClient.make({ url: server.url, headers, retry: { maxAttempts: 1 } })
      const error = yield* Effect.flip(client.eth_chainId())

      for (const text of texts(error)) expect(text).not.toContain(token.slice(0, 20))
    }),
  )
})
