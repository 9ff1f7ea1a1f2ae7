/** Whatever a node does, each call ends in time with its own value or a typed error, within the attempts of the policy. */
import * as Runs from "@daybook/harness/Runs"
import type { HostileNode } from "@daybook/hostile"
import { Payload } from "@daybook/harness"
import { NodeFault, NodeScript, VirtualChain } from "@daybook/hostile"
import * as NodeFetch from "@daybook/transport/NodeFetch"
import { Effect } from "effect"
import { beforeAll, describe, expect, it } from "vitest"
import { type Bug, format, runScript, runAll, runAlone, policy } from "./hostile.ts"

beforeAll(() => {
  Payload.gzipBomb("")
})

const calls = NodeScript.make(3, { maxCalls: 30 }).calls.slice(0, 4)
const scripted = (...steps: ReadonlyArray<HostileNode.Step>): NodeScript.Script => ({ seed: 0, calls, steps })

const issuesOf = async (bug: Bug | undefined, script: NodeScript.Script, limits = policy): Promise<string> =>
  (await runScript(script, "typed", bug, limits)).issues.join("\n")

describe("hostile scripts", () => {
  it("hostile scripts: each call ends with its own value or a typed error, within the deadline and the policy", async () => {
    const seeds = Array.from({ length: Runs.usual(240) }, (_, seed) => seed)

    const { issues, histogram, calls: asked } = await runAll(seeds, 24)

    console.log(format(histogram))
    expect(issues).toEqual([])
    expect(asked).toBeGreaterThan(seeds.length * 5)
  }, 180_000)

  it("hostile scripts: each fault alone ends with its own value or a typed error", async () => {
    const run = async (fault: NodeFault.Name) => {
      const { histogram, issues } = await runAlone(scripted({ fault }), "typed")
      return { fault, times: histogram[fault] ?? 0, issues }
    }
    // A few at a time: all at once exceed their deadlines on a busy machine.
    const results = Effect.forEach(NodeFault.names, (fault) => Effect.promise(() => run(fault)), { concurrency: 8 })

    const wrong = (await Effect.runPromise(results)).filter(({ issues, times }) => times === 0 || issues.length > 0)

    expect(wrong).toEqual([])
  }, 180_000)

  it("hostile scripts: calls with Node's modules end with their own values or typed errors", async () => {
    const fetch = NodeFetch.makeUnsafe()

    const { issues } = await runAll(
      Array.from({ length: Runs.usual(160) }, (_, at) => 50_000 + at),
      24,
      fetch,
    )
    await fetch.close()

    expect(issues).toEqual([])
  }, 180_000)

  it("check: detects a client that matches replies by position", async () => {
    const script = scripted({ fault: "reordered" })

    expect(await issuesOf("matches by position", script)).toMatch(/ended with (wrong|InvalidResponse), not correct/)
    expect((await runAlone(script, "typed")).issues).toEqual([])
  })

  it("check: detects a timeout that ends at the headers", async () => {
    const script = scripted({ fault: "stalledBody" })

    expect(await issuesOf("timeout ends at the headers", script, { ...policy, slackMillis: 300 })).toMatch(
      /ended with hangs/,
    )
    expect((await runAlone(script, "typed")).issues).toEqual([])
  })

  it("check: detects a Retry-After that is read in the wrong unit", async () => {
    const limits = { ...policy, deadlineMillis: 20_000 }
    const script = scripted({ fault: "limitedSeconds", waitMillis: 1_000 })

    expect(await issuesOf("Retry-After in the wrong unit", script, limits)).toMatch(/was asked to wait 1000 ms/)
    expect(await issuesOf(undefined, script, limits)).toBe("")
  })

  it("check: distinguishes the calls of a script", () => {
    expect(new Set(calls.map(VirtualChain.keyOf)).size).toBe(4)
  })
})
