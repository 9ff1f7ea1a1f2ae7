/** Results as bytes: what is parsed, what is scanned, and what is held in the meantime. */
import { describe, expect, it } from "@effect/vitest"
import type { Fetch } from "@daybook/transport/Fetch"
import { Effect, Fiber, Schema } from "effect"
import { TestClock } from "effect/testing"
import { RequestBytes, RpcClient } from "../src/index.ts"

const mebibyte = 1024 * 1024
/** Bytes of a response that is parsed as a whole. */
const largeBytes = mebibyte / 4

const bytesOf = (text: string) => new TextEncoder().encode(text)
const textOf = (bytes: Uint8Array) => new TextDecoder().decode(bytes)

const cut = (body: Uint8Array | string, size: number): ReadonlyArray<Uint8Array> => {
  const bytes = typeof body === "string" ? bytesOf(body) : body
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) => bytes.subarray(at * size, (at + 1) * size))
}

interface NodeResponse {
  readonly chunks: ReadonlyArray<Uint8Array | undefined>
  readonly status?: number
  /** Awaited before each chunk. */
  readonly gate?: Promise<unknown>
}

const deferred = () => {
  let resolve = () => {}
  const promise = new Promise<void>((done) => (resolve = done))
  return { promise, resolve: () => resolve() }
}

/** A node that sends chunks to each request. */
const makeNode = (sent: NodeResponse) => {
  const seen = { requests: 0, read: 0 }
  const fetch: Fetch = async (_url, { signal }) => {
    seen.requests++
    const rest = [...sent.chunks]
    const aborted = new Promise<never>((_, reject) =>
      signal.addEventListener("abort", () => reject(signal.reason as Error)),
    )
    aborted.catch(() => undefined)
    const read = async () => {
      await Promise.race([sent.gate, aborted])
      if (rest.length === 0) return { done: true }
      seen.read++
      return { done: false, value: rest.shift() }
    }
    const body = { getReader: () => ({ read, cancel: async () => undefined }) }
    return { status: sent.status ?? 200, headers: new Map([["content-type", "application/json"]]), body }
  }
  return { fetch, seen }
}

const makeClient = (fetch: Fetch, options: object = {}) =>
  RpcClient.make({ url: "http://n.example", fetch, retry: { maxAttempts: 1 }, ...options })

const request = Effect.fnUntraced(function* (
  sent: NodeResponse,
  options: object = {},
  sharing: Partial<RequestBytes.Sharing> = {},
) {
  const client = yield* makeClient(makeNode(sent).fetch, options)
  return yield* RequestBytes.requestBytes(client, "debug_traceBlock", [], sharing)
})

const envelope = (text: string) => `{"jsonrpc":"2.0","id":1,"result": ${text} }`
const result = (bytes: number) => `["${"x".repeat(bytes)}",[[1]]]`

