/** What follows a failed attempt: the next endpoint, a wait, a pause of the endpoint, or the end of the call. */
import { InvalidResponse, RateLimited, TransportError, Unauthorized } from "@daybook/transport/ClientError"
import * as Retry from "@daybook/transport/internal/Retry"
import { describe, expect, it } from "@effect/vitest"
import { Duration, Result, Schema } from "effect"
import * as CallRunner from "../../src/internal/CallRunner.ts"
import { type CallError, RpcError } from "../../src/RpcError.ts"

const policy = Result.getOrThrow(
  Retry.policyFromOptions({ maxAttempts: 4, base: 100, cap: 1_000, jitter: 0, deadline: "10 seconds" }),
)

const call = { id: 1, method: "eth_call", params: [] }

const state = (change: Partial<CallRunner.State<string>> = {}): CallRunner.State<string> => ({
  attempt: 1,
  deadlineAtMillis: 10_000,
  candidates: [0, 1],
  untried: [0, 1],
  attempts: [],
  maxBatchSize: 20,
  windowMillis: 0,
  fallback: undefined,
  ...change,
})

const facts = { host: "node.example" }
const broken = new TransportError({ ...facts, phase: "headers", reason: "reset" })
const limited = (seconds?: number) =>
  new RateLimited({ ...facts, retryAfter: seconds === undefined ? undefined : Duration.seconds(seconds) })
const rpcError = (kind: RpcError["kind"]) =>
  new RpcError({ ...facts, method: "eth_call", code: -32000, message: "", kind })

const failed = (error: CallError, change: Partial<CallRunner.Failed<string>> = {}): CallRunner.Failed<string> => ({
  index: 0,
  error,
  jitter: 0,
  maxBatchSize: 20,
  mustSplit: false,
  fallback: undefined,
  nowMillis: 0,
  ...change,
})

const decide = (error: CallError, from = state(), change: Partial<CallRunner.Failed<string>> = {}, among = [0, 1]) =>
  CallRunner.decide({ among, policy, call }, from, failed(error, change))

