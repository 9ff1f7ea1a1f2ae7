/**
 * Random scripts for a hostile REST server, and the judge of what a client's walk over all pages made of them.
 *
 * A script is made from one number and nothing else, so that number replays it. The judge is a pure function of the
 * script, the client's limits, what the server noted and what the walk gave. It knows no client.
 */
import type { Exchange, Step } from "./HostileRest.ts"
import type { Policy } from "./NodeScript.ts"
import * as Random from "./Random.ts"
import * as RestFault from "./RestFault.ts"
import * as WalletHistory from "./WalletHistory.ts"

/** One walk of a client over a hostile server. */
export interface Script {
  readonly seed: number
  readonly rows: number
  readonly isInterleaved: boolean
  readonly order: "ASC" | "DESC"
  readonly pageSize: number
  readonly steps: ReadonlyArray<Step>
}

/** What to draw from. */
export interface Draw {
  /** Default 60. */
  readonly mostRows?: number
  /** Most steps; none may be drawn. Default 8. */
  readonly mostSteps?: number
  /** Faults to draw from. Default: all. */
  readonly faults?: ReadonlyArray<RestFault.Name>
}

/** What a walk gave. */
export interface Observed {
  /** Hashes of the rows, in the order given. */
  readonly hashes: ReadonlyArray<string>
  /** `ended`, or the tag of the error. */
  readonly outcome: "ended" | RestFault.Outcome | (string & {})
  readonly elapsedMillis: number
}

const waits = [0, 1_000, 1_000, 2_000, 3_600_000]

const isGentle = (name: RestFault.Name): boolean => {
  const { again, outcomes, asksWait } = RestFault.all[name]
  return asksWait === undefined && (outcomes.includes("page") || again === "must")
}

/** Faults that a walk survives; in two of three scripts also one, early, that may end it. So most of them are long. */
const someSteps = (
  random: Random.Random,
  count: number,
  faults: ReadonlyArray<RestFault.Name>,
): ReadonlyArray<Step> => {
  const gentle = faults.filter(isGentle)
  const harsh = faults.filter((name) => !isGentle(name))
  const harshAt = harsh.length > 0 && random.integer(3) > 0 ? random.integer(4) : -1
  return Array.from({ length: Math.max(count, harshAt + 1) }, (_, at) => {
    const fault = random.pick(at === harshAt || gentle.length === 0 ? harsh : gentle)
    const waitMillis = random.pick(waits)
    return RestFault.all[fault].asksWait === undefined ? { fault } : { fault, waitMillis }
  })
}

/** The script of a seed. */
export const make = (seed: number, jitter: Draw = {}): Script => {
  const { mostRows = 60, mostSteps = 8, faults = RestFault.names } = jitter
  const random = Random.make(seed)
  return {
    seed,
    rows: random.integer(mostRows + 1),
    isInterleaved: random.integer(2) === 0,
    order: random.pick(["ASC", "DESC"]),
    pageSize: 1 + random.integer(20),
    steps: someSteps(random, random.integer(mostSteps + 1), faults).slice(0, mostSteps),
  }
}

/** Smaller scripts to try when one fails: without one of the steps, with half of the rows, not interleaved. */
export const shrink = (script: Script): ReadonlyArray<Script> => [
  ...(script.rows > 1 ? [{ ...script, rows: script.rows >> 1 }] : []),
  ...(script.isInterleaved ? [{ ...script, isInterleaved: false }] : []),
  ...script.steps.map((_, at) => ({ ...script, steps: script.steps.toSpliced(at, 1) })),
]

/** The history of a script, oldest first. */
export const history = ({ seed, rows, isInterleaved }: Script): ReadonlyArray<WalletHistory.Row> =>
  WalletHistory.make(seed, { rows, interleaved: isInterleaved })

/** The hashes that a walk over good pages gives. */
export const truth = (script: Script): ReadonlyArray<string> =>
  WalletHistory.ordered(history(script), script.order).map(({ hash }) => hash)

