import { beforeAll, describe, expect, it } from "vitest"
import { HostileNode, NodeFault, NodeScript, VirtualChain, Wire } from "@daybook/testkit"
import { type Bug, run } from "./rpcClient.ts"

const policy: NodeScript.Policy = { maxAttempts: 4, deadlineMillis: 400, backoffMillis: 20, slackMillis: 2_000 }

const play = async (script: NodeScript.Script, bug?: Bug, limits: NodeScript.Policy = policy) => {
  const { steps, batchLimit } = script
  const node = await HostileNode.start({ script: steps, ...(batchLimit === undefined ? {} : { batchLimit }) })
  try {
    const observed = await run(node.url, script, limits, bug)
    await node.settled(200)
    const outcomes = NodeScript.allowed(script, limits)
    const isAllowed = observed.every(
      ({ outcome, elapsedMillis }) =>
        outcomes.has(outcome as NodeFault.Outcome) ||
        (outcome === "TimeoutError" && elapsedMillis >= limits.deadlineMillis * 0.9),
    )
    const issues = NodeScript.judge(script, limits, node.exchanges(), observed)
    return { issues, isAllowed, histogram: node.histogram() }
  } finally {
    await node.stop()
  }
}

const calls = NodeScript.make(3, { mostCalls: 30 }).calls.slice(0, 4)
const scripted = (...steps: ReadonlyArray<HostileNode.Step>): NodeScript.Script => ({ seed: 0, calls, steps })
const problemsOf = async (bug: Bug, script: NodeScript.Script, limits = policy) =>
  (await play(script, bug, limits)).issues.join("\n")

beforeAll(() => {
  Wire.bomb("")
})