describe("CallRunner.decide", () => {
  it("decide: grants a server no longer pause than the client permits", () => {
    const alone = { among: [0], policy, call }
    const from = state({ candidates: [0], untried: [0] })
    const pauseOf = (maxPause: Duration.Duration | undefined, seconds: number) =>
      CallRunner.decide({ ...alone, maxPause }, from, failed(limited(seconds)))

    expect(pauseOf(undefined, 86_400).pauseMillis).toBe(86_400_000)
    expect(pauseOf(Duration.minutes(1), 86_400).pauseMillis).toBe(60_000)
    expect(pauseOf(Duration.minutes(1), 30).pauseMillis).toBe(30_000)
    expect(pauseOf(Duration.seconds(2), 30)).toMatchObject({ step: { _tag: "Retry", waitMillis: 2_000 } })
  })

  it("decide: uses the next endpoint at once", () => {
    expect(decide(broken)).toMatchObject({
      step: { _tag: "Retry", waitMillis: 0, state: { attempt: 2, candidates: [0, 1], untried: [1] } },
    })
  })

  it("decide: waits before all endpoints are used again", () => {
    expect(decide(broken, state({ attempt: 2, untried: [0] }))).toMatchObject({
      step: { _tag: "Retry", waitMillis: 200, state: { attempt: 3, candidates: [0, 1], untried: [0, 1] } },
    })
  })

  it("decide: does not use an endpoint again after an error that is not retryable", () => {
    const rejected = new Unauthorized(facts)

    expect(decide(rejected)).toMatchObject({ step: { _tag: "Retry", state: { candidates: [1] } } })
    expect(decide(rejected, state({ candidates: [0], untried: [0] })).step).toEqual({ _tag: "Fail" })
  })

  it("decide: repeats a call that may write only if it was not executed", () => {
    const write = { among: [0, 1], policy, call: { ...call, method: "eth_sendRawTransaction" } }
    const stepOf = (error: CallError) => CallRunner.decide(write, state(), failed(error)).step._tag

    expect(stepOf(broken)).toBe("Fail")
    expect(stepOf(rpcError("internal"))).toBe("Fail")
    expect(stepOf(new TransportError({ ...facts, phase: "connect", reason: "connect ECONNREFUSED 127.0.0.1:1" }))).toBe(
      "Retry",
    )
    expect(stepOf(new TransportError({ ...facts, phase: "connect", reason: "Failed to fetch" }))).toBe("Fail")
    expect(stepOf(rpcError("methodUnsupported"))).toBe("Retry")
    expect(stepOf(limited())).toBe("Retry")
  })

  it("decide: ends the call after errors that every endpoint would return", () => {
    expect(decide(rpcError("reverted")).step).toEqual({ _tag: "Fail" })
    expect(decide(rpcError("invalidParams")).step).toEqual({ _tag: "Fail" })
  })

  it("decide: uses each endpoint once even if the policy permits fewer attempts", () => {
    const single = Result.getOrThrow(Retry.policyFromOptions({ maxAttempts: 1 }))
    const steps = [1, 2, 3].map((attempt) => {
      const from = state({ attempt, candidates: [0, 1, 2], untried: [0, 1, 2].slice(attempt - 1) })
      return CallRunner.decide({ among: [0, 1, 2], policy: single, call }, from, failed(broken, { index: attempt - 1 }))
        .step
    })

    expect(steps.map(({ _tag }) => _tag)).toEqual(["Retry", "Retry", "Fail"])
  })

  it("decide: splits a batch even after an error that is not retryable", () => {
    const tooLarge = new InvalidResponse({ ...facts, reason: "too-large", path: "body", received: "", expected: "" })
    const alone = state({ candidates: [0], untried: [0] })

    expect(decide(tooLarge, alone, { mustSplit: true, maxBatchSize: 5 }, [0])).toMatchObject({
      step: { _tag: "Retry", state: { maxBatchSize: 5, candidates: [0] } },
    })
    expect(decide(tooLarge, alone, {}, [0]).step).toEqual({ _tag: "Fail" })
  })

  it("decide: pauses the endpoint for the time it requested, even if the call ends", () => {
    const alone = state({ candidates: [0], untried: [0] })

    expect(decide(limited(3), alone, {}, [0])).toMatchObject({ step: { waitMillis: 3_000 }, pauseMillis: 3_000 })
    expect(decide(limited(60), alone, {}, [0])).toEqual({ step: { _tag: "Fail" }, pauseMillis: 60_000 })
  })

  it("decide: pauses the endpoint for the time it requested after the last attempt and after an error that is not repeated", () => {
    const last = state({ attempt: 4, candidates: [0], untried: [0] })
    const status = { reason: "status", path: "status", received: "503", expected: "200", isRetryable: true } as const
    const busy = new InvalidResponse({ ...facts, ...status, retryAfter: Duration.seconds(3) })
    const write = { among: [0], policy, call: { ...call, method: "eth_sendRawTransaction" } }
    const fail = { step: { _tag: "Fail" }, pauseMillis: 3_000 }

    expect(decide(limited(3), last, {}, [0])).toEqual(fail)
    expect(CallRunner.decide(write, state({ candidates: [0], untried: [0] }), failed(busy))).toEqual(fail)
    expect(decide(limited(), last, {}, [0]).pauseMillis).toBeUndefined()
  })

  it("decide: pauses no endpoint for a wait in the error of a call that does not succeed later, such as the message of a revert", () => {
    const message = "execution reverted: wait 86400 seconds"
    const reverted = new RpcError({
      ...facts,
      method: "eth_call",
      code: 3,
      message,
      kind: "reverted",
      retryAfter: Duration.days(1),
    })

    expect(decide(reverted)).toEqual({ step: { _tag: "Fail" }, pauseMillis: undefined })
    expect(decide(reverted, state({ attempt: 4, candidates: [0], untried: [0] })).pauseMillis).toBeUndefined()
  })

  it("decide: pauses the endpoint for the backoff after a rate limit without a requested time", () => {
    expect(decide(limited())).toMatchObject({ step: { waitMillis: 0 }, pauseMillis: 100 })
  })

  it("decide: pauses no endpoint for the client's own rate limit", () => {
    const own = new RateLimited({ ...facts, retryAfter: Duration.seconds(1), scope: "call" })

    expect(decide(own).pauseMillis).toBeUndefined()
  })

  it("decide: keeps a value that another endpoint may improve, and uses the others", () => {
    const fallback = { value: "null", attempts: [] }

    expect(decide(rpcError("internal"), state(), { fallback })).toMatchObject({
      step: { _tag: "Retry", state: { candidates: [1], fallback } },
    })
  })

  const Millis = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 20_000 }))

  it.prop(
    "law: a call always ends: attempts grow, candidates never return, no wait passes the deadline",
    {
      errors: Schema.Array(Schema.Literals(["broken", "limited", "rejected", "internal", "pruned"])),
      endpoints: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 4 })),
      nowMillis: Millis,
      picks: Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 3 }))),
    },
    ({ endpoints, errors, nowMillis, picks }) => {
      const among = Array.from({ length: endpoints }, (_, index) => index)
      const made: Record<(typeof errors)[number], CallError> = {
        broken,
        limited: limited(2),
        rejected: new Unauthorized(facts),
        internal: rpcError("internal"),
        pruned: rpcError("pruned"),
      }
      let from = state({ candidates: among, untried: among })
      for (const [at, error] of errors.entries()) {
        const index = from.untried[(picks[at] ?? 0) % from.untried.length] ?? 0
        const { step } = CallRunner.decide({ among, policy, call }, from, failed(made[error], { index, nowMillis }))
        if (step._tag === "Fail") break

        expect(nowMillis + step.waitMillis).toBeLessThan(10_000)
        expect(step.state.attempt).toBe(from.attempt + 1)
        expect(step.state.attempt).toBeLessThanOrEqual(Math.max(policy.maxAttempts, endpoints))
        expect(from.candidates).toEqual(expect.arrayContaining([...step.state.candidates]))
        expect(step.state.candidates).toEqual(expect.arrayContaining([...step.state.untried]))
        expect(step.state.untried.length).toBeGreaterThan(0)
        from = step.state
      }
    },
  )
})