describe("requestBytes", () => {
  it.effect("requestBytes: returns a small result unchanged with its depth, and checks that it is JSON", () =>
    Effect.gen(function* () {
      const small = yield* request({ chunks: cut(envelope('{ "a": [1.0, "\\u00e9é"] }'), 7) })
      expect([textOf(small.result), small.depth]).toEqual(['{ "a": [1.0, "\\u00e9é"] }', 2])

      const error = yield* Effect.flip(request({ chunks: [bytesOf(envelope("[1,,2]"))] }))
      expect(error).toMatchObject({ _tag: "InvalidResponse", reason: "content", path: "body" })
    }),
  )

  it.live("requestBytes: returns a large result unchanged with its depth", () =>
    Effect.gen(function* () {
      for (const size of [largeBytes, mebibyte, 3 * mebibyte]) {
        const large = yield* request({ chunks: [undefined, ...cut(envelope(result(size)), 100_000)] })
        expect(textOf(large.result) === result(size)).toBe(true)
        expect(large.depth).toBe(3)
      }
    }),
  )

  it.live.prop(
    "requestBytes: returns what JSON.stringify wrote, with escapes, spaces and multi-byte characters, however it is split",
    {
      value: Schema.Json,
      indent: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 3 })),
      size: Schema.Int.check(Schema.isBetween({ minimum: 1_000, maximum: 70_000 })),
    },
    ({ indent, size, value }) =>
      Effect.gen(function* () {
        const text = JSON.stringify([value, 'é𝄞\\"]'.repeat(26_000), value], null, indent)
        const { result: bytes } = yield* request({ chunks: cut(`{"result":${text},"jsonrpc":"2.0", "id":1}`, size) })

        expect(textOf(bytes) === text).toBe(true)
      }),
    { arbitrary: { runs: 10 } },
  )

  it.live("requestBytes: finds the member by its name, and uses the last one", () =>
    Effect.gen(function* () {
      const large = result(mebibyte)
      const inside = `{"result":${large},"id":1}`
      for (const [body, expected] of [
        [`{"id":1,"jsonrpc":"2.0","re\\u0073ult":${large}}`, large],
        [`{"result":[1],"id":1,"jsonrpc":"2.0","result":${inside}}`, inside],
        [`{"x":{"result":1},"id":1,"jsonrpc":"2.0","result":${large},"y":["result"]}`, large],
      ] as const) {
        for (const size of [9, 100_000]) {
          const chunks = [...cut(body.slice(0, 90), size), ...cut(body.slice(90), 100_000)]
          const { result: bytes } = yield* request({ chunks })
          expect(textOf(bytes) === expected).toBe(true)
        }
      }
    }),
  )

  it.live(
    "requestBytes: rejects a large response that is truncated, not UTF-8, not an object, or large beside its result",
    () =>
      Effect.gen(function* () {
        const whole = envelope(result(mebibyte))
        const broken = bytesOf(whole)
        broken[400_000] = 0xff
        const many = '"k":1,'.repeat(largeBytes)
        for (const body of [
          whole.slice(0, -1),
          whole.slice(0, -20),
          broken,
          `[${whole}]`,
          `${whole}{}`,
          `{${many}"jsonrpc":"2.0","id":1}`,
          `{${many}"jsonrpc":"2.0","id":1,"result":1}`,
          `{"jsonrpc":"2.0","id":1,"result":${result(mebibyte)},"result"}`,
          `{"jsonrpc":"2.0","id":2,"result":${result(mebibyte)}}`,
          `{"jsonrpc":"2.0","id":1,"error":{"code":3,"message":"m"},"result":${result(mebibyte)}}`,
          `<${"x".repeat(mebibyte)}`,
        ]) {
          expect(yield* Effect.flip(request({ chunks: cut(body, 100_000) }))).toMatchObject({
            _tag: "InvalidResponse",
            reason: "content",
          })
        }
      }),
  )

  it.live("requestBytes: reports a node's error, and one that is too large by its size", () =>
    Effect.gen(function* () {
      const error = (data: string) =>
        bytesOf(`{"jsonrpc":"2.0","id":1,"error":{"code":3,"message":"m","data":${data}}}`)

      expect(yield* Effect.flip(request({ chunks: [error('"0x"')] }))).toMatchObject({ _tag: "RpcError", code: 3 })
      expect(yield* Effect.flip(request({ chunks: [error(result(mebibyte))] }))).toMatchObject({
        _tag: "InvalidResponse",
        reason: "too-large",
        received: "more than 262144 bytes",
      })
      const tooMany = { chunks: [bytesOf("slow down")], status: 429 }
      expect(yield* Effect.flip(request(tooMany))).toMatchObject({ _tag: "RateLimited" })
    }),
  )

  it.live("requestBytes: stops reading at the client's limit", () =>
    Effect.gen(function* () {
      const { fetch, seen } = makeNode({ chunks: Array.from({ length: 50 }, () => new Uint8Array(mebibyte / 2)) })
      const client = yield* makeClient(fetch, { maxBytes: 4 * mebibyte })
      const error = yield* Effect.flip(RequestBytes.requestBytes(client, "debug_traceBlock"))

      expect(error).toMatchObject({ reason: "too-large", received: `more than ${4 * mebibyte} bytes` })
      expect(seen.read).toBe(9)
    }),
  )

  it.live("requestBytes: scans and copies a large response in steps, each of which the caller runs", () =>
    Effect.gen(function* () {
      let [steps, depth, deepest] = [0, 0, 0]
      const inTurn: RequestBytes.Sharing["inTurn"] = (step) => {
        steps++
        deepest = Math.max(deepest, ++depth)
        setImmediate(step)
        depth--
      }
      yield* request({ chunks: [bytesOf(envelope(result(mebibyte)))] }, {}, { inTurn })

      expect(deepest).toBe(1)
      // The response is processed, 33 slices of 32 KiB are scanned and checked, and one chunk is copied.
      expect(steps).toBe(1 + 33 + 33 + 1)
    }),
  )

  it.live("requestBytes: processes a response in a step of the caller, and parses a small one in another", () =>
    Effect.gen(function* () {
      const log: Array<string> = []
      const inTurn: RequestBytes.Sharing["inTurn"] = (step) => {
        setImmediate(() => {
          log.push("step")
          step()
        })
      }
      const { fetch } = makeNode({ chunks: [bytesOf(envelope('"0x1"'))] })
      const logging: Fetch = async (url, init) => {
        const { body, headers, status } = await fetch(url, init)
        const getReader = () => (log.push("body"), body!.getReader())
        return {
          get status() {
            return (log.push("status"), status)
          },
          headers,
          body: { getReader },
        }
      }
      const client = yield* makeClient(logging)
      yield* Effect.tap(RequestBytes.requestBytes(client, "eth_gasPrice", [], { inTurn }), () =>
        Effect.sync(() => log.push("result")),
      )

      expect(log).toEqual(["step", "status", "body", "step", "result"])
    }),
  )

  it.live("requestBytes: counts the memory of a large response until its result is read, or its call has failed", () =>
    Effect.gen(function* () {
      const log: Array<number | string> = []
      let bytes = 0
      const hold = () => ({
        add: async (more: number) => void (bytes += more),
        release: () => void log.push(`released ${bytes}`),
      })
      const whole = bytesOf(envelope(result(mebibyte)))
      yield* request({ chunks: cut(whole, 100_000) }, {}, { hold })
      // The colon before the result, and the space around it, are copied with it.
      expect(log).toEqual([`released ${whole.length + result(mebibyte).length + 3}`])

      bytes = 0
      yield* Effect.flip(request({ chunks: cut(whole, 100_000) }, { maxBytes: largeBytes * 2 }, { hold }))
      expect(log).toHaveLength(2)
      expect(bytes).toBeLessThanOrEqual(largeBytes * 2)
    }),
  )

  it.live("requestBytes: identical calls share a request, except those whose result is decoded as a value", () =>
    Effect.gen(function* () {
      const gate = deferred()
      const { fetch, seen } = makeNode({
        chunks: [bytesOf('{"jsonrpc":"2.0","id":1,"result":"0x1"}')],
        gate: gate.promise,
      })
      const client = yield* makeClient(fetch, { batch: false })
      const call = RequestBytes.requestBytes(client, "eth_gasPrice", [])
      const both = yield* Effect.forkChild(Effect.all([call, call], { concurrency: 2 }), { startImmediately: true })
      const value = yield* Effect.forkChild(Effect.result(client.eth_gasPrice()), { startImmediately: true })
      expect(seen.requests).toBe(2)
      gate.resolve()

      expect((yield* Fiber.join(both)).map((one) => textOf(one.result))).toEqual(['"0x1"', '"0x1"'])
      yield* Fiber.interrupt(value)
    }),
  )

  it.live("requestBytes: identical calls that share a request continue in separate steps, even if it has failed", () =>
    Effect.gen(function* () {
      const { fetch } = makeNode({ chunks: [bytesOf(envelope('"0x1"'))] })
      const cases: ReadonlyArray<readonly [fetch: Fetch, log: ReadonlyArray<string>]> = [
        [fetch, ["step of a", "step of a", "Success of a", "step of b", "Success of b", "step of c", "Success of c"]],
        [
          () => Promise.reject(new Error("no connection")),
          ["Failure of a", "step of b", "Failure of b", "step of c", "Failure of c"],
        ],
      ]
      for (const [fetch, expected] of cases) {
        const client = yield* makeClient(fetch)
        const log: Array<string> = []
        const call = (name: string) => {
          const inTurn: RequestBytes.Sharing["inTurn"] = (step) => {
            setImmediate(() => {
              log.push(`step of ${name}`)
              step()
            })
          }
          const called = Effect.exit(RequestBytes.requestBytes(client, "eth_gasPrice", [], { inTurn }))
          return Effect.map(called, ({ _tag }) => log.push(`${_tag} of ${name}`))
        }
        yield* Effect.all([call("a"), call("b"), call("c")], { concurrency: 3 })

        expect(log).toEqual(expected)
      }
    }),
  )

  it.live("requestBytes: among identical calls, only the one whose step cannot run fails", () =>
    Effect.gen(function* () {
      const { fetch } = makeNode({ chunks: [bytesOf(envelope('"0x1"'))] })
      const client = yield* makeClient(fetch)
      const run: RequestBytes.Sharing["inTurn"] = (step) => void setImmediate(step)
      const refuse: RequestBytes.Sharing["inTurn"] = () => {
        throw new Error("no turn")
      }
      const calls = [run, refuse, run].map((inTurn) =>
        Effect.exit(RequestBytes.requestBytes(client, "eth_gasPrice", [], { inTurn })),
      )
      const exits = yield* Effect.all(calls, { concurrency: 3 })

      expect(exits.map(({ _tag }) => _tag)).toEqual(["Success", "Failure", "Success"])
      expect(JSON.stringify(exits[1])).toContain("Die")
    }),
  )

  it.effect("requestBytes: a response that gets no turn until the deadline was received, but is not complete", () =>
    Effect.gen(function* () {
      const waiting = deferred()
      const client = yield* makeClient(makeNode({ chunks: [bytesOf(envelope('"0x1"'))] }).fetch, { timeout: 5_000 })
      const asked = RequestBytes.requestBytes(client, "eth_gasPrice", [], { inTurn: waiting.resolve })
      const call = yield* Effect.forkChild(Effect.flip(asked), { startImmediately: true })
      yield* Effect.promise(() => waiting.promise)
      yield* TestClock.adjust(5_000)

      expect(yield* Fiber.join(call)).toMatchObject({
        _tag: "TimeoutError",
        phase: "body",
        message: "Request to n.example timed out: no complete response within 5s. Allow more time or try again later.",
        attempts: [{ outcome: "TimeoutError body", durationMillis: 5_000 }],
      })
    }),
  )

  it.effect("requestBytes: the deadline of a call ends its wait for a turn that follows an identical call", () =>
    Effect.gen(function* () {
      const waiting = deferred()
      const late: Array<() => void> = []
      const client = yield* makeClient(makeNode({ chunks: [bytesOf(envelope('"0x1"'))] }).fetch, { timeout: 5_000 })
      const withhold: RequestBytes.Sharing["inTurn"] = (step) => {
        late.push(step)
        waiting.resolve()
      }
      const turns: ReadonlyArray<RequestBytes.Sharing["inTurn"]> = [(step) => step(), withhold]
      const calls = yield* Effect.forEach(turns, (inTurn) =>
        Effect.forkChild(Effect.result(RequestBytes.requestBytes(client, "eth_gasPrice", [], { inTurn })), {
          startImmediately: true,
        }),
      )
      yield* Effect.promise(() => waiting.promise)
      yield* TestClock.adjust(5_000)
      const outcomes = yield* Effect.forEach(calls, Fiber.join)
      for (const step of late) step()

      expect(outcomes).toMatchObject([
        { _tag: "Success" },
        { _tag: "Failure", failure: { _tag: "TimeoutError", phase: "body", attempts: [{ durationMillis: 5_000 }] } },
      ])
    }),
  )

  it.live("requestBytes: a call that is interrupted while it is scanned releases its memory", () =>
    Effect.gen(function* () {
      const released = deferred()
      const waiting = deferred()
      const hold = () => ({
        add: (_: number, signal: AbortSignal) =>
          new Promise<void>((_resolve, reject) => {
            signal.addEventListener("abort", () => reject(signal.reason as Error))
            waiting.resolve()
          }),
        release: released.resolve,
      })
      const call = yield* Effect.forkChild(request({ chunks: cut(envelope(result(mebibyte)), 100_000) }, {}, { hold }))
      yield* Effect.promise(() => waiting.promise)
      yield* Fiber.interrupt(call)
      yield* Effect.promise(() => released.promise)
    }),
  )
})
