/** One response, read for each call of its request. */
import { InvalidResponse, TimeoutError, TransportError } from "@daybook/transport/ClientError"
import type { Reply } from "@daybook/transport/Http"
import { describe, expect, it, vi } from "@effect/vitest"
import { Duration, Result, Schema } from "effect"
import type { RequestItem } from "../../../src/internal/reply/match.ts"
import { type CallContext, outcomeOf, outcomeOfFault, receive } from "../../../src/internal/reply/read.ts"
import type { CommonOptions } from "../../../src/Options.ts"
import { failure, success } from "../../server.ts"
import { hash, transaction } from "../../values.ts"

const replyOf = (body: unknown): Reply => ({
  status: 200,
  headers: {},
  text: typeof body === "string" ? body : JSON.stringify(body),
  host: "node.example",
  requestId: undefined,
  retryAfter: undefined,
  attempts: [{ host: "node.example", at: new Date(0), outcome: "200", duration: Duration.zero, durationMillis: 0 }],
  scrub: (text) => text,
})

const call = (id: number): RequestItem => ({ id, method: "eth_chainId", params: [] })

const context = (change: Partial<CallContext<unknown>> = {}): CallContext<unknown> => ({
  attempts: [],
  maxBytes: 10_000,
  maxItemBytes: 10_000,
  maxBatchSize: 20,
  deadline: Duration.seconds(1),
  decode: ({ value }) => Result.succeed(value),
  ...change,
})

/** The outcome of each call. */
const read = (body: unknown, count: number, change: Partial<CallContext<unknown>> = {}) => {
  const calls = Array.from({ length: count }, (_, at) => call(at + 1))
  const received = receive(replyOf(body), calls)
  return calls.map((one) => outcomeOf(received, one, received.items.get(one.id), context(change), 0.5))
}

describe("read", () => {
  it("read: returns to each call of a batch its own value", () => {
    const outcomes = read([success(2, "b"), success(1, "a")], 2)

    expect(outcomes.map((outcome) => outcome._tag === "Success" && outcome.value)).toEqual(["a", "b"])
  })

  it("read: returns the text of a result unchanged, alone and in a batch", () => {
    const result = '{ "a":1.0 }'
    const reply = (id: number) => `{"jsonrpc":"2.0","id":${id},"result":${result}}`
    const decode: CallContext<unknown>["decode"] = ({ text }) => Result.succeed(text())

    const outcomes = [...read(reply(1), 1, { decode }), ...read(`[${reply(2)},${reply(1)}]`, 2, { decode })]

    expect(outcomes.map((outcome) => outcome._tag === "Success" && outcome.value)).toEqual([result, result, result])
  })

  it("read: adds the attempts before the request to the error of a call", () => {
    const attempts = replyOf("").attempts
    const [outcome] = read(failure(1, 3, "reverted"), 1, { attempts })

    expect(outcome?._tag === "Failure" && "attempts" in outcome.error && outcome.error.attempts.length).toBe(2)
  })

  it("read: reports a rejected batch to each call", () => {
    expect(read(failure(null, -32003, "batch too large"), 4)).toMatchObject(
      Array.from({ length: 4 }, () => ({ _tag: "Repeat", maxBatchSize: 2 })),
    )
  })

  it("read: retries the calls of a batch without a JSON response in a quarter of its size", () => {
    expect(read('[{"jsonrpc"', 8)).toMatchObject(
      Array.from({ length: 8 }, () => ({ _tag: "Failure", maxBatchSize: 2, jitter: 0.5 })),
    )
  })

  it("read: fails one call whose part of a batch is too large", () => {
    const outcomes = read([success(1, "x".repeat(500)), success(2, "b")], 2, { maxItemBytes: 100 })

    expect(outcomes).toMatchObject([
      { _tag: "Failure", error: { reason: "too-large", path: "reply 1" } },
      { _tag: "Success", value: "b" },
    ])
  })

  it("read: searches the parts of a batch once, however many of its calls are limited", () => {
    const body = Array.from({ length: 100 }, (_, at) => success(at + 1, "0x1"))
    const parse = vi.spyOn(JSON, "parse")

    const outcomes = read(body, 100, { maxItemBytes: 100 })
    const parsed = parse.mock.calls.length
    parse.mockRestore()

    expect(new Set(outcomes.map(({ _tag }) => _tag))).toEqual(new Set(["Success"]))
    // The body, and the three keys of each reply.
    expect(parsed).toBe(1 + 3 * 100)
  })

  it("read: accepts a response and a part of one up to the limits of its calls", () => {
    const single = JSON.stringify(success(1, "x"))
    const batch = [success(1, "x"), success(2, "y")]
    const limits = (maxItemBytes: number, maxBytes = 10_000) => ({ maxItemBytes, maxBytes })
    const tags = (body: unknown, count: number, change: Partial<CallContext<unknown>>) =>
      read(body, count, change).map(({ _tag }) => _tag)
    const { length } = single

    expect([length, length - 1].flatMap((bytes) => tags(single, 1, limits(bytes)))).toEqual(["Success", "Failure"])
    expect(tags(single, 1, limits(length, 1))).toEqual(["Success"])
    expect(tags(batch, 2, limits(length, length))).toEqual(["Success", "Success"])
    expect(tags(batch, 2, limits(length - 1))).toEqual(["Failure", "Failure"])
    expect(tags(batch, 2, limits(10_000, length - 1))).toEqual(["Failure", "Failure"])
  })

  it("read: reports an oversized text that is not JSON as too large if it belongs to one call", () => {
    const reasons = (count: number, maxItemBytes: number) =>
      read(`{${"x".repeat(500)}`, count, { maxItemBytes }).map((outcome) =>
        outcome._tag === "Failure" && outcome.error._tag === "InvalidResponse"
          ? [outcome.error.reason, outcome.maxBatchSize]
          : outcome._tag,
      )

    expect([reasons(1, 100), reasons(1, 1_000)]).toEqual([[["too-large", 20]], [["content", 20]]])
    expect(reasons(3, 100)).toEqual([1, 2, 3].map(() => ["content", 1]))
  })

  it("read: returns the caller's transformation of a result, or its error, and keeps errors of the node", () => {
    const limitResult: CommonOptions["limitResult"] = (value) =>
      value === "a" ? { _tag: "Result", result: "b" } : { _tag: "Error", code: 7, message: "limited" }
    const outcomesOf = (body: unknown, count: number) => {
      const calls = Array.from({ length: count }, (_, at) => call(at + 1))
      const received = receive(replyOf(body), calls, undefined, limitResult)
      return calls.map((one) => outcomeOf(received, one, received.items.get(one.id), context(), 0.5))
    }
    const limited = { _tag: "Failure", error: { _tag: "RpcError", code: 7, message: "limited" } }

    expect(outcomesOf(success(1, "a"), 1)).toMatchObject([{ _tag: "Success", value: "b" }])
    expect(outcomesOf([success(1, "a"), success(2, "c"), failure(3, 3, "reverted")], 3)).toMatchObject([
      { _tag: "Success", value: "b" },
      limited,
      { _tag: "Failure", error: { code: 3 } },
    ])
  })

  it("read: returns the text of a result without an envelope, and nothing for a batch of no calls", () => {
    const bare = { ...call(1), method: "eth_getTransactionByBlockHashAndIndex", params: [hash("b"), "0x0"] }
    const text = ` ${JSON.stringify(transaction())}\n`
    const received = receive(replyOf(text), [bare])
    const decode: CallContext<unknown>["decode"] = (result) => Result.succeed(result.text())

    expect(outcomeOf(received, bare, received.items.get(1), context({ decode }), 0)).toMatchObject({
      value: text.trim(),
    })
    expect([receive(replyOf("[]"), []).items.size, receive(replyOf("{"), []).rejection]).toEqual([0, undefined])
  })

  it("read: fails a single call whose response is too large", () => {
    expect(read(success(1, "x".repeat(500)), 1, { maxItemBytes: 100 })).toMatchObject([
      { _tag: "Failure", error: { reason: "too-large", path: "body" } },
    ])
  })

  it.prop(
    "law: for any body each call ends with a value of its own reply or with an error",
    { body: Schema.Json, count: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 4 })) },
    ({ body, count }) => {
      for (const outcome of read(body, count)) {
        expect(["Failure", "Repeat"]).toContain(outcome._tag)
      }
    },
  )
})

