import { describe, expect, it } from "@effect/vitest"
import { HostileNode, NodeFault, NodeScript, Payload, VirtualChain } from "@daybook/harness"
import { Schema } from "effect"
import { beforeAll } from "vitest"
import { playAll } from "./playAll.ts"
import { type Bug, run } from "./rpcClient.ts"

const Seed = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 2 ** 32 - 1 }))

const policy: NodeScript.Policy = { maxAttempts: 4, deadlineMillis: 400, backoffMillis: 20, slackMillis: 2_000 }
const patient = (patience: number) => ({ ...policy, deadlineMillis: policy.deadlineMillis * patience })

const play = async (script: NodeScript.Script, bug?: Bug, limits: NodeScript.Policy = policy) => {
  const { steps, batchLimit } = script
  const node = await HostileNode.start({ script: steps, ...(batchLimit === undefined ? {} : { batchLimit }) })
  try {
    const observed = await run(node.url, script, limits, bug)
    await node.settled(200)
    const outcomes = NodeScript.allowed(script, limits)
    const isAllowed = observed.every(({ outcome }) => outcomes.has(outcome as NodeFault.Outcome))
    const issues = NodeScript.judge(script, limits, node.exchanges(), observed)
    return { issues, isAllowed, histogram: node.histogram() }
  } finally {
    await node.stop()
  }
}

const calls = NodeScript.make(3, { maxCalls: 30 }).calls.slice(0, 4)
const scripted = (...steps: ReadonlyArray<HostileNode.Step>): NodeScript.Script => ({ seed: 0, calls, steps })
const issuesOf = async (bug: Bug, script: NodeScript.Script, limits = policy) =>
  (await play(script, bug, limits)).issues.join("\n")

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
  path: "/",
  headers: {},
  body: "",
  isBatch: false,
  calls: [{ ...call, id: number, key: VirtualChain.keyOf(call), attempt: 1, fault }],
  fault,
  waitMillis: fault === "limitedSeconds" ? 5_000 : undefined,
})

beforeAll(() => {
  Payload.gzipBomb("")
})

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

  it("allowed: is the correct result alone where every fault is harmless", () => {
    expect([...NodeScript.allowed(scripted({ fault: "reordered" }, { fault: "drip" }), policy)]).toEqual(["correct"])
  })

  it.prop(
    "judge: accepts a client that retries required faults after its backoff and ends correctly",
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

      expect(NodeScript.judge(script, policy, exchanges, observed)).toEqual([])
    },
  )

  it("judge: accepts a correct client over real sockets under 60 scripts", async () => {
    const seeds = Array.from({ length: 60 }, (_, seed) => seed)
    const played = await playAll(seeds, (seed, patience) => play(NodeScript.make(seed), undefined, patient(patience)))

    expect(played.flatMap(({ issues }) => issues)).toEqual([])
    expect(played.filter(({ isAllowed }) => !isAllowed)).toEqual([])
    const [, ...rest] = NodeScript.histogram(played.map(({ histogram }) => histogram)).toReversed()
    expect(rest.filter(([, count]) => count > 0).length).toBeGreaterThan(35)
  }, 60_000)

  it("judge: rejects a client that matches replies by position", async () => {
    const issues = await issuesOf("matches by position", scripted({ fault: "reordered" }))

    expect(issues).toMatch(/ended with wrong, not correct/)
  })

  it("judge: rejects a client whose timeout ends at the headers", async () => {
    const issues = await issuesOf("timeout ends at the headers", scripted({ fault: "stalledBody" }))

    expect(issues).toMatch(/ended with hangs/)
  })

  it("judge: rejects a client that reads Retry-After in the wrong unit", async () => {
    const limits = { ...policy, deadlineMillis: 20_000 }
    const script = scripted({ fault: "limitedSeconds", waitMillis: 1_000 })
    const issues = await issuesOf("reads seconds as milliseconds", script, limits)

    expect(issues).toMatch(/request 2 was sent \d+ ms after request 1 was asked to wait 1000 ms/)
    expect((await play(script, undefined, limits)).issues).toEqual([])
  })

  it("judge: rejects other calls during a wait that was asked of all calls", () => {
    const limits = { ...policy, deadlineMillis: 10_000 }
    const [first = { method: "", params: [] }, second = first] = calls
    const judge = (...exchanges: ReadonlyArray<HostileNode.Exchange>) =>
      NodeScript.judge(scripted(), limits, exchanges, []).map((text) => /request \d+ was sent \d+ ms/.exec(text)?.[0])
    const limited = exchangeOf(1, 0, first, "limitedSeconds")

    expect(judge(limited, exchangeOf(2, 900, second, "none"))).toEqual([])
    expect(judge(limited, exchangeOf(2, 1_200, second, "none"))).toEqual(["request 2 was sent 1199 ms"])
    expect(judge(limited, exchangeOf(2, 10, second, "internal"), exchangeOf(3, 20, second, "none"))).toEqual([])
    expect(judge(limited, exchangeOf(2, 100, second, "internal"), exchangeOf(3, 130, second, "none"))).toEqual([
      "request 3 was sent 129 ms",
    ])
    expect(judge(limited, exchangeOf(2, 5_001, first, "none"))).toEqual([])
  })

  it("judge: rejects a client that follows redirects", async () => {
    expect(await issuesOf("follows redirects", scripted({ fault: "redirect" }))).toMatch(/followed a redirect/)
  })

  it("judge: rejects a client that retries a permanent error", async () => {
    const issues = await issuesOf("retries permanent errors", scripted({ fault: "reverted" }))

    expect(issues).toMatch(/sent again after reverted/)
  })

  it("judge: rejects a client that gives up before a required retry", async () => {
    const issues = await issuesOf("gives up at once", scripted({ fault: "serverError" }))

    expect(issues).toMatch(/gave up with InvalidResponse after 1 of 4 attempts/)
  })

  it("judge: rejects a client that reads a body without a limit", async () => {
    const issues = await issuesOf("reads without a limit", scripted({ fault: "oversize" }))

    expect(issues).toMatch(/ended with correct, not InvalidResponse/)
  })

  it("judge: rejects more requests than the policy permits", async () => {
    const node = await HostileNode.start({ script: Array.from({ length: 9 }, () => ({ fault: "internal" })) })
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, ...calls[0] })
    for (let time = 0; time < 6; time++) await (await fetch(node.url, { method: "POST", body })).text()
    await node.stop()
    const script = { ...scripted({ fault: "internal" }), calls: calls.slice(0, 1) }
    const observed = [{ call: script.calls[0]!, outcome: "RpcError", elapsedMillis: 10 }]
    const issues = NodeScript.judge(script, policy, node.exchanges(), observed).join("\n")

    expect(issues).toMatch(/6 requests, more than 4/)
    expect(issues).toMatch(/sent 6 times, more than 4/)
  })
})
