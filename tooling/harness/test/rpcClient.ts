/**
 * Small correct JSON-RPC client, and variants of it with one bug each, to test the judge. It sends all calls in one batch and
 * retries those that failed.
 */
import { Eventually, NodeScript, type NodeFault, type VirtualChain } from "@daybook/harness"

export type Bug =
  | "matches by position"
  | "timeout ends at the headers"
  | "reads seconds as milliseconds"
  | "follows redirects"
  | "retries permanent errors"
  | "gives up at once"
  | "reads without a limit"

const maxBytes = 1024 * 1024
const maxItemBytes = 512 * 1024

interface Result {
  readonly outcome: NodeFault.Outcome | "wrong"
  readonly again?: boolean
  readonly waitMillis?: number
  readonly splits?: boolean
}

const waitOf = (headers: Headers, bug: Bug | undefined): number => {
  const text = headers.get("retry-after") ?? "0"
  const millis = headers.get("retry-after-ms")
  if (millis !== null) return Number(millis)
  if (/^\d+$/.test(text)) return Number(text) * (bug === "reads seconds as milliseconds" ? 1 : 1000)
  return Math.max(0, Date.parse(text) - Date.parse(headers.get("date") ?? ""))
}

const readText = async (response: Response, bug: Bug | undefined): Promise<string> => {
  const chunks: Array<Uint8Array> = []
  let size = 0
  for await (const chunk of response.body ?? []) {
    size += chunk.length
    if (size > maxBytes && bug !== "reads without a limit") throw new RangeError("too large")
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString("utf8")
}

const invalid: Result = { outcome: "InvalidResponse" }

const ofError = (error: unknown, status: number, isBatch: boolean, waitMillis: number): Result => {
  if (typeof error !== "object" || error === null) return invalid
  const { code, message } = error as { readonly code: number; readonly message: string }
  if (
    status === 429 ||
    [-32005, -32007, -32011, -32029, 429].includes(code) ||
    message.startsWith("Too many requests")
  ) {
    return { outcome: "RateLimited", again: true, waitMillis }
  }
  if (isBatch && [-32003, -32202].includes(code)) return { outcome: "RpcError", splits: true }
  return { outcome: "RpcError", again: code === -32603 }
}

const ofItems = (
  calls: ReadonlyArray<VirtualChain.Call>,
  body: unknown,
  status: number,
  waitMillis: number,
  bug: Bug | undefined,
): ReadonlyArray<Result> => {
  const isBatch = calls.length > 1
  if (isBatch && !Array.isArray(body)) {
    const { error, id } = body as { readonly error?: unknown; readonly id?: unknown }
    return calls.map(() => (error === undefined || id !== null ? invalid : ofError(error, status, true, waitMillis)))
  }
  const items = (Array.isArray(body) ? body : [body]) as ReadonlyArray<Readonly<Record<string, unknown>>>
  return calls.map((call, at) => {
    const byId = items.filter(({ id, error }) => id === at || (!isBatch && error !== undefined && id === null))
    const own = bug === "matches by position" ? items.slice(at, at + 1) : byId
    const [reply] = own
    if (reply === undefined) return { ...invalid, again: status === 200 }
    if (own.length > 1 || reply["jsonrpc"] !== "2.0") return invalid
    if ("error" in reply) return ofError(reply["error"], status, isBatch, waitMillis)
    if (!("result" in reply) || JSON.stringify(reply["result"]).includes("nonsense")) return invalid
    if (JSON.stringify(reply["result"]).length > maxItemBytes) return invalid
    return { outcome: NodeScript.outcomeOf(call, reply["result"]) }
  })
}

const send = async (
  url: string,
  calls: ReadonlyArray<VirtualChain.Call>,
  leftMillis: number,
  bug: Bug | undefined,
): Promise<ReadonlyArray<Result>> => {
  const all = (result: Result) => calls.map(() => result)
  const requests = calls.map(({ method, params }, id) => ({ jsonrpc: "2.0", id, method, params }))
  const abort = new AbortController()
  const timeout = AbortSignal.timeout(Math.ceil(leftMillis))
  const onTimeout = () => abort.abort()
  timeout.addEventListener("abort", onTimeout)
  try {
    const response = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(calls.length > 1 ? requests : requests[0]),
      redirect: bug === "follows redirects" ? "follow" : "manual",
      signal: abort.signal,
    })
    if (bug === "timeout ends at the headers") timeout.removeEventListener("abort", onTimeout)
    const { status, headers } = response
    const waitMillis = waitOf(headers, bug)
    if (status === 401) return all({ outcome: "Unauthorized" })
    if (status === 307) return all(invalid)
    if (status === 413) return all({ ...invalid, splits: true })
    const text = await readText(response, bug)
    try {
      return ofItems(calls, JSON.parse(text), status, waitMillis, bug)
    } catch {
      if (status === 429) return all({ outcome: "RateLimited", again: true, waitMillis })
      return all({ ...invalid, again: status >= 500, waitMillis })
    }
  } catch (cause) {
    if (timeout.aborted) return all({ outcome: "TimeoutError" })
    if (cause instanceof RangeError) return all(invalid)
    return all({ outcome: "TransportError", again: true })
  } finally {
    timeout.removeEventListener("abort", onTimeout)
    abort.abort()
  }
}

