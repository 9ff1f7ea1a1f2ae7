import { describe, expect, it } from "@effect/vitest"
import { type HostileNode, NodeFault, NodeScript, VirtualChain } from "@daybook/hostile"
import { Schema } from "effect"

const Seed = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 2 ** 32 - 1 }))

const policy: NodeScript.Policy = { maxAttempts: 4, deadlineMillis: 400, backoffMillis: 20, slackMillis: 2_000 }

const calls = NodeScript.make(3, { maxCalls: 30 }).calls.slice(0, 4)
const scripted = (...steps: ReadonlyArray<HostileNode.Step>): NodeScript.Script => ({ seed: 0, calls, steps })
/** The exchange of one call, sent at `atMillis` and answered one millisecond later. */
const exchangeOf = (
  number: number,
  atMillis: number,
  call: VirtualChain.Call,
  fault: NodeFault.Name,
): HostileNode.Exchange => ({
  number,
  atMillis,
  endedAtMillis: atMillis + 1,
  end: "sent",
  method: "POST",
  url: "/",
  headers: {},
  body: "",
  isBatch: false,
  calls: [{ ...call, id: number, key: VirtualChain.keyOf(call), attempt: 1, fault }],
  fault,
  waitMillis: fault === "limitedSeconds" ? 5_000 : undefined,
})

const [first = { method: "", params: [] }, second = first] = calls

/** The issues of a client that sent one call in these attempts, 20 ms apart, and reported an outcome. */
const issuesOf = (
  attempts: ReadonlyArray<NodeFault.Name>,
  outcome: string,
  change: Partial<HostileNode.Exchange> = {},
) =>
  NodeScript.check(
    { ...scripted(...attempts.map((fault) => ({ fault }))), calls: [first] },
    policy,
    attempts.map((fault, at) => ({ ...exchangeOf(at + 1, at * 20, first, fault), ...change })),
    [{ call: first, outcome, elapsedMillis: attempts.length * 20 }],
  ).join("\n")