/** What a walk may end with. */
export const allowed = (script: Script, policy: Policy): ReadonlySet<"ended" | RestFault.Outcome> => {
  const found = new Set<"ended" | RestFault.Outcome>(["ended"])
  for (const { fault, waitMillis = 0 } of script.steps) {
    for (const outcome of RestFault.all[fault].outcomes) if (outcome !== "page") found.add(outcome)
    if (waitMillis > 0) found.add("RateLimited")
    if (waitMillis + policy.backoffMillis > policy.deadlineMillis) found.add("TimeoutError")
  }
  return found
}

/** Most requests that a script may cost: its pages, and for each step one attempt more and one page more. */
export const mostRequests = ({ rows, pageSize, steps }: Script): number =>
  Math.max(1, Math.ceil(rows / pageSize)) + 2 * steps.length

/** The requests for one page: the attempts, oldest first. */
type Turn = readonly [Exchange, ...ReadonlyArray<Exchange>]

const turnsOf = (exchanges: ReadonlyArray<Exchange>): ReadonlyArray<Turn> => {
  const turns: Array<[Exchange, ...Array<Exchange>]> = []
  for (const exchange of exchanges) {
    const turn = turns.at(-1)
    const before = turn?.at(-1)
    const isAgain = before?.cursor === exchange.cursor && !(isPage(before) && before.next === exchange.cursor)
    if (turn !== undefined && isAgain) turn.push(exchange)
    else turns.push([exchange])
  }
  return turns
}

const lastOf = (turn: Turn): Exchange => turn.at(-1) ?? turn[0]

const rowOf = ({ fault }: Exchange): RestFault.Row => RestFault.all[fault]

const isPage = (exchange: Exchange): boolean => rowOf(exchange).outcomes.includes("page")

const judgeTurn = (turn: Turn, isLastTurn: boolean, policy: Policy): ReadonlyArray<string> => {
  const issues: Array<string> = []
  for (const { fault, number } of turn.slice(0, -1)) {
    const { again } = RestFault.all[fault]
    if (again === "never" && policy.attemptTimeoutMillis === undefined) {
      issues.push(`request ${number} (${fault}) was sent again`)
    }
  }
  if (turn.length > policy.maxAttempts) issues.push(`${turn.length} attempts for the cursor ${turn[0].cursor}`)
  const last = lastOf(turn)
  if (!isLastTurn && !isPage(last)) issues.push(`went on after request ${last.number} (${last.fault})`)
  return issues
}

const timerMillis = 2

const impatient = (exchanges: ReadonlyArray<Exchange>): ReadonlyArray<string> =>
  exchanges.flatMap((told, at) => {
    const { waitMillis = 0, endedAtMillis } = told
    const next = exchanges[at + 1]
    if (next === undefined || endedAtMillis === undefined || told.end !== "sent") return []
    const inexact = rowOf(told).asksWait === "second" ? 1_000 : 0
    const after = next.atMillis - endedAtMillis
    if (after >= waitMillis - inexact - timerMillis) return []
    return [
      `request ${next.number} came ${Math.round(after)} ms after it was asked to wait ${waitMillis} (${told.fault})`,
    ]
  })

/** How long the last page took the client: the walk's time less that of the pages before. */
const lastedMillis = (turns: ReadonlyArray<Turn>, observed: Observed): number => {
  const [first, last] = [turns[0], turns.at(-1)]
  return observed.elapsedMillis - ((last?.[0].atMillis ?? 0) - (first?.[0].atMillis ?? 0))
}

const mayEnd = (turns: ReadonlyArray<Turn>, observed: Observed, policy: Policy): ReadonlySet<string> => {
  const turn = turns.at(-1)
  if (turn === undefined) return new Set(["TimeoutError"])
  const last = lastOf(turn)
  const found = new Set<string>(rowOf(last).outcomes)
  if (found.delete("page") && last.next === null) found.add("ended")
  const patience = Math.min(policy.attemptTimeoutMillis ?? policy.deadlineMillis, policy.deadlineMillis)
  const isCut = last.end === "closedByClient" && (last.endedAtMillis ?? Infinity) - last.atMillis >= patience * 0.5
  if (isCut || lastedMillis(turns, observed) >= policy.deadlineMillis * 0.9) found.add("TimeoutError")
  return found
}

