/**
 * JSON-RPC node that misbehaves by script over real sockets and records what it sent to which call.
 *
 * It replies from `VirtualChain`, or from a real node, except where the script has a fault. The n-th request receives the
 * n-th step; requests after the last step are answered correctly. A function in place of a script chooses the fault of each
 * request, for example by the number of times a call was received.
 */
import type { Effect, Scope } from "effect"
import * as FakeNode from "@daybook/harness/FakeNode"
import * as FaultyServer from "@daybook/harness/FaultyServer"
import * as LocalServer from "@daybook/harness/LocalServer"
import * as NodeFault from "./NodeFault.ts"
import * as VirtualChain from "./VirtualChain.ts"

/** A fault to apply to one request. */
export interface Step {
  readonly fault: NodeFault.Name
  /** Which call is affected, as a share of the calls of the request in [0, 1). Default 0: the first. */
  readonly target?: number
  /** Wait requested by a fault with `retryAfter`, in milliseconds; a header in seconds rounds it up. Default 0. */
  readonly waitMillis?: number
}

/** A call of a request. */
export interface Call extends NodeFault.Call {
  /** `VirtualChain.keyOf` of the call. */
  readonly key: string
  /** Number of times this call was received, including this time. */
  readonly attempt: number
}

/** A request before its response. */
export interface Request extends FaultyServer.Request {
  readonly calls: ReadonlyArray<Call>
  readonly isBatch: boolean
}

/** A call and the fault that affected it. */
export interface AnsweredCall extends Call {
  /** `none` if the response to the call was correct. */
  readonly fault: NodeFault.Name
}

/** A request, the fault applied to it, and how it ended. */
export interface Exchange extends FaultyServer.Exchange {
  readonly isBatch: boolean
  readonly calls: ReadonlyArray<AnsweredCall>
  /** `none` also if the scripted fault did not apply to the request. */
  readonly fault: NodeFault.Name
  /** Wait requested for all calls, in milliseconds; undefined when the response requested none. */
  readonly waitMillis: number | undefined
}

/** How to start a hostile node. */
export interface Options {
  /** Steps in order of arrival, or a function that chooses a step for each request. Default: no faults. */
  readonly script?: ReadonlyArray<Step> | ((request: Request) => Step)
  /** Rejects every batch larger than `maxCalls`, regardless of the script. */
  readonly batchLimit?:
    | { readonly maxCalls: number; readonly fault: "rejected413" | "rejectedSize" | "rejectedBatch" }
    | undefined
  /** URL of a real node that supplies the correct replies. Default: `VirtualChain`. */
  readonly upstream?: string
}

/** A running hostile node. */
export interface Node extends Omit<FaultyServer.Server, "exchanges"> {
  readonly exchanges: () => ReadonlyArray<Exchange>
  /** Number of requests that received each fault; faults that were not applied are absent. */
  readonly histogram: () => Readonly<Partial<Record<NodeFault.Name, number>>>
}

type Facts = Pick<Exchange, "isBatch" | "calls" | "fault" | "waitMillis">

const exceedsLimit = ({ batchLimit }: Options, { calls, isBatch }: Pick<Request, "calls" | "isBatch">): boolean =>
  batchLimit !== undefined && isBatch && calls.length > batchLimit.maxCalls

/** The wait that the response carries, after rounding. */
const waitOf = (fault: NodeFault.Name, { waitMillis = 0 }: Step): number | undefined => {
  if (NodeFault.all[fault].retryAfter === undefined) return undefined
  return fault === "limitedMillis" ? waitMillis : Math.ceil(waitMillis / 1000) * 1000
}

const parseError = JSON.stringify({ jsonrpc: "2.0", id: null, error: { code: -32700, message: "Parse error" } })

/** Starts a hostile node; call `stop` to end it. */
export const start = async (options: Options = {}): Promise<Node> => {
  const { script = [] } = options
  const choose = typeof script === "function" ? script : ({ number }: Request): Step | undefined => script[number - 1]
  const facts = new Map<number, Facts>()
  const attempts = new Map<string, number>()

  const count = (call: NodeFault.Call): Call => {
    const key = VirtualChain.keyOf(call)
    const attempt = (attempts.get(key) ?? 0) + 1
    attempts.set(key, attempt)
    return Object.assign({}, call, { key, attempt })
  }

  const respond = async (received: FaultyServer.Request): Promise<FaultyServer.Response> => {
    const { isBatch, calls: read } = FakeNode.callsOf(received.body)
    const calls = read.map(count)
    const request: Request = { ...received, isBatch, calls }
    const step: Step = choose(request) ?? { fault: "none" }
    const scripted = exceedsLimit(options, request) ? (options.batchLimit?.fault ?? "none") : step.fault
    const fault = NodeFault.inRequest(scripted, { isBatch, calls: calls.length })
    const target = Math.floor((step.target ?? 0) * calls.length)
    const waitMillis = waitOf(fault, step)
    const answered = calls.map((call, at) => Object.assign({ fault: NodeFault.ofCall(fault, at, target) }, call))
    facts.set(received.number, { isBatch, calls: answered, fault, waitMillis })
    const { upstream } = options
    const replies = await Promise.all(
      calls.map(async (call) =>
        upstream === undefined ? VirtualChain.answer(call) : FakeNode.forward(upstream, call),
      ),
    )
    const acceptsGzip = /\bgzip\b/.test(String(received.headers["accept-encoding"]))
    return NodeFault.all[fault].respond({ calls, replies, isBatch, target, waitMillis: waitMillis ?? 0, acceptsGzip })
  }

  const server = await FaultyServer.start((received) => respond(received).catch(() => ({ body: parseError })))
  const unreadable: Facts = { isBatch: false, calls: [], fault: "none", waitMillis: undefined }
  return {
    ...server,
    exchanges: () =>
      server.exchanges().map((exchange) => Object.assign({}, exchange, facts.get(exchange.number) ?? unreadable)),
    histogram: () => {
      const counts: Partial<Record<NodeFault.Name, number>> = {}
      for (const { fault } of facts.values()) counts[fault] = (counts[fault] ?? 0) + 1
      return counts
    },
  }
}

/** Runs a hostile node until the scope closes. */
export const make = (options: Options = {}): Effect.Effect<Node, never, Scope.Scope> =>
  LocalServer.scoped(() => start(options))
