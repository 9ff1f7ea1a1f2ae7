import { describe, expect, it } from "@effect/vitest"
import { type HostileRest, type NodeScript, RestFault, RestScript, WalletHistory } from "@daybook/hostile"
import { Schema } from "effect"

const Seed = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 2 ** 32 - 1 }))

const policy: NodeScript.Policy = { maxAttempts: 4, deadlineMillis: 400, backoffMillis: 10, slackMillis: 2_000 }

const scripted = (...faults: ReadonlyArray<RestFault.Name>): RestScript.Script => ({
  seed: 4,
  rows: 20,
  isInterleaved: false,
  order: "DESC",
  pageSize: 6,
  steps: faults.map((fault) => ({ fault })),
})

/** The exchanges of a client that follows the cursors of pages, whose requests meet these faults; without one, up to the last page. */
const exchangesOf = (script: RestScript.Script, faults?: ReadonlyArray<RestFault.Name>) => {
  const rows = WalletHistory.ordered(RestScript.history(script), script.order)
  const exchanges: Array<HostileRest.Exchange> = []
  let cursor: string | null = null
  do {
    const position: number = cursor === null ? 0 : (RestFault.positionOf(cursor) ?? 0)
    const number = exchanges.length + 1
    const fault = faults?.[number - 1] ?? "none"
    const { outcomes, page = RestFault.correctPage } = RestFault.all[fault]
    const context: RestFault.Context = {
      number,
      rows,
      position,
      pageSize: script.pageSize,
      cursor,
      waitMillis: 0,
      acceptsGzip: false,
    }
    const { cursor: next, served }: RestFault.Page = page(context) ?? RestFault.correctPage(context)
    const request = { number, method: "GET", url: "/", headers: {}, body: "", cursor }
    const ended = { atMillis: number * 10, endedAtMillis: number * 10 + 5, end: "sent" as const }
    exchanges.push({ ...request, ...ended, fault, served, next, waitMillis: undefined })
    if (outcomes.includes("page") || fault === "wrongOrder") cursor = next
  } while (faults === undefined ? cursor !== null : exchanges.length < faults.length)
  return exchanges
}

/** The issues of a client that met these faults on a history of 20 rows, emitted rows, and reported an outcome. */
const issuesOf = (
  faults: ReadonlyArray<RestFault.Name>,
  outcome: string,
  emitted: (hashes: ReadonlyArray<string>) => ReadonlyArray<string>,
  change: Partial<HostileRest.Exchange> = {},
) => {
  const script = scripted(...new Set(faults))
  const [first, ...others] = exchangesOf(script, faults)
  const hashes = emitted(RestScript.expected(script))
  const observed = { hashes, outcome, elapsedMillis: faults.length * 10 }
  return RestScript.check(script, policy, [{ ...first!, ...change }, ...others], observed).join("\n")
}

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

  it.prop("check: accepts a client that emits every row of every page in order", [Seed], ([seed]) => {
    const script = RestScript.make(seed, { maxSteps: 0 })
    const observed = { hashes: RestScript.expected(script), outcome: "ended", elapsedMillis: 10 }

    expect(RestScript.check(script, policy, exchangesOf(script), observed)).toEqual([])
  })

  it.prop("check: rejects a client that loses or repeats one row", [Seed], ([seed]) => {
    const script = { ...RestScript.make(seed, { maxSteps: 0 }), rows: 1 + (seed % 50) }
    const hashes = RestScript.expected(script)
    const at = seed % hashes.length
    const check = (emitted: ReadonlyArray<string>) =>
      RestScript.check(script, policy, exchangesOf(script), {
        hashes: emitted,
        outcome: "ended",
        elapsedMillis: 10,
      })

    expect(check(hashes.toSpliced(at, 1))).not.toEqual([])
    expect(check(hashes.toSpliced(at, 0, hashes[at] ?? ""))).not.toEqual([])
  })

  it.each<readonly [client: string, issues: string, expected: RegExp]>([
    [
      "emits repeated rows again",
      issuesOf(["none", "duplicateRow"], "ended", (all) => [...all.slice(0, 12), ...all.slice(11, 12)]),
      /a row was emitted twice/,
    ],
    [
      "follows a repeated cursor without end",
      issuesOf(["none", ...Array.from({ length: 19 }, () => "cycle" as const)], "hangs", (all) => all.slice(0, 12)),
      /ended with hangs[^]*20 requests, more than \d/,
    ],
    ["ends at an empty page", issuesOf(["none", "emptyPage"], "ended", (all) => all.slice(0, 6)), /with 6 of 20 rows/],
    [
      "accepts any order",
      issuesOf(["wrongOrder", "none"], "ended", (all) => all.slice(0, 12)),
      /continued after request 1 \(wrongOrder\)/,
    ],
    [
      "ignores Retry-After",
      issuesOf(["unavailable", "none"], "ended", (all) => all.slice(0, 6), { waitMillis: 1_000 }),
      /was sent \d+ ms after it was asked to wait 1000/,
    ],
    [
      "takes a truncated page for the last page",
      issuesOf(["none", "truncatedBody"], "ended", (all) => all.slice(0, 6)),
      /ended with ended, not TransportError/,
    ],
  ])("check: rejects a client that %s", (_client, issues, expected) => {
    expect(issues).toMatch(expected)
  })
})
