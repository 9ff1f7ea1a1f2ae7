/**
 * A small careful JSON-RPC client for the judge's own tests, and the same client with a bug planted in it.
 * One batch for all calls; what failed is sent again.
 */
import type { NodeFault, NodeScript, VirtualChain } from "@daybook/testkit"
import { NodeScript as Script } from "@daybook/testkit"

export type Bug =
  | "matches by position"
  | "timeout ends at the headers"
  | "reads seconds as milliseconds"
  | "follows redirects"
  | "repeats what is refused"
  | "gives up at once"
  | "reads without a limit"

const maxBytes = 1024 * 1024
const maxItemBytes = 512 * 1024

interface Verdict {
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

const invalid: Verdict = { outcome: "InvalidResponse" }

const ofError = (error: unknown, status: number, isBatch: boolean, waitMillis: number): Verdict => {
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
): ReadonlyArray<Verdict> => {
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
    return { outcome: Script.outcomeOf(call, reply["result"]) }
  })
}

const send = async (
  url: string,
  calls: ReadonlyArray<VirtualChain.Call>,
  leftMillis: number,
  bug: Bug | undefined,
): Promise<ReadonlyArray<Verdict>> => {
  const all = (verdict: Verdict) => calls.map(() => verdict)
  const requests = calls.map(({ method, params }, id) => ({ jsonrpc: "2.0", id, method, params }))
  const abort = new AbortController()
  let isLate = false
  const timer = setTimeout(() => {
    isLate = true
    abort.abort()
  }, leftMillis)
  try {
    const response = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(calls.length > 1 ? requests : requests[0]),
      redirect: bug === "follows redirects" ? "follow" : "manual",
      signal: abort.signal,
    })
    if (bug === "timeout ends at the headers") clearTimeout(timer)
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
    if (isLate) return all({ outcome: "TimeoutError" })
    if (cause instanceof RangeError) return all(invalid)
    return all({ outcome: "TransportError", again: true })
  } finally {
    clearTimeout(timer)
    abort.abort()
  }
}

/** Runs all calls of a script and tells what they ended with. */
export const run = async (
  url: string,
  script: NodeScript.Script,
  policy: NodeScript.Policy,
  bug?: Bug,
): Promise<ReadonlyArray<NodeScript.Observed>> => {
  const began = performance.now()
  const ended: Array<NodeScript.Observed> = []
  let pausedUntil = began
  const chase = async (calls: ReadonlyArray<VirtualChain.Call>, attempt: number): Promise<void> => {
    const left = policy.deadlineMillis - (performance.now() - began)
    const pauseMillis = pausedUntil - performance.now()
    if (left <= 1 || pauseMillis >= left) {
      const outcome = left <= 1 ? "TimeoutError" : "RateLimited"
      for (const call of calls) ended.push({ call, outcome, elapsedMillis: policy.deadlineMillis - left })
      return
    }
    if (pauseMillis > 0) await new Promise((resolve) => setTimeout(resolve, pauseMillis + 1))
    const verdicts = await send(url, calls, policy.deadlineMillis - (performance.now() - began), bug)
    const elapsedMillis = performance.now() - began
    const again: Array<VirtualChain.Call> = []
    const split: Array<VirtualChain.Call> = []
    const waitMillis = Math.max(policy.backoffMillis, ...verdicts.map((verdict) => verdict.waitMillis ?? 0))
    const asksPause = verdicts.some((verdict) => verdict.outcome === "RateLimited" || (verdict.waitMillis ?? 0) > 0)
    if (asksPause) pausedUntil = Math.max(pausedUntil, performance.now() + waitMillis)
    const hasTime = elapsedMillis + waitMillis < policy.deadlineMillis
    for (const [at, call] of calls.entries()) {
      const verdict = verdicts[at] ?? invalid
      const wants = verdict.again === true || (bug === "repeats what is refused" && verdict.outcome === "RpcError")
      if (verdict.splits === true) split.push(call)
      else if (wants && bug !== "gives up at once" && attempt < policy.maxAttempts && hasTime) again.push(call)
      else ended.push({ call, outcome: verdict.outcome, elapsedMillis })
    }
    if (again.length > 0) {
      await new Promise((resolve) => setTimeout(resolve, waitMillis))
      await chase(again, attempt + 1)
    }
    const middle = split.length >> 1
    for (const half of [split.slice(0, middle), split.slice(middle)]) if (half.length > 0) await chase(half, attempt)
  }
  const unending = new Promise<void>((resolve) => setTimeout(resolve, policy.deadlineMillis + 500).unref())
  await Promise.race([chase(script.calls, 1), unending])
  const missing = script.calls.filter((call) => !ended.some((one) => one.call === call))
  return [...ended, ...missing.map((call) => ({ call, outcome: "hangs", elapsedMillis: performance.now() - began }))]
}
