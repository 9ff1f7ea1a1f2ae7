/**
 * Generated scripts for a hostile REST server, and the check of a client that read all pages from one.
 *
 * A script is a function of its seed alone, so the seed reproduces it. The check is a pure function of the script, the
 * limits of the client, the exchanges that the server recorded, and the rows and outcome that the client reported.
 */
import type { Exchange, Step } from "./HostileRest.ts"
import type { Policy } from "./NodeScript.ts"
import * as Random from "@daybook/testkit/internal/Random"
import { sumCounts } from "./internal/histogram.ts"
import * as RestFault from "./RestFault.ts"
import * as WalletHistory from "./WalletHistory.ts"

/** A client's run over all pages of a hostile server. */
export interface Script {
  readonly seed: number
  readonly rows: number
  readonly isInterleaved: boolean
  readonly order: "ASC" | "DESC"
  readonly pageSize: number
  readonly steps: ReadonlyArray<Step>
}

/** Bounds of a generated script. */
export interface Bounds {
  /** Default 60. */
  readonly maxRows?: number
  /** Largest number of steps; the smallest is 0. Default 8. */
  readonly maxSteps?: number
  /** Faults to choose from. Default: all. */
  readonly faults?: ReadonlyArray<RestFault.Name>
}

/** What a client reported. */
export interface Observed {
  /** Hashes of the rows, in the order in which they were emitted. */
  readonly hashes: ReadonlyArray<string>
  /** `ended`, or the tag of the error. */
  readonly outcome: "ended" | RestFault.Outcome | (string & {})
  readonly elapsedMillis: number
}

const waits = [0, 1_000, 1_000, 2_000, 3_600_000]

const isRecoverable = (name: RestFault.Name): boolean => {
  const { outcomes, retry, retryAfter } = RestFault.all[name]
  return retryAfter === undefined && (outcomes.includes("page") || retry === "required")
}

/**
 * Recoverable faults, and in two of three scripts one early fault that may end the run, so that most runs read many pages.
 */
const generateSteps = (
  random: Random.Random,
  count: number,
  faults: ReadonlyArray<RestFault.Name>,
): ReadonlyArray<Step> => {
  const recoverable = faults.filter(isRecoverable)
  const fatal = faults.filter((name) => !isRecoverable(name))
  const fatalAt = fatal.length > 0 && random.integer(3) > 0 ? random.integer(4) : -1
  return Array.from({ length: Math.max(count, fatalAt + 1) }, (_, at) => {
    const fault = random.pick(at === fatalAt || recoverable.length === 0 ? fatal : recoverable)
    const waitMillis = random.pick(waits)
    return RestFault.all[fault].retryAfter === undefined ? { fault } : { fault, waitMillis }
  })
}

/** The script of a seed. */
export const make = (seed: number, bounds: Bounds = {}): Script => {
  const { maxRows = 60, maxSteps = 8, faults = RestFault.names } = bounds
  const random = Random.make(seed)
  return {
    seed,
    rows: random.integer(maxRows + 1),
    isInterleaved: random.integer(2) === 0,
    order: random.pick(["ASC", "DESC"]),
    pageSize: 1 + random.integer(20),
    steps: generateSteps(random, random.integer(maxSteps + 1), faults).slice(0, maxSteps),
  }
}

/** Smaller scripts to try when one fails: with half of the rows, not interleaved, or without one of the steps. */
export const shrink = (script: Script): ReadonlyArray<Script> => [
  ...(script.rows > 1 ? [{ ...script, rows: script.rows >> 1 }] : []),
  ...(script.isInterleaved ? [{ ...script, isInterleaved: false }] : []),
  ...script.steps.map((_, at) => ({ ...script, steps: script.steps.toSpliced(at, 1) })),
]

/** Histories of the scripts that are run and checked. */
const histories = new WeakMap<Script, ReadonlyArray<WalletHistory.Row>>()

/** The history of a script, oldest first. */
export const history = (script: Script): ReadonlyArray<WalletHistory.Row> => {
  const { isInterleaved, rows, seed } = script
  const cached = histories.get(script) ?? WalletHistory.make(seed, { rows, interleaved: isInterleaved })
  histories.set(script, cached)
  return cached
}

/** Hashes of the rows that a correct server serves, in order. */
export const expected = (script: Script): ReadonlyArray<string> =>
  WalletHistory.ordered(history(script), script.order).map(({ hash }) => hash)

