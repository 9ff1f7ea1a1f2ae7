/** Calling one endpoint after another until one answers. */
import { describe, expect, it } from "@effect/vitest"
import {
  InvalidResponse,
  RateLimited,
  TimeoutError,
  TransportError,
  Unauthorized,
} from "@daybook/transport/ClientError"
import { Duration, Effect, Fiber, Result } from "effect"
import { TestClock } from "effect/testing"
import { EndpointPool, RpcError } from "../src/index.ts"

type Outcome = string | null | { readonly error: string }

/** A node that returns its outcomes in turn, and repeats the last one. */
class FakeNode {
  readonly outcomes: ReadonlyArray<Outcome>
  calls = 0

  constructor(...outcomes: ReadonlyArray<Outcome>) {
    this.outcomes = outcomes
  }

  readonly question: Effect.Effect<string | null, string> = Effect.suspend(() => {
    const outcome = this.outcomes[Math.min(this.calls++, this.outcomes.length - 1)] ?? null
    return outcome === null || typeof outcome === "string" ? Effect.succeed(outcome) : Effect.fail(outcome.error)
  })
}

const down: Outcome = { error: "down" }

const verdict = (outcome: Result.Result<string | null, string>): EndpointPool.Verdict => {
  if (Result.isSuccess(outcome)) return outcome.success === null ? { _tag: "Empty" } : { _tag: "Final" }
  if (outcome.failure === "final") return { _tag: "Final" }
  if (outcome.failure === "no method") return { _tag: "Declined", unsupportedMethod: "trace_block" }
  if (outcome.failure === "slow down") return { _tag: "Declined", pauseMillis: 3_000 }
  return { _tag: "Unavailable", isDisconnected: outcome.failure === "disconnected" }
}

const question = (node: FakeNode) => node.question

const askable = (...nodes: ReadonlyArray<FakeNode>) => EndpointPool.make({ endpoints: nodes })

const calls = (...nodes: ReadonlyArray<FakeNode>) => nodes.map((node) => node.calls)

describe("EndpointPool.ask", () => {
  it.effect("ask: returns the answer of the first endpoint and calls no other", () =>
    Effect.gen(function* () {
      const nodes = [new FakeNode("a"), new FakeNode("b")]

      expect(yield* askable(...nodes).ask({ question, verdict })).toBe("a")
      expect(calls(...nodes)).toEqual([1, 0])
    }),
  )

  it.effect("ask: continues with the next endpoint if one is unavailable", () =>
    Effect.gen(function* () {
      const nodes = [new FakeNode(down), new FakeNode("b")]

      expect(yield* askable(...nodes).ask({ question, verdict })).toBe("b")
    }),
  )

  it.effect("ask: fails with the endpoint's own error if that error is an answer", () =>
    Effect.gen(function* () {
      const nodes = [new FakeNode({ error: "final" }), new FakeNode("b")]

      expect(yield* Effect.flip(askable(...nodes).ask({ question, verdict }))).toBe("final")
      expect(calls(...nodes)).toEqual([1, 0])
    }),
  )

  it.effect("ask: returns nothing only if no other endpoint has more", () =>
    Effect.gen(function* () {
      expect(yield* askable(new FakeNode(null), new FakeNode("b")).ask({ question, verdict })).toBe("b")
      expect(yield* askable(new FakeNode(null), new FakeNode(down)).ask({ question, verdict })).toBe(null)
    }),
  )

  it.effect("ask: fails with every error in call order if no endpoint answers", () =>
    Effect.gen(function* () {
      const pool = askable(new FakeNode(down), new FakeNode({ error: "slow down" }))

      const error = yield* Effect.flip(pool.ask({ question, verdict }))

      expect(error).toMatchObject({
        _tag: "AllEndpointsFailed",
        failures: [
          { index: 0, error: "down" },
          { index: 1, error: "slow down" },
        ],
        retryAfterMillis: undefined,
      })
    }),
  )

  it.effect("ask: stays with the endpoint that answered if sticky", () =>
    Effect.gen(function* () {
      const nodes = [new FakeNode(down, "a"), new FakeNode("b")]
      const pool = askable(...nodes)
      const ask = pool.ask({ strategy: "sticky", question, verdict })

      yield* ask
      yield* TestClock.adjust("1 hour")
      yield* ask

      expect(calls(...nodes)).toEqual([1, 2])
    }),
  )

  it.effect("ask: returns to the first endpoint after its cooldown if by priority", () =>
    Effect.gen(function* () {
      const nodes = [new FakeNode(down, "a"), new FakeNode("b")]
      const ask = askable(...nodes).ask({ question, verdict })

      const answers = [yield* ask, yield* ask]
      yield* TestClock.adjust("1 second")

      expect([...answers, yield* ask]).toEqual(["b", "b", "a"])
    }),
  )

  it.effect("ask: starts at each endpoint in turn if spread without a key", () =>
    Effect.gen(function* () {
      const ask = askable(new FakeNode("a"), new FakeNode("b")).ask({ strategy: "spread", question, verdict })

      expect([yield* ask, yield* ask, yield* ask]).toEqual(["a", "b", "a"])
    }),
  )

  it.effect("ask: skips paused endpoints on request, and reports when the first pause ends", () =>
    Effect.gen(function* () {
      const nodes = [new FakeNode({ error: "slow down" }, "a"), new FakeNode({ error: "slow down" }, "b")]
      const ask = askable(...nodes).ask({ question, verdict, skipPaused: true })

      yield* Effect.flip(ask)
      yield* TestClock.adjust("1 second")
      const error = yield* Effect.flip(ask)
      yield* TestClock.adjust("2 seconds")

      expect(error).toMatchObject({ _tag: "AllEndpointsFailed", failures: [], retryAfterMillis: 2_000 })
      expect(yield* ask).toBe("a")
    }),
  )

  it.effect("ask: uses an endpoint without the method last", () =>
    Effect.gen(function* () {
      const nodes = [new FakeNode({ error: "no method" }, "a"), new FakeNode("b")]
      const ask = askable(...nodes).ask({ method: "trace_block", question, verdict })

      expect([yield* ask, yield* ask]).toEqual(["b", "b"])
      expect(calls(...nodes)).toEqual([1, 2])
    }),
  )
})

