import { beforeAll, describe, expect, it } from "vitest"
import { HostileRest, type NodeScript, RestFault, RestScript, Wire } from "@daybook/testkit"
import { type Bug, walk } from "./restClient.ts"

const policy: NodeScript.Policy = { maxAttempts: 4, deadlineMillis: 400, backoffMillis: 10, slackMillis: 2_000 }

const play = async (
  script: RestScript.Script,
  bug?: Bug,
  limits: NodeScript.Policy = policy,
  decide?: () => HostileRest.Step,
) => {
  const { pageSize, steps } = script
  const rest = await HostileRest.start({ history: RestScript.history(script), pageSize, script: decide ?? steps })
  try {
    const observed = await walk(rest.url, script, limits, bug)
    await rest.settled(200)
    const isAllowed = RestScript.allowed(script, limits).has(observed.outcome as RestFault.Outcome)
    const issues = RestScript.judge(script, limits, rest.exchanges(), observed)
    return { issues, isAllowed, observed, histogram: rest.histogram() }
  } finally {
    await rest.stop()
  }
}

const scripted = (...faults: ReadonlyArray<RestFault.Name>): RestScript.Script => ({
  seed: 4,
  rows: 20,
  isInterleaved: false,
  order: "DESC",
  pageSize: 6,
  steps: faults.map((fault) => ({ fault })),
})

const problemsOf = async (bug: Bug, script: RestScript.Script, limits = policy) =>
  (await play(script, bug, limits)).issues.join("\n")

beforeAll(() => {
  Wire.bomb("")
})

describe("RestScript", () => {
  describe("make", () => {
    it("makes one script of one seed, and another of another", () => {
      expect(RestScript.make(7)).toEqual(RestScript.make(7))
      expect(RestScript.make(7)).not.toEqual(RestScript.make(8))
    })

    it("draws every fault, both orders, and histories that interleave and do not", () => {
      const scripts = Array.from({ length: 600 }, (_, seed) => RestScript.make(seed))
      const faults = new Set(scripts.flatMap(({ steps }) => steps.map(({ fault }) => fault)))
      const kinds = new Set(scripts.map(({ order, isInterleaved }) => `${order} ${isInterleaved}`))

      expect([...faults].toSorted()).toEqual([...RestFault.names].toSorted())
      expect(kinds.size).toBe(4)
    })
  })

  describe("shrink", () => {
    it("gives smaller scripts until there is nothing left to leave out", () => {
      const size = ({ rows, isInterleaved, steps }: RestScript.Script) => rows + steps.length + Number(isInterleaved)
      let script = RestScript.make(5)
      for (let next = RestScript.shrink(script); next.length > 0; next = RestScript.shrink(script)) {
        for (const smaller of next) expect(size(smaller)).toBeLessThan(size(script))
        script = next[0] ?? script
      }

      expect([script.steps, script.isInterleaved]).toEqual([[], false])
    })
  })

  describe("judge", () => {
    it("finds nothing wrong with a careful client under random scripts", async () => {
      const seeds = Array.from({ length: 200 }, (_, seed) => seed)
      const issues: Array<string> = []
      const outcomes = new Map<string, number>()
      const histograms: Array<Awaited<ReturnType<typeof play>>["histogram"]> = []
      const worker = async () => {
        for (let seed = seeds.pop(); seed !== undefined; seed = seeds.pop()) {
          const { isAllowed, observed, ...rest } = await play(RestScript.make(seed))
          issues.push(...rest.issues)
          histograms.push(rest.histogram)
          outcomes.set(observed.outcome, (outcomes.get(observed.outcome) ?? 0) + 1)
          if (!isAllowed && observed.outcome !== "TimeoutError") issues.push(`seed ${seed}: ${observed.outcome}`)
        }
      }
      await Promise.all(Array.from({ length: 16 }, worker))

      expect(issues).toEqual([])
      expect(outcomes.get("ended")).toBeGreaterThan(60)
      expect(outcomes.size).toBeGreaterThan(8)
      expect(RestScript.histogram(histograms).filter(([, count]) => count > 0).length).toBeGreaterThan(35)
    })

    it("gives the whole truth through what is harmless", async () => {
      const script = scripted("emptyPage", "overlap", "nulls", "doubledRow", "numbers", "objectForList")
      const { issues, observed } = await play(script)

      expect(issues).toEqual([])
      expect(observed.hashes).toEqual(RestScript.truth(script))
    })

    it("catches a walk that gives repeated rows again", async () => {
      const text = await problemsOf("gives repeated rows again", scripted("right", "doubledRow"))

      expect(text).toMatch(/a row was given twice/)
    })

    it("catches a walk that follows a cursor for ever", async () => {
      const script = { ...scripted(), steps: [] }
      const { issues } = await play(script, "follows a cursor for ever", policy, () => ({ fault: "cycle" }))

      expect(issues.join("\n")).toMatch(/200 requests, more than 4/)
      expect(issues.join("\n")).toMatch(/ended with hangs/)
    })

    it("catches a walk that ends at an empty page", async () => {
      const text = await problemsOf("ends at an empty page", scripted("right", "emptyPage"))

      expect(text).toMatch(/ended with 6 of 20 rows/)
    })

    it("catches a walk that believes any order", async () => {
      const text = await problemsOf("believes any order", scripted("wrongOrder"))

      expect(text).toMatch(/went on after request 1 \(wrongOrder\)/)
    })

    it("catches a walk that ignores Retry-After", async () => {
      const script = { ...scripted(), steps: [{ fault: "unavailable", waitMillis: 1_000 } as const] }
      const limits = { ...policy, deadlineMillis: 1_500 }

      expect(await problemsOf("ignores Retry-After", script, limits)).toMatch(
        /came \d+ ms after it was asked to wait 1000/,
      )
      expect((await play(script, undefined, limits)).issues).toEqual([])
    })

    it("catches a walk that takes a cut page for the last", async () => {
      const text = await problemsOf("takes a cut page for the last", scripted("right", "cutBody"))

      expect(text).toMatch(/ended with ended, not TransportError/)
    })
  })
})