/** Outcomes that a run may have. */
export const allowed = (script: Script, policy: Policy): ReadonlySet<"ended" | RestFault.Outcome> => {
  const possible = new Set<"ended" | RestFault.Outcome>(["ended"])
  for (const { fault, waitMillis = 0 } of script.steps) {
    for (const outcome of RestFault.all[fault].outcomes) if (outcome !== "page") possible.add(outcome)
    if (waitMillis > 0) possible.add("RateLimited")
    if (waitMillis + policy.backoffMillis > policy.deadlineMillis) possible.add("TimeoutError")
  }
  return possible
}

/** Largest number of requests of a correct client: the pages, and for each step one more attempt and one more page. */
export const maxRequests = ({ rows, pageSize, steps }: Script): number =>
  Math.max(1, Math.ceil(rows / pageSize)) + 2 * steps.length

/** The attempts for one page, oldest first. */
type Attempts = readonly [Exchange, ...ReadonlyArray<Exchange>]

const faultOf = ({ fault }: Exchange): RestFault.Fault => RestFault.all[fault]

const isPage = (exchange: Exchange): boolean => faultOf(exchange).outcomes.includes("page")

const pagesOf = (exchanges: ReadonlyArray<Exchange>): ReadonlyArray<Attempts> => {
  const pages: Array<[Exchange, ...Array<Exchange>]> = []
  for (const exchange of exchanges) {
    const attempts = pages.at(-1)
    const before = attempts?.at(-1)
    const isRetry = before?.cursor === exchange.cursor && !(isPage(before) && before.next === exchange.cursor)
    if (attempts !== undefined && isRetry) attempts.push(exchange)
    else pages.push([exchange])
  }
  return pages
}

const lastOf = (attempts: Attempts): Exchange => attempts.at(-1) ?? attempts[0]

const checkPage = (attempts: Attempts, isLastPage: boolean, policy: Policy): ReadonlyArray<string> => {
  const issues: Array<string> = []
  for (const { fault, number } of attempts.slice(0, -1)) {
    if (RestFault.all[fault].retry === "forbidden" && policy.attemptTimeoutMillis === undefined) {
      issues.push(`request ${number} (${fault}) was sent again`)
    }
  }
  if (attempts.length > policy.maxAttempts) {
    issues.push(`${attempts.length} attempts for the cursor ${attempts[0].cursor}`)
  }
  const last = lastOf(attempts)
  if (!isLastPage && !isPage(last)) issues.push(`continued after request ${last.number} (${last.fault})`)
  return issues
}

/** How early a timer may fire. */
const timerMillis = 2

const sentTooEarly = (exchanges: ReadonlyArray<Exchange>): ReadonlyArray<string> =>
  exchanges.flatMap((limiting, at) => {
    const { waitMillis = 0, endedAtMillis } = limiting
    const next = exchanges[at + 1]
    if (next === undefined || endedAtMillis === undefined || limiting.end !== "sent") return []
    const inexact = faultOf(limiting).retryAfter === "second" ? 1_000 : 0
    const after = next.atMillis - endedAtMillis
    if (after >= waitMillis - inexact - timerMillis) return []
    return [
      `request ${next.number} was sent ${Math.round(after)} ms after it was asked to wait ${waitMillis} (${limiting.fault})`,
    ]
  })

/** Time that the last page took: that of the run, less that of the previous pages. */
const lastPageMillis = (pages: ReadonlyArray<Attempts>, observed: Observed): number => {
  const [first, last] = [pages[0], pages.at(-1)]
  return observed.elapsedMillis - ((last?.[0].atMillis ?? 0) - (first?.[0].atMillis ?? 0))
}

/** Outcomes that the last attempt of the last page permits. */
const permitted = (pages: ReadonlyArray<Attempts>, observed: Observed, policy: Policy): ReadonlySet<string> => {
  const attempts = pages.at(-1)
  if (attempts === undefined) return new Set(["TimeoutError"])
  const last = lastOf(attempts)
  const outcomes = new Set<string>(faultOf(last).outcomes)
  if (outcomes.delete("page") && last.next === null) outcomes.add("ended")
  const timeout = Math.min(policy.attemptTimeoutMillis ?? policy.deadlineMillis, policy.deadlineMillis)
  const isAborted = last.end === "closedByClient" && (last.endedAtMillis ?? Infinity) - last.atMillis >= timeout * 0.5
  if (isAborted || lastPageMillis(pages, observed) >= policy.deadlineMillis * 0.9) outcomes.add("TimeoutError")
  return outcomes
}