describe("EndpointPool.verify", () => {
  const verified = (...nodes: ReadonlyArray<FakeNode>) => {
    const asked: Array<number> = []
    const pool = EndpointPool.make({
      endpoints: nodes,
      verify: (_, index) =>
        Effect.suspend(() => {
          asked.push(index)
          return index === 0 ? Effect.fail("wrong chain") : Effect.void
        }),
    })
    return { asked, pool }
  }

  it.effect("verify: a rejected endpoint never receives the call", () =>
    Effect.gen(function* () {
      const nodes = [new FakeNode("a"), new FakeNode("b")]
      const { pool } = verified(...nodes)

      expect(yield* pool.ask({ question, verdict })).toBe("b")
      expect(calls(...nodes)).toEqual([0, 1])
    }),
  )

  it.effect(
    "verify: a call may run during verification, once, and its answer is used only if the endpoint is accepted",
    () =>
      Effect.gen(function* () {
        const nodes = [new FakeNode("a"), new FakeNode("b")]
        const verify = (_: FakeNode, index: number) =>
          Effect.delay(index === 0 ? Effect.fail("wrong chain") : Effect.void, "1 second")
        const pool = EndpointPool.make({ endpoints: nodes, verify })
        const asked = (among: ReadonlyArray<number>) =>
          Effect.forkChild(Effect.result(pool.ask({ question, verdict, among, besideVerification: true })), {
            startImmediately: true,
          })

        const both = yield* Effect.all([asked([0]), asked([1])])
        yield* Effect.yieldNow
        expect(calls(...nodes)).toEqual([1, 1])
        expect(both.map((fiber) => fiber.pollUnsafe())).toEqual([undefined, undefined])
        yield* TestClock.adjust("1 second")
        expect(yield* Fiber.join(both[0])).toMatchObject({ failure: { _tag: "AllEndpointsFailed" } })
        expect(yield* Fiber.join(both[1])).toEqual(Result.succeed("b"))
        const again = yield* asked([0])
        yield* TestClock.adjust("1 second")
        yield* Fiber.join(again)
        expect(calls(...nodes)).toEqual([1, 1])
      }),
  )

  it.effect("ask: an endpoint of the wrong chain fails by its verification, even if its call had failed before", () =>
    Effect.gen(function* () {
      const verify = () => Effect.delay(Effect.fail("wrong chain"), "1 second")
      const pool = EndpointPool.make({ endpoints: ["a"], verify })
      const question = () => Effect.fail("no head")
      const asked = yield* Effect.forkChild(Effect.flip(pool.ask({ question, verdict, besideVerification: true })), {
        startImmediately: true,
      })
      yield* TestClock.adjust("1 second")

      expect(yield* Fiber.join(asked)).toMatchObject({ failures: [{ index: 0, error: "wrong chain" }] })
    }),
  )

  it.effect("verify: runs once for concurrent callers, and each of them receives its outcome", () =>
    Effect.gen(function* () {
      let runs = 0
      const outcomes: ReadonlyArray<Effect.Effect<void, string>> = [Effect.fail("wrong chain"), Effect.void]
      const verify = () =>
        Effect.delay(
          Effect.suspend(() => outcomes[runs++] ?? Effect.die("a third run")),
          "1 second",
        )
      const pool = EndpointPool.make({ endpoints: [new FakeNode("a")], verify })
      const burst = Effect.gen(function* () {
        const left = yield* Effect.forkChild(pool.verify(0), { startImmediately: true })
        const waiting = yield* Effect.forkChild(
          Effect.all(
            [1, 2, 3].map(() => Effect.result(pool.verify(0))),
            { concurrency: 3 },
          ),
        )
        yield* Effect.yieldNow
        yield* Fiber.interrupt(left)
        yield* TestClock.adjust("1 second")
        return yield* Fiber.join(waiting)
      })

      expect(yield* burst).toEqual(Array.from({ length: 3 }, () => Result.fail("wrong chain")))
      expect(yield* burst).toEqual(Array.from({ length: 3 }, () => Result.void))
      expect(runs).toBe(2)
    }),
  )

  it.effect("verify: is remembered until it is reset or the connection breaks", () =>
    Effect.gen(function* () {
      const { asked, pool } = verified(new FakeNode("a"), new FakeNode("b", "b", { error: "disconnected" }, "b"))
      const ask = pool.restrict([1]).ask({ question, verdict })

      yield* ask
      yield* ask
      expect(asked).toEqual([1])
      yield* Effect.flip(ask)
      yield* ask
      expect(asked).toEqual([1, 1])
      pool.note({ _tag: "VerificationReset" })
      yield* ask
      expect(asked).toEqual([1, 1, 1])
    }),
  )
})

