/**
 * Runs scripts of a hostile server against the client over real sockets, and checks its results. Bugs are injected outside the client:
 * in its `fetch`, or by reading pages without its safeguards.
 */
import { HostileRest, type NodeScript, type RestFault, RestScript, ScriptRunner, WalletHistory } from "@daybook/hostile"
import { createRestClient } from "@daybook/rest/promise"

/** Limits of the client, in the form that the check accepts. */
const policy: NodeScript.Policy = {
  maxAttempts: 4,
  deadlineMillis: 1_500,
  backoffMillis: 10,
  slackMillis: 1_500,
}

export type Bug = "reads without safeguards" | "ignores Retry-After" | "treats a cut page as the last"

type FetchOf = NonNullable<Parameters<typeof createRestClient>[0]["fetch"]>

const withoutRetryAfter: FetchOf = async (url, init) => {
  const response = await fetch(url, init)
  const headers = new Headers(response.headers)
  headers.delete("retry-after")
  // A body that the platform has decompressed must not declare a coding.
  headers.delete("content-encoding")
  headers.delete("content-length")
  return new Response(response.body, { status: response.status === 429 ? 503 : response.status, headers })
}

const withEmptyPage: FetchOf = async (url, init) => {
  const response = await fetch(url, init)
  const text = await response.text().catch(() => `{"page":"0","page_size":"1","cursor":null,"result":[]}`)
  return new Response(response.status === 204 ? null : text, { status: response.status })
}

const fetches: Partial<Record<Bug, FetchOf>> = {
  "ignores Retry-After": withoutRetryAfter,
  "treats a cut page as the last": withEmptyPage,
}

const clientOf = (url: string, bug: Bug | undefined, limits: NodeScript.Policy) =>
  createRestClient({
    baseUrl: url,
    apiKey: "key-1",
    timeout: limits.deadlineMillis,
    retry: { maxAttempts: limits.maxAttempts, base: 2, cap: limits.backoffMillis },
    maxBytes: 2 * 1024 * 1024,
    fetch: bug === undefined ? undefined : fetches[bug],
  })

/** Reads pages without safeguards: follows the cursor and returns what was received. */
async function* readUnguarded(rest: ReturnType<typeof clientOf>, order: "ASC" | "DESC") {
  let cursor: string | undefined
  for (let pages = 0; pages < 60; pages++) {
    const page = await rest.walletTransactions({ address: WalletHistory.wallet, order, cursor })
    yield* page.result
    if (page.cursor === null || page.cursor === undefined) return
    cursor = page.cursor
  }
}

const walk = async (
  rest: ReturnType<typeof clientOf>,
  script: RestScript.Script,
  bug: Bug | undefined,
): Promise<RestScript.Observed> => {
  const { order, seed } = script
  const prefetch = seed % 3 !== 0
  const rows =
    bug === "reads without safeguards"
      ? readUnguarded(rest, order)
      : rest.walletTransactionsStream({ address: WalletHistory.wallet, order }, { prefetch })
  const hashes: Array<string> = []
  const began = performance.now()
  let outcome = "ended"
  try {
    for await (const { hash } of rows) hashes.push(hash)
  } catch (error) {
    outcome = typeof error === "object" && error !== null && "_tag" in error ? String(error._tag) : String(error)
  }
  return { hashes, outcome, elapsedMillis: performance.now() - began }
}

export interface ScriptOutcome {
  readonly issues: ReadonlyArray<string>
  /** True if the script permits the outcome, regardless of time. */
  readonly isAllowed: boolean
  readonly outcome: string
  readonly histogram: Readonly<Partial<Record<RestFault.Name, number>>>
}

/** Runs one script; the client's time limits are multiplied by `timeFactor`. */
const runScript = async (script: RestScript.Script, bug?: Bug, timeFactor = 1): Promise<ScriptOutcome> => {
  const limits = { ...policy, deadlineMillis: policy.deadlineMillis * timeFactor }
  const { pageSize, steps } = script
  const server = await HostileRest.start({ history: RestScript.history(script), pageSize, script: steps })
  try {
    const observed = await walk(clientOf(server.url, bug, limits), script, bug)
    const isClosed = await server.settled(10_000)
    const issues = RestScript.check(script, limits, server.exchanges(), observed)
    const open = isClosed ? [] : [`seed ${script.seed}: a request was left open`]
    // An injected bug causes outcomes that no script permits.
    const isAllowed = bug !== undefined || RestScript.allowed(script, limits).has(observed.outcome as RestFault.Outcome)
    return { issues: [...issues, ...open], isAllowed, outcome: observed.outcome, histogram: server.histogram() }
  } finally {
    await server.stop()
  }
}

const isLate = ({ isAllowed, issues }: ScriptOutcome): boolean =>
  !isAllowed || issues.some((issue) => /: (?:ended with TimeoutError|gave up with|took \d)/.test(issue))

/** Runs the scripts of this many seeds, several at a time, with all faults or the given ones. */
export const runAll = async (
  seeds: number,
  bug?: Bug,
  bounds: RestScript.Bounds = {},
): Promise<ReadonlyArray<ScriptOutcome & { readonly wasLate: boolean }>> => {
  const scripts = Array.from({ length: seeds }, (_, seed) => RestScript.make(seed, bounds))
  const results = await ScriptRunner.runAll(scripts, 16, {
    isLate,
    run: (script, more) => runScript(script, bug, more),
  })
  return results.map(({ result, wasLate }) => ({ ...result, wasLate }))
}