describe("NodeScript", () => {
  it.prop("make: a seed always gives the same script", [Seed], ([seed]) => {
    expect(NodeScript.make(seed)).toEqual(NodeScript.make(seed))
  })

  it("make: different seeds give different scripts", () => {
    expect(NodeScript.make(7)).not.toEqual(NodeScript.make(8))
  })

  it("make: generates every fault, and distinct calls whose correct result is not null", () => {
    const scripts = Array.from({ length: 400 }, (_, seed) => NodeScript.make(seed))
    const faults = new Set(scripts.flatMap(({ steps }) => steps.map(({ fault }) => fault)))
    const keys = scripts.map((script) => new Set(script.calls.map(VirtualChain.keyOf)).size)

    expect([...faults].toSorted()).toEqual([...NodeFault.names].toSorted())
    expect(keys).toEqual(scripts.map((script) => script.calls.length))
    expect(scripts.some(({ batchLimit }) => batchLimit !== undefined)).toBe(true)
    const replies = scripts.flatMap((script) => script.calls.map(VirtualChain.answer))
    expect(replies.filter((reply) => !("result" in reply) || reply.result === null)).toEqual([])
  })

  it("make: keeps within its bounds", () => {
    const bounds: NodeScript.Bounds = { faults: ["html"], batchLimitShare: 0, maxCalls: 3, maxSteps: 2 }
    const scripts = Array.from({ length: 50 }, (_, seed) => NodeScript.make(seed, bounds))

    expect(new Set(scripts.flatMap(({ steps }) => steps.map(({ fault }) => fault)))).toEqual(new Set(["html"]))
    expect(scripts.filter(({ batchLimit }) => batchLimit !== undefined)).toEqual([])
    expect(scripts.every((script) => script.calls.length <= 3 && script.steps.length <= 2)).toBe(true)
  })

  it.prop("shrink: every result is smaller than its input, down to a single call", [Seed], ([seed]) => {
    const size = ({ calls: list, steps, batchLimit }: NodeScript.Script) =>
      list.length + steps.length + (batchLimit === undefined ? 0 : 1)
    let script = NodeScript.make(seed, { batchLimitShare: 1 })
    for (let next = NodeScript.shrink(script); next.length > 0; next = NodeScript.shrink(script)) {
      for (const smaller of next) expect(size(smaller)).toBeLessThan(size(script))
      script = next[0] ?? script
    }

    expect(size(script)).toBe(1)
  })

  it("outcomeOf: distinguishes the correct result, null, and the result of another call", () => {
    const [one = { method: "", params: [] }, two = one] = calls
    const reply = VirtualChain.answer(one)
    const value = "result" in reply ? reply.result : undefined

    expect(NodeScript.outcomeOf(one, value)).toBe("correct")
    expect(NodeScript.outcomeOf(two, value)).toBe("wrong")
    expect(NodeScript.outcomeOf(one, null)).toBe("null")
  })

  it("allowed: is only the correct result if every fault is harmless", () => {
    expect([...NodeScript.allowed(scripted({ fault: "reordered" }, { fault: "drip" }), policy)]).toEqual(["correct"])
  })

  it.prop(
    "check: accepts a client that retries required faults after its backoff and ends correctly",
    [
      Seed,
      Schema.Array(Schema.Literals(["serverError", "internal", "closedBefore", "limitedBare"])).check(
        Schema.isMaxLength(3),
      ),
    ],
    ([seed, faults]) => {
      const script = NodeScript.make(seed, { maxSteps: 0, batchLimitShare: 0 })
      let at = 0
      const exchanges = script.calls.flatMap((call) =>
        [...faults, "none" as const].map((fault) => exchangeOf(at + 1, at++ * 20, call, fault)),
      )
      const elapsedMillis = faults.length * 20 + 1
      const observed = script.calls.map((call) => ({ call, outcome: "correct", elapsedMillis }))

      expect(NodeScript.check(script, policy, exchanges, observed)).toEqual([])
    },
  )

  it.each<readonly [client: string, issues: string, expected: RegExp]>([
    ["matches replies by position", issuesOf(["reordered"], "wrong"), /ended with wrong, not correct/],
    ["never ends", issuesOf(["stalledBody"], "hangs"), /ended with hangs/],
    ["follows redirects", issuesOf(["redirect"], "InvalidResponse", { url: "/elsewhere" }), /followed a redirect/],
    ["retries a permanent error", issuesOf(["reverted", "none"], "correct"), /sent again after reverted/],
    [
      "gives up before a required retry",
      issuesOf(["serverError"], "InvalidResponse"),
      /gave up with InvalidResponse after 1 of 4 attempts/,
    ],
    ["reads a body without a limit", issuesOf(["oversize"], "correct"), /ended with correct, not InvalidResponse/],
    [
      "sends more requests than the policy permits",
      issuesOf(["internal", "internal", "internal", "internal", "internal", "internal"], "RpcError"),
      /sent 6 times, more than 4[^]*6 requests, more than 4/,
    ],
  ])("check: rejects a client that %s", (_client, issues, expected) => {
    expect(issues).toMatch(expected)
  })

  it("check: rejects other calls during a wait that was requested for all calls", () => {
    const limits = { ...policy, deadlineMillis: 10_000 }
    const check = (...exchanges: ReadonlyArray<HostileNode.Exchange>) =>
      NodeScript.check(scripted(), limits, exchanges, []).map((text) => /request \d+ was sent \d+ ms/.exec(text)?.[0])
    const limited = exchangeOf(1, 0, first, "limitedSeconds")

    expect(check(limited, exchangeOf(2, 900, second, "none"))).toEqual([])
    expect(check(limited, exchangeOf(2, 1_200, second, "none"))).toEqual(["request 2 was sent 1199 ms"])
    expect(check(limited, exchangeOf(2, 10, second, "internal"), exchangeOf(3, 20, second, "none"))).toEqual([])
    expect(check(limited, exchangeOf(2, 100, second, "internal"), exchangeOf(3, 130, second, "none"))).toEqual([
      "request 3 was sent 129 ms",
    ])
    expect(check(limited, exchangeOf(2, 5_001, first, "none"))).toEqual([])
  })

  it("check: does not date a response that the client closed by when the server noticed", () => {
    const limits = { ...policy, deadlineMillis: 10_000 }
    const issues = (end: HostileNode.Exchange["end"], endedAtMillis: number | undefined) => {
      const before = { ...exchangeOf(1, 0, second, "oversize"), end, endedAtMillis }
      const exchanges = [before, exchangeOf(2, 10, first, "limitedSeconds"), exchangeOf(3, 12, second, "none")]
      return NodeScript.check(scripted(), limits, exchanges, [])
    }

    expect(issues("sent", 100)).toHaveLength(1)
    expect(issues("closedByServer", 100)).toHaveLength(1)
    expect(issues("closedByClient", 100)).toEqual([])
    expect(issues("open", undefined)).toEqual([])
  })
})