/** True when the run failed although a retry was required and there was time for it. */
const gaveUp = (pages: ReadonlyArray<Attempts>, observed: Observed, policy: Policy): boolean => {
  const attempts = pages.at(-1)
  if (attempts === undefined) return false
  const last = lastOf(attempts)
  const soonest = lastPageMillis(pages, observed) + Math.max(policy.backoffMillis, last.waitMillis ?? 0)
  return (
    faultOf(last).retry === "required" && attempts.length < policy.maxAttempts && soonest < policy.deadlineMillis * 0.8
  )
}

const unique = (hashes: ReadonlyArray<string>): ReadonlyArray<string> => [...new Set(hashes)]

/** Compares the rows emitted with those served: every page before the last completely, the last one up to an error. */
const checkRows = (script: Script, pages: ReadonlyArray<Attempts>, observed: Observed): ReadonlyArray<string> => {
  const all = expected(script)
  const hashesOf = ({ served }: Exchange) => served.flatMap((index) => all.slice(index, index + 1))
  const complete = unique(pages.slice(0, -1).flatMap((attempts) => hashesOf(lastOf(attempts))))
  const last = pages.at(-1)
  const isServed = last !== undefined && (isPage(lastOf(last)) || lastOf(last).fault === "wrongOrder")
  const served = unique([...complete, ...(last !== undefined && isServed ? hashesOf(lastOf(last)) : [])])
  const { hashes, outcome } = observed
  const issues: Array<string> = []
  if (unique(hashes).length < hashes.length) issues.push("a row was emitted twice")
  const isPrefix = served.slice(0, hashes.length).every((hash, at) => hash === hashes[at])
  if (!isPrefix || hashes.length > served.length) issues.push("rows were emitted that were not served in this order")
  if (hashes.length < complete.length) {
    issues.push(`${complete.length - hashes.length} rows of valid pages were not emitted`)
  }
  if (outcome === "ended") {
    const isComplete = pages.every((attempts) => faultOf(lastOf(attempts)).endsEarly !== true)
    const wanted = isComplete ? all.length : served.length
    if (hashes.length !== wanted) issues.push(`ended with ${hashes.length} of ${wanted} rows`)
  }
  return issues
}

/**
 * Lists the rules that a client broke; empty for a correct client.
 *
 * **Details**
 * - Every row served is emitted once, in the order served.
 * - The run ends with the last page, or with an error that the last response permits, after every row of earlier pages.
 * - It does not end before a required retry for which there is time.
 * - No page is requested again after an error that forbids it or during a requested wait.
 * - No request follows a redirect or exceeds `maxRequests`.
 */
export const check = (
  script: Script,
  policy: Policy,
  exchanges: ReadonlyArray<Exchange>,
  observed: Observed,
): ReadonlyArray<string> => {
  const pages = pagesOf(exchanges)
  const last = pages.at(-1)
  const outcomes = permitted(pages, observed, policy)
  const most = maxRequests(script)
  const latest = pages.length * policy.deadlineMillis + (policy.slackMillis ?? 500)
  const issues = [
    ...pages.flatMap((attempts) => checkPage(attempts, attempts === last, policy)),
    ...sentTooEarly(exchanges),
    ...checkRows(script, pages, observed),
  ]
  if (!outcomes.has(observed.outcome)) issues.push(`ended with ${observed.outcome}, not ${[...outcomes].join(" or ")}`)
  if (observed.outcome !== "ended" && gaveUp(pages, observed, policy)) issues.push(`gave up with ${observed.outcome}`)
  if (exchanges.length > most) issues.push(`${exchanges.length} requests, more than ${most}`)
  if (exchanges.some(({ url }) => url.includes("/elsewhere"))) issues.push("followed a redirect")
  if (observed.elapsedMillis > latest) issues.push(`took ${Math.round(observed.elapsedMillis)} ms`)
  const attempts = exchanges.map(({ cursor, fault }) => `${cursor ?? "first"}:${fault}`).join(" ")
  return issues.map((issue) => `seed ${script.seed} [${attempts}]: ${issue}`)
}

/** Total number of requests per fault over many runs, rarest first; every fault is listed. */
export const histogram = (
  runs: Iterable<Readonly<Partial<Record<RestFault.Name, number>>>>,
): ReadonlyArray<readonly [RestFault.Name, number]> => sumCounts(RestFault.names, runs)
