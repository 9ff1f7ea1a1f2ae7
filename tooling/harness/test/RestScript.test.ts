import { describe, expect, it } from "@effect/vitest"
import { HostileRest, type NodeScript, Payload, RestFault, RestScript } from "@daybook/harness"
import { Schema } from "effect"
import { beforeAll } from "vitest"
import { playAll, playAlone } from "./playAll.ts"
import { type Bug, readAll } from "./restClient.ts"

const Seed = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 2 ** 32 - 1 }))

const policy: NodeScript.Policy = { maxAttempts: 4, deadlineMillis: 400, backoffMillis: 10, slackMillis: 2_000 }
const patient = (patience: number) => ({ ...policy, deadlineMillis: policy.deadlineMillis * patience })

const play = async (
  script: RestScript.Script,
  bug?: Bug,
  limits: NodeScript.Policy = policy,
  choose?: () => HostileRest.Step,
) => {
  const { pageSize, steps } = script
  const server = await HostileRest.start({ history: RestScript.history(script), pageSize, script: choose ?? steps })
  try {
    const observed = await readAll(server.url, script, limits, bug)
    await server.settled(200)
    const isAllowed = RestScript.allowed(script, limits).has(observed.outcome as RestFault.Outcome)
    const issues = RestScript.judge(script, limits, server.exchanges(), observed)
    return { issues, isAllowed, observed, histogram: server.histogram() }
  } finally {
    await server.stop()
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

const issuesOf = async (bug: Bug, script: RestScript.Script, limits = policy) =>
  (await play(script, bug, limits)).issues.join("\n")

/** The exchanges of a client that reads every page without a fault. */
const correctExchanges = (script: RestScript.Script): ReadonlyArray<HostileRest.Exchange> => {
  const rows = RestScript.history(script)
  const exchanges: Array<HostileRest.Exchange> = []
  let cursor: string | null = null
  do {
    const position: number = cursor === null ? 0 : (RestFault.positionOf(cursor) ?? 0)
    const number = exchanges.length + 1
    const context = { number, rows, position, pageSize: script.pageSize, cursor, waitMillis: 0, acceptsGzip: false }
    const page: RestFault.Page = RestFault.correctPage(context)
    const ended = { atMillis: number * 10, endedAtMillis: number * 10 + 5, end: "sent" as const }
    const request = { number, method: "GET", path: "/", headers: {}, body: "", cursor }
    exchanges.push({
      ...request,
      ...ended,
      fault: "none",
      served: page.served,
      next: page.cursor,
      waitMillis: undefined,
    })
    cursor = page.cursor
  } while (cursor !== null)
  return exchanges
}

beforeAll(() => {
  Payload.gzipBomb("")
})

describe("RestScript", () => {
  it.prop("make: a seed always gives the same script", [Seed], ([seed]) => {
    expect(RestScript.make(seed)).toEqual(RestScript.make(seed))
  })

  it("make: different seeds give different scripts", () => {
    expect(RestScript.make(7)).not.toEqual(RestScript.make(8))
  })

  it("make: generates every fault, both orders, and histories with and without interleaving", () => {
    const scripts = Array.from({ length: 600 }, (_, seed) => RestScript.make(seed))
    const faults = new Set(scripts.flatMap(({ steps }) => steps.map(({ fault }) => fault)))
    const kinds = new Set(scripts.map(({ order, isInterleaved }) => `${order} ${isInterleaved}`))

    expect([...faults].toSorted()).toEqual([...RestFault.names].toSorted())
    expect(kinds.size).toBe(4)
  })

  it.prop("shrink: every result is smaller than its input, down to no step", [Seed], ([seed]) => {
    const size = ({ rows, isInterleaved, steps }: RestScript.Script) => rows + steps.length + Number(isInterleaved)
    let script = RestScript.make(seed)
    for (let next = RestScript.shrink(script); next.length > 0; next = RestScript.shrink(script)) {
      for (const smaller of next) expect(size(smaller)).toBeLessThan(size(script))
      script = next[0] ?? script
    }

    expect([script.steps, script.isInterleaved]).toEqual([[], false])
  })

  it.prop("judge: accepts a client that emits every row of every page in order", [Seed], ([seed]) => {
    const script = RestScript.make(seed, { maxSteps: 0 })
    const observed = { hashes: RestScript.expected(script), outcome: "ended", elapsedMillis: 10 }

    expect(RestScript.judge(script, policy, correctExchanges(script), observed)).toEqual([])
  })

  it.prop("judge: rejects a client that loses or repeats one row", [Seed], ([seed]) => {
    const script = { ...RestScript.make(seed, { maxSteps: 0 }), rows: 1 + (seed % 50) }
    const hashes = RestScript.expected(script)
    const at = seed % hashes.length
    const judge = (emitted: ReadonlyArray<string>) =>
      RestScript.judge(script, policy, correctExchanges(script), {
        hashes: emitted,
        outcome: "ended",
        elapsedMillis: 10,
      })

    expect(judge(hashes.toSpliced(at, 1))).not.toEqual([])
    expect(judge(hashes.toSpliced(at, 0, hashes[at] ?? ""))).not.toEqual([])
  })

  it("judge: accepts a correct client over real sockets under 80 scripts", async () => {
    const seeds = Array.from({ length: 80 }, (_, seed) => seed)
    const played = await playAll(seeds, (seed, patience) => play(RestScript.make(seed), undefined, patient(patience)))
    const issues = played.flatMap((one) => one.issues)
    const disallowed = played.filter(({ isAllowed }) => !isAllowed)
    const outcomes = new Map<string, number>()
    for (const { observed } of played) outcomes.set(observed.outcome, (outcomes.get(observed.outcome) ?? 0) + 1)

    expect(issues).toEqual([])
    expect(disallowed).toEqual([])
    expect(outcomes.get("ended")).toBeGreaterThan(30)
    expect(outcomes.size).toBeGreaterThan(8)
    const histogram = RestScript.histogram(played.map((one) => one.histogram))
    expect(histogram.filter(([, count]) => count > 0).length).toBeGreaterThan(35)
  }, 60_000)

  it("harmless faults: a correct client emits the whole history", async () => {
    const script = scripted("emptyPage", "overlap", "nulls", "duplicateRow", "numbers", "objectForList")
    const { issues, observed } = await playAlone((patience) => play(script, undefined, patient(patience)))

    expect(issues).toEqual([])
    expect(observed.hashes).toEqual(RestScript.expected(script))
  })

  it("judge: rejects a client that emits repeated rows again", async () => {
    const issues = await issuesOf("emits repeated rows", scripted("none", "duplicateRow"))

    expect(issues).toMatch(/a row was emitted twice/)
  })

  it("judge: rejects a client that follows a repeated cursor without end", async () => {
    const script = { ...scripted(), steps: [] }
    const { issues } = await play(script, "follows a repeated cursor", policy, () => ({ fault: "cycle" }))

    expect(issues.join("\n")).toMatch(/200 requests, more than 4/)
    expect(issues.join("\n")).toMatch(/ended with hangs/)
  })

  it("judge: rejects a client that ends at an empty page", async () => {
    const issues = await issuesOf("ends at an empty page", scripted("none", "emptyPage"))

    expect(issues).toMatch(/ended with 6 of 20 rows/)
  })

  it("judge: rejects a client that accepts any order", async () => {
    const issues = await issuesOf("accepts any order", scripted("wrongOrder"))

    expect(issues).toMatch(/continued after request 1 \(wrongOrder\)/)
  })

  it("judge: rejects a client that ignores Retry-After", async () => {
    const script = { ...scripted(), steps: [{ fault: "unavailable", waitMillis: 1_000 } as const] }
    const limits = { ...policy, deadlineMillis: 20_000 }

    expect(await issuesOf("ignores Retry-After", script, limits)).toMatch(
      /was sent \d+ ms after it was asked to wait 1000/,
    )
    expect((await play(script, undefined, limits)).issues).toEqual([])
  })

  it("judge: rejects a client that takes a truncated page for the last page", async () => {
    const issues = await issuesOf("takes a truncated page for the last", scripted("none", "truncatedBody"))

    expect(issues).toMatch(/ended with ended, not TransportError/)
  })
})
