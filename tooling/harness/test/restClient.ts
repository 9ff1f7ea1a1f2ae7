/** Small correct client that reads all pages of the wallet operation, and variants of it with one bug each, to test the judge. */
import { Eventually, type NodeScript, type RestScript, WalletHistory } from "@daybook/harness"

export type Bug =
  | "emits repeated rows"
  | "follows a repeated cursor"
  | "ends at an empty page"
  | "accepts any order"
  | "ignores Retry-After"
  | "takes a truncated page for the last"

interface Row {
  readonly hash: string
  readonly block_number: string | number
  readonly block_timestamp: string
}

interface Page {
  readonly cursor?: string | null
  readonly result: Row | ReadonlyArray<Row>
}

/** An error: its tag, whether it is retried, and after how long. */
class Failed extends Error {
  readonly tag: string
  readonly isRetryable: boolean
  readonly waitMillis: number
  constructor(tag: string, isRetryable = false, waitMillis = 0) {
    super(tag)
    this.tag = tag
    this.isRetryable = isRetryable
    this.waitMillis = waitMillis
  }
}

const tags: Readonly<Record<number, string>> = {
  400: "BadRequest",
  401: "Unauthorized",
  403: "Forbidden",
  404: "NotFound",
  409: "StaleCursor",
  429: "RateLimited",
  503: "Unavailable",
}

const waitOf = (headers: Headers): number => {
  const text = headers.get("retry-after") ?? "0"
  if (/^\d+$/.test(text)) return Number(text) * 1000
  return Math.max(0, Date.parse(text) - Date.parse(headers.get("date") ?? ""))
}

const read = async (response: Response): Promise<string> => {
  const chunks: Array<Uint8Array> = []
  let size = 0
  for await (const chunk of response.body ?? []) {
    size += chunk.length
    if (size > 1024 * 1024) throw new Failed("InvalidResponse")
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString("utf8")
}

const rowsOf = ({ result }: Page): ReadonlyArray<Row> => (Array.isArray(result) ? result : [result as Row])

const parse = (text: string): Page => {
  try {
    const page = JSON.parse(text) as Page
    if (rowsOf(page).every((row) => /^\d+$/.test(String(row.block_number)))) return page
  } catch {
    // Reported below.
  }
  throw new Failed("InvalidResponse")
}

const fetchPage = async (url: URL, leftMillis: number): Promise<Page> => {
  const abort = new AbortController()
  const timeout = AbortSignal.timeout(Math.max(1, Math.ceil(leftMillis)))
  try {
    const response = await fetch(url, { redirect: "manual", signal: AbortSignal.any([abort.signal, timeout]) })
    const { status, headers } = response
    if (status === 200) return parse(await read(response))
    const text = await read(response)
    const tag = status === 401 && text.includes("has been consumed") ? "QuotaExceeded" : tags[status]
    throw new Failed(tag ?? "InvalidResponse", status === 429 || status >= 500, waitOf(headers))
  } catch (cause) {
    if (cause instanceof Failed) throw cause
    throw timeout.aborted ? new Failed("TimeoutError") : new Failed("TransportError", true)
  } finally {
    abort.abort()
  }
}

const tryPage = async (url: URL, policy: NodeScript.Policy, bug: Bug | undefined): Promise<Page> => {
  const began = performance.now()
  for (let attempt = 1; ; attempt++) {
    try {
      return await fetchPage(url, policy.deadlineMillis - (performance.now() - began))
    } catch (cause) {
      if (!(cause instanceof Failed)) throw cause
      const wait = Math.max(policy.backoffMillis, bug === "ignores Retry-After" ? 0 : cause.waitMillis)
      const isLate = performance.now() - began + wait >= policy.deadlineMillis
      if (bug === "takes a truncated page for the last" && cause.tag === "TransportError")
        return { cursor: null, result: [] }
      if (!cause.isRetryable || attempt === policy.maxAttempts || isLate) throw cause
      const until = performance.now() + wait + 1
      await Eventually.until(() => performance.now() >= until)
    }
  }
}

/** Reads all pages of a script and reports the rows emitted and the outcome. */
export const readAll = async (
  baseUrl: string,
  script: RestScript.Script,
  policy: NodeScript.Policy,
  bug?: Bug,
): Promise<RestScript.Observed> => {
  const began = performance.now()
  const hashes: Array<string> = []
  const known = new Set<string>()
  const cursors = new Set<string>()
  let [block, time] = [-1, -1]
  const take = (row: Row) => {
    if (known.has(row.hash) && bug !== "emits repeated rows") return
    const [rowBlock, rowTime] = [Number(row.block_number), Date.parse(row.block_timestamp)]
    const isBehind = block >= 0 && (script.order === "ASC" ? rowBlock < block : rowBlock > block)
    if (isBehind && rowTime !== time && bug !== "accepts any order") throw new Failed("OutOfOrder")
    if (!isBehind) [block, time] = [rowBlock, rowTime]
    known.add(row.hash)
    hashes.push(row.hash)
  }
  const ended = (outcome: string) => ({ hashes, outcome, elapsedMillis: performance.now() - began })
  const url = new URL(`${baseUrl}/api/v2.2/${WalletHistory.wallet}/verbose`)
  url.searchParams.set("order", script.order)
  try {
    for (let pages = 0; pages < 200; pages++) {
      const page = await tryPage(url, policy, bug)
      for (const row of rowsOf(page)) take(row)
      const { cursor = null } = page
      if (cursor === null || (bug === "ends at an empty page" && rowsOf(page).length === 0)) return ended("ended")
      if (cursors.has(cursor) && bug !== "follows a repeated cursor") return ended("InvalidResponse")
      cursors.add(cursor)
      url.searchParams.set("cursor", cursor)
    }
    return ended("hangs")
  } catch (cause) {
    return ended(cause instanceof Failed ? cause.tag : String(cause))
  }
}