describe("NodeScript", () => {
  describe("make", () => {
    it("makes one script of one seed, and another of another", () => {
      expect(NodeScript.make(7)).toEqual(NodeScript.make(7))
      expect(NodeScript.make(7)).not.toEqual(NodeScript.make(8))
    })

    it("draws every fault, distinct calls, and right answers that are not null", () => {
      const scripts = Array.from({ length: 400 }, (_, seed) => NodeScript.make(seed))
      const faults = new Set(scripts.flatMap(({ steps }) => steps.map(({ fault }) => fault)))
      const keys = scripts.map((script) => new Set(script.calls.map(VirtualChain.keyOf)).size)

      expect([...faults].toSorted()).toEqual([...NodeFault.names].toSorted())
      expect(keys).toEqual(scripts.map((script) => script.calls.length))
      expect(scripts.some(({ batchLimit }) => batchLimit !== undefined)).toBe(true)
      const replies = scripts.flatMap((script) => script.calls.map(VirtualChain.answer))
      expect(replies.filter((reply) => !("result" in reply) || reply.result === null)).toEqual([])
    })

    it("draws only what it is told to", () => {
      const scripts = Array.from({ length: 50 }, (_, seed) => NodeScript.make(seed, { faults: ["html"], limited: 0 }))

      expect(new Set(scripts.flatMap(({ steps }) => steps.map(({ fault }) => fault)))).toEqual(new Set(["html"]))
      expect(scripts.filter(({ batchLimit }) => batchLimit !== undefined)).toEqual([])
    })
  })

  describe("shrink", () => {
    it("gives smaller scripts until there is nothing left to leave out", () => {
      const size = ({ calls: list, steps, batchLimit }: NodeScript.Script) =>
        list.length + steps.length + (batchLimit === undefined ? 0 : 1)
      let script = NodeScript.make(5, { limited: 1 })
      for (let next = NodeScript.shrink(script); next.length > 0; next = NodeScript.shrink(script)) {
        for (const smaller of next) expect(size(smaller)).toBeLessThan(size(script))
        script = next[0] ?? script
      }

      expect(size(script)).toBe(1)
    })
  })

  describe("outcomeOf", () => {
    it("tells the right answer from another call's", () => {
      const [one = { method: "", params: [] }, two = one] = calls
      const answer = VirtualChain.answer(one)
      const value = "result" in answer ? answer.result : undefined

      expect(NodeScript.outcomeOf(one, value)).toBe("truth")
      expect(NodeScript.outcomeOf(two, value)).toBe("wrong")
      expect(NodeScript.outcomeOf(one, null)).toBe("null")
    })
  })

  describe("allowed", () => {
    it("has nothing but the truth where every fault is harmless", () => {
      expect([...NodeScript.allowed(scripted({ fault: "reordered" }, { fault: "drip" }), policy)]).toEqual(["truth"])
    })
  })

  describe("judge", () => {
    it("finds nothing wrong with a careful client under random scripts", async () => {
      const seeds = Array.from({ length: 120 }, (_, seed) => seed)
      const issues: Array<string> = []
      const histograms: Array<Awaited<ReturnType<typeof play>>["histogram"]> = []
      const worker = async () => {
        for (let seed = seeds.pop(); seed !== undefined; seed = seeds.pop()) {
          const result = await play(NodeScript.make(seed))
          issues.push(...result.issues)
          histograms.push(result.histogram)
          if (!result.isAllowed) issues.push(`seed ${seed} ended as allowed says that it cannot`)
        }
      }
      await Promise.all(Array.from({ length: 16 }, worker))

      expect(issues).toEqual([])
      const [, ...rest] = NodeScript.histogram(histograms).toReversed()
      expect(rest.filter(([, count]) => count > 0).length).toBeGreaterThan(35)
    })

    it("catches a client that matches replies by position", async () => {
      const text = await problemsOf("matches by position", scripted({ fault: "reordered" }))

      expect(text).toMatch(/ended with wrong, not truth/)
    })

    it("catches a client whose timeout ends at the headers", async () => {
      const text = await problemsOf("timeout ends at the headers", scripted({ fault: "stalledBody" }))

      expect(text).toMatch(/ended with hangs/)
    })

    it("catches a client that reads Retry-After in the wrong unit", async () => {
      const limits = { ...policy, deadlineMillis: 1_500 }
      const script = scripted({ fault: "limitedSeconds", waitMillis: 1_000 })
      const text = await problemsOf("reads seconds as milliseconds", script, limits)

      expect(text).toMatch(/request 2 came \d+ ms after request 1 was asked to wait 1000 ms/)
      expect((await play(script, undefined, limits)).issues).toEqual([])
    })

    it("catches other calls that come back although all were asked to wait", () => {
      const exchange = (number: number, at: number, id: number, fault: NodeFault.Name): HostileNode.Exchange => {
        const call = calls[id] ?? { method: "", params: [] }
        const dealt = { ...call, id, key: VirtualChain.keyOf(call), attempt: 1, fate: fault }
        const waitMillis = fault === "limitedSeconds" ? 5_000 : undefined
        const sent = { method: "POST", path: "/", headers: {}, body: "", end: "sent" } as const
        return {
          number,
          atMillis: at,
          endedAtMillis: at + 1,
          isBatch: false,
          calls: [dealt],
          fault,
          waitMillis,
          ...sent,
        }
      }
      const limits = { ...policy, deadlineMillis: 10_000 }
      const judge = (...exchanges: ReadonlyArray<HostileNode.Exchange>) =>
        NodeScript.judge(scripted(), limits, exchanges, []).map((text) => /request \d+ came \d+ ms/.exec(text)?.[0])
      const limited = exchange(1, 0, 0, "limitedSeconds")

      expect(judge(limited, exchange(2, 900, 1, "right"))).toEqual([])
      expect(judge(limited, exchange(2, 1_200, 1, "right"))).toEqual(["request 2 came 1199 ms"])
      expect(judge(limited, exchange(2, 10, 1, "internal"), exchange(3, 20, 1, "right"))).toEqual([])
      expect(judge(limited, exchange(2, 100, 1, "internal"), exchange(3, 130, 1, "right"))).toEqual([
        "request 3 came 129 ms",
      ])
      expect(judge(limited, exchange(2, 5_001, 0, "right"))).toEqual([])
    })

    it("catches a client that follows redirects", async () => {
      expect(await problemsOf("follows redirects", scripted({ fault: "redirect" }))).toMatch(/followed a redirect/)
    })

    it("catches a client that sends again what was refused for good", async () => {
      const text = await problemsOf("repeats what is refused", scripted({ fault: "reverted" }))

      expect(text).toMatch(/sent again after reverted/)
    })

    it("catches a client that gives up while another attempt is due", async () => {
      const text = await problemsOf("gives up at once", scripted({ fault: "serverError" }))

      expect(text).toMatch(/gave up with InvalidResponse after 1 of 4 attempts/)
    })

    it("catches a client that reads without a limit", async () => {
      const text = await problemsOf("reads without a limit", scripted({ fault: "oversize" }))

      expect(text).toMatch(/ended with truth, not InvalidResponse/)
    })

    it("catches more requests than the policy has", async () => {
      const node = await HostileNode.start({ script: Array.from({ length: 9 }, () => ({ fault: "internal" })) })
      const body = JSON.stringify({ jsonrpc: "2.0", id: 1, ...calls[0] })
      for (let time = 0; time < 6; time++) await (await fetch(node.url, { method: "POST", body })).text()
      await node.stop()
      const script = { ...scripted({ fault: "internal" }), calls: calls.slice(0, 1) }
      const observed = [{ call: script.calls[0]!, outcome: "RpcError", elapsedMillis: 10 }]
      const text = NodeScript.judge(script, policy, node.exchanges(), observed).join("\n")

      expect(text).toMatch(/6 requests, more than 4/)
      expect(text).toMatch(/sent 6 times, more than 4/)
    })
  })
})