describe("outcomeOfFault", () => {
  it("outcomeOfFault: splits a batch whose response exceeds the limit", () => {
    const tooLarge = new InvalidResponse({
      host: "node.example",
      reason: "too-large",
      path: "body",
      received: "more",
      expected: "less",
    })

    expect(outcomeOfFault(tooLarge, context(), 8, 0)).toMatchObject({ mustSplit: true, maxBatchSize: 2 })
    expect(outcomeOfFault(tooLarge, context(), 1, 0)).toMatchObject({ mustSplit: false, maxBatchSize: 20 })
  })

  it("outcomeOfFault: splits a batch whose response has another encoding, and for no other reason", () => {
    const faultOf = (reason: "encoding" | "content") =>
      new InvalidResponse({ host: "node.example", reason, path: "body", received: "br", expected: "gzip" })

    expect(outcomeOfFault(faultOf("encoding"), context(), 2, 0)).toMatchObject({ mustSplit: true, maxBatchSize: 1 })
    expect(outcomeOfFault(faultOf("encoding"), context({ maxBatchSize: 3 }), 100, 0)).toMatchObject({ maxBatchSize: 3 })
    expect(outcomeOfFault(faultOf("content"), context(), 8, 0)).toMatchObject({ mustSplit: false, maxBatchSize: 20 })
  })

  it("outcomeOfFault: adds the attempts before a broken connection", () => {
    const attempts = replyOf("").attempts
    const fault = new TransportError({ host: "node.example", attempts, phase: "connect", reason: "reset" })

    expect(outcomeOfFault(fault, context({ attempts }), 1, 0)).toMatchObject({
      error: { _tag: "TransportError", reason: "reset", attempts: [...attempts, ...attempts] },
    })
  })

  it("outcomeOfFault: keeps the fault of a first attempt, and adds the attempts before a later one", () => {
    const [attempt] = replyOf("").attempts
    const fault = new InvalidResponse({
      host: "node.example",
      attempts: [attempt!],
      reason: "too-large",
      path: "body",
      received: "more",
      expected: "less",
      advice: "Request less at once.",
    })
    const before = { ...attempt!, outcome: "502" }

    const first = outcomeOfFault(fault, context(), 1, 0)
    expect(first._tag === "Failure" && first.error).toBe(fault)
    expect(outcomeOfFault(fault, context({ attempts: [before] }), 1, 0)).toMatchObject({
      error: { attempts: [before, attempt], reason: "too-large", advice: "Request less at once." },
    })
  })

  it("outcomeOfFault: reports the deadline of the call and not of the request", () => {
    const fault = new TimeoutError({ host: "node.example", phase: "body", deadline: Duration.seconds(9) })

    expect(outcomeOfFault(fault, context(), 2, 0)).toMatchObject({ error: { deadline: Duration.seconds(1) } })
  })
})