describe("EndpointPool.restrict", () => {
  it.effect("restrict: uses only the given endpoints and shares their state", () =>
    Effect.gen(function* () {
      const nodes = [new FakeNode("a"), new FakeNode(down)]
      const pool = askable(...nodes)
      const second = pool.restrict([1])

      yield* Effect.flip(second.ask({ question, verdict }))

      expect(calls(...nodes)).toEqual([0, 1])
      expect(pool.state().endpoints.map(({ failures }) => failures)).toEqual([0, 1])
    }),
  )
})

describe("EndpointPool.verdictOf", () => {
  const facts = { host: "node.example", method: "eth_call", message: "" }
  const rpc = (kind: RpcError.RpcError["kind"]) => new RpcError.RpcError({ ...facts, code: -32000, kind })
  const unsupported = (code: number, message: string) =>
    new RpcError.RpcError({ ...facts, code, message, kind: "methodUnsupported" })
  const invalid = (reason: "status" | "redirect" | "content") =>
    new InvalidResponse({ ...facts, reason, path: "status", received: "502", expected: "200" })
  const cases: ReadonlyArray<readonly [string, RpcError.CallError, EndpointPool.Verdict]> = [
    ["a revert", rpc("reverted"), { _tag: "Final" }],
    ["invalid parameters", rpc("invalidParams"), { _tag: "Final" }],
    [
      "parameters that are refused before they are sent",
      new RpcError.InvalidParams({ method: "eth_call", received: "nothing", expected: "a call" }),
      { _tag: "Final" },
    ],
    ["an unsupported method", unsupported(-32601, ""), { _tag: "Declined", unsupportedMethod: "eth_call" }],
    [
      "an unsupported method by its name",
      unsupported(-32000, "eth_call is not supported"),
      { _tag: "Declined", unsupportedMethod: "eth_call" },
    ],
    [
      "a method of EIP-1474 that is not supported",
      unsupported(-32004, ""),
      { _tag: "Declined", unsupportedMethod: "eth_call" },
    ],
    ["a failing gateway", invalid("status"), { _tag: "Unavailable", isDisconnected: false }],
    ["a redirect", invalid("redirect"), { _tag: "Unavailable", isDisconnected: false }],
    ["a reply that cannot be read", invalid("content"), { _tag: "Declined", unsupportedMethod: undefined }],
    [
      "an unsupported parameter",
      unsupported(-32000, "transaction type not supported"),
      { _tag: "Declined", unsupportedMethod: undefined },
    ],
    ["pruned state", rpc("pruned"), { _tag: "Declined" }],
    [
      "a rate limit",
      new RateLimited({ ...facts, retryAfter: Duration.seconds(2) }),
      { _tag: "Declined", pauseMillis: 2_000 },
    ],
    ["a rejected key", new Unauthorized(facts), { _tag: "Unavailable", isDisconnected: false }],
    [
      "a timeout",
      new TimeoutError({ ...facts, phase: "headers", deadline: Duration.seconds(1) }),
      { _tag: "Unavailable", isDisconnected: false },
    ],
    [
      "a broken connection",
      new TransportError({ ...facts, phase: "connect", reason: "reset" }),
      { _tag: "Unavailable", isDisconnected: true },
    ],
  ]

  it.each(cases)("verdictOf: classifies %s", (_, error, expected) => {
    expect(EndpointPool.verdictOf(error)).toMatchObject(expected)
  })
})