/** Resolves after this many milliseconds. */
const wait = (millis: number) => {
  const until = performance.now() + millis
  return Eventually.until(() => performance.now() >= until)
}

/** Makes all calls of a script and reports their outcomes. */
export const run = async (
  url: string,
  script: NodeScript.Script,
  policy: NodeScript.Policy,
  bug?: Bug,
): Promise<ReadonlyArray<NodeScript.Observed>> => {
  const began = performance.now()
  const ended: Array<NodeScript.Observed> = []
  let pausedUntil = began
  const settle = async (calls: ReadonlyArray<VirtualChain.Call>, attempt: number): Promise<void> => {
    const left = policy.deadlineMillis - (performance.now() - began)
    const pauseMillis = pausedUntil - performance.now()
    if (left <= 1 || pauseMillis >= left) {
      const outcome = left <= 1 ? "TimeoutError" : "RateLimited"
      for (const call of calls) ended.push({ call, outcome, elapsedMillis: policy.deadlineMillis - left })
      return
    }
    if (pauseMillis > 0) await wait(pauseMillis + 1)
    const results = await send(url, calls, policy.deadlineMillis - (performance.now() - began), bug)
    const elapsedMillis = performance.now() - began
    const again: Array<VirtualChain.Call> = []
    const split: Array<VirtualChain.Call> = []
    const waitMillis = Math.max(policy.backoffMillis, ...results.map((result) => result.waitMillis ?? 0))
    const asksWait = results.some((result) => result.outcome === "RateLimited" || (result.waitMillis ?? 0) > 0)
    if (asksWait) pausedUntil = Math.max(pausedUntil, performance.now() + waitMillis)
    const hasTime = elapsedMillis + waitMillis < policy.deadlineMillis
    for (const [at, call] of calls.entries()) {
      const result = results[at] ?? invalid
      const isRetryable = result.again === true || (bug === "retries permanent errors" && result.outcome === "RpcError")
      if (result.splits === true) split.push(call)
      else if (isRetryable && bug !== "gives up at once" && attempt < policy.maxAttempts && hasTime) again.push(call)
      else ended.push({ call, outcome: result.outcome, elapsedMillis })
    }
    if (again.length > 0) {
      await wait(waitMillis)
      await settle(again, attempt + 1)
    }
    const middle = split.length >> 1
    for (const half of [split.slice(0, middle), split.slice(middle)]) if (half.length > 0) await settle(half, attempt)
  }
  const isComplete = () => ended.length === script.calls.length
  const late = policy.deadlineMillis + 500
  const bounded = Eventually.until(isComplete, { withinMillis: late }).catch(() => undefined)
  await Promise.race([settle(script.calls, 1), bounded])
  const missing = script.calls.filter((call) => !ended.some((one) => one.call === call))
  return [...ended, ...missing.map((call) => ({ call, outcome: "hangs", elapsedMillis: performance.now() - began }))]
}