const givesUp = (turns: ReadonlyArray<Turn>, observed: Observed, policy: Policy): boolean => {
  const turn = turns.at(-1)
  if (turn === undefined) return false
  const last = lastOf(turn)
  const soonest = lastedMillis(turns, observed) + Math.max(policy.backoffMillis, last.waitMillis ?? 0)
  return rowOf(last).again === "must" && turn.length < policy.maxAttempts && soonest < policy.deadlineMillis * 0.8
}

const unique = (hashes: ReadonlyArray<string>): ReadonlyArray<string> => [...new Set(hashes)]

/** The rows that must have been given, and those of the last page, which an error may have cut. */
const judgeRows = (script: Script, turns: ReadonlyArray<Turn>, observed: Observed): ReadonlyArray<string> => {
  const all = truth(script)
  const hashesOf = ({ served }: Exchange) => served.flatMap((index) => all.slice(index, index + 1))
  const taken = unique(turns.slice(0, -1).flatMap((turn) => hashesOf(lastOf(turn))))
  const last = turns.at(-1)
  const isServed = last !== undefined && (isPage(lastOf(last)) || lastOf(last).fault === "wrongOrder")
  const whole = unique([...taken, ...(last !== undefined && isServed ? hashesOf(lastOf(last)) : [])])
  const { hashes, outcome } = observed
  const issues: Array<string> = []
  if (unique(hashes).length < hashes.length) issues.push("a row was given twice")
  const isPrefix = whole.slice(0, hashes.length).every((hash, at) => hash === hashes[at])
  if (!isPrefix || hashes.length > whole.length) issues.push("rows were given that were not served in this order")
  if (hashes.length < taken.length) issues.push(`${taken.length - hashes.length} rows of good pages were not given`)
  if (outcome === "ended") {
    const isWhole = turns.every((turn) => rowOf(lastOf(turn)).endsEarly !== true)
    const wanted = isWhole ? all.length : whole.length
    if (hashes.length !== wanted) issues.push(`ended with ${hashes.length} of ${wanted} rows`)
  }
  return issues
}

/**
 * What is wrong with how a walk fared; nothing when all is well.
 *
 * It gives each row that was served once and in the order served, and ends with the last page, or with an error that the
 * last answer allows and after every row of the pages before. It is not given up while another attempt is due, does not
 * ask again what was refused for good, keeps the waits it was asked for, and stays within `mostRequests`.
 */
export const judge = (
  script: Script,
  policy: Policy,
  exchanges: ReadonlyArray<Exchange>,
  observed: Observed,
): ReadonlyArray<string> => {
  const turns = turnsOf(exchanges)
  const last = turns.at(-1)
  const ends = mayEnd(turns, observed, policy)
  const most = mostRequests(script)
  const latest = turns.length * policy.deadlineMillis + (policy.slackMillis ?? 500)
  const issues = [
    ...turns.flatMap((turn) => judgeTurn(turn, turn === last, policy)),
    ...impatient(exchanges),
    ...judgeRows(script, turns, observed),
  ]
  if (!ends.has(observed.outcome)) issues.push(`ended with ${observed.outcome}, not ${[...ends].join(" or ")}`)
  if (observed.outcome !== "ended" && givesUp(turns, observed, policy)) issues.push(`gave up with ${observed.outcome}`)
  if (exchanges.length > most) issues.push(`${exchanges.length} requests, more than ${most}`)
  if (exchanges.some(({ path }) => path.includes("/elsewhere"))) issues.push("followed a redirect")
  if (observed.elapsedMillis > latest) issues.push(`took ${Math.round(observed.elapsedMillis)} ms`)
  const story = exchanges.map(({ cursor, fault }) => `${cursor ?? "first"}:${fault}`).join(" ")
  return issues.map((issue) => `seed ${script.seed} [${story}]: ${issue}`)
}

/** Adds up how often faults were played, for many scripts; every fault is there, the rarest first. */
export const histogram = (
  runs: Iterable<Readonly<Partial<Record<RestFault.Name, number>>>>,
): ReadonlyArray<readonly [RestFault.Name, number]> => {
  const total = new Map<RestFault.Name, number>(RestFault.names.map((name) => [name, 0]))
  for (const run of runs) {
    for (const name of RestFault.names) total.set(name, (total.get(name) ?? 0) + (run[name] ?? 0))
  }
  return [...total].toSorted(([, a], [, b]) => a - b)
}
