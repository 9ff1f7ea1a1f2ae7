/**
 * A JSON-RPC node that misbehaves on purpose, over real sockets, and remembers what it did to whom.
 *
 * It tells the truth of `VirtualChain`, or of a real node behind it, except where its script says otherwise. The n-th
 * request gets the n-th step; after the last step all is right. A function in place of a script decides by what it
 * sees, for example by how often a call has come.
 */
import type { Effect, Scope } from "effect"
import * as NodeFault from "./NodeFault.ts"
import * as VirtualChain from "./VirtualChain.ts"
import * as Wire from "./Wire.ts"

/** One misbehaviour to play. */
export interface Step {
  readonly fault: NodeFault.Name
  /** Which call of the request is hit, as a share of its calls in [0, 1). Default 0: the first. */
  readonly victim?: number
  /** The wait that a fault with `asksWait` asks for, in milliseconds; a header of seconds rounds it up. Default 0. */
  readonly waitMillis?: number
}

/** A call of a request. */
export interface Call extends NodeFault.Call {
  /** `VirtualChain.keyOf` of the call. */
  readonly key: string
  /** How many times this call has come, this time included. */
  readonly attempt: number
}

/** A request that is about to be answered. */
export interface Request extends Wire.Incoming {
  readonly calls: ReadonlyArray<Call>
  readonly isBatch: boolean
}

/** What was done to one call of a request. */
export interface Dealt extends Call {
  /** The fault that touched the call; `right` when it was answered right. */
  readonly fate: NodeFault.Name
}

/** A request, what was done to it, and who ended it. */
export interface Exchange extends Wire.Exchange {
  readonly isBatch: boolean
  readonly calls: ReadonlyArray<Dealt>
  /** What was played; `right` also where the fault did not apply to the request. */
  readonly fault: NodeFault.Name
  /** The wait asked of all calls, in milliseconds; undefined when none was. */
  readonly waitMillis: number | undefined
}

/** How to start a hostile node. */
export interface Options {
  /** Steps by order of arrival, or a decision for each request. Default: always right. */
  readonly script?: ReadonlyArray<Step> | ((request: Request) => Step)
  /** Refuses every larger batch, whatever the script says. */
  readonly batchLimit?: { readonly most: number; readonly fault: "refused413" | "refusedSize" | "refusedBatch" }
  /** URL of a real node that is asked for the truth. Default: `VirtualChain`. */
  readonly upstream?: string
}

/** A running hostile node. */
export interface Node extends Omit<Wire.Server, "exchanges"> {
  readonly exchanges: () => ReadonlyArray<Exchange>
  /** How often each fault was played; faults that were not are missing. */
  readonly histogram: () => Readonly<Partial<Record<NodeFault.Name, number>>>
}

type Facts = Pick<Exchange, "isBatch" | "calls" | "fault" | "waitMillis">

const readCalls = (body: string): { readonly isBatch: boolean; readonly calls: ReadonlyArray<NodeFault.Call> } => {
  const parsed: unknown = JSON.parse(body)
  const calls = (Array.isArray(parsed) ? parsed : [parsed]).map((call: Partial<NodeFault.Call>) => ({
    id: call.id,
    method: String(call.method),
    params: Array.isArray(call.params) ? call.params : [],
  }))
  return { isBatch: Array.isArray(parsed), calls }
}

/** Asks a real node one by one, so that one call that fails does not fail the rest. */
const askUpstream = (url: string, calls: ReadonlyArray<NodeFault.Call>): Promise<ReadonlyArray<VirtualChain.Reply>> =>
  Promise.all(
    calls.map(async ({ method, params }) => {
      const response = await fetch(url, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
      })
      const { jsonrpc: _, id: __, ...reply } = (await response.json()) as Readonly<Record<string, unknown>>
      return reply as VirtualChain.Reply
    }),
  )

const isRefused = ({ batchLimit }: Options, { calls, isBatch }: Pick<Request, "calls" | "isBatch">): boolean =>
  batchLimit !== undefined && isBatch && calls.length > batchLimit.most

/** The wait that really goes over the wire. */
const waitOf = (fault: NodeFault.Name, { waitMillis = 0 }: Step): number | undefined => {
  if (NodeFault.all[fault].asksWait === undefined) return undefined
  return fault === "limitedMillis" ? waitMillis : Math.ceil(waitMillis / 1000) * 1000
}

/** Starts a hostile node; call `stop` when done with it. */
export const start = async (options: Options = {}): Promise<Node> => {
  const { script = [] } = options
  const decide = typeof script === "function" ? script : ({ number }: Request): Step | undefined => script[number - 1]
  const facts = new Map<number, Facts>()
  const attempts = new Map<string, number>()

  const count = (call: NodeFault.Call): Call => {
    const key = VirtualChain.keyOf(call)
    const attempt = (attempts.get(key) ?? 0) + 1
    attempts.set(key, attempt)
    return Object.assign({}, call, { key, attempt })
  }

  const respond = async (incoming: Wire.Incoming): Promise<Wire.Answer> => {
    const { isBatch, calls: read } = readCalls(incoming.body)
    const calls = read.map(count)
    const request: Request = { ...incoming, isBatch, calls }
    const step: Step = decide(request) ?? { fault: "right" }
    const scripted = isRefused(options, request) ? (options.batchLimit?.fault ?? "right") : step.fault
    const fault = NodeFault.inRequest(scripted, { isBatch, calls: calls.length })
    const victim = Math.floor((step.victim ?? 0) * calls.length)
    const waitMillis = waitOf(fault, step)
    const dealt = calls.map((call, at) => Object.assign({ fate: NodeFault.fateOf(fault, at, victim) }, call))
    facts.set(incoming.number, { isBatch, calls: dealt, fault, waitMillis })
    const replies =
      options.upstream === undefined ? calls.map(VirtualChain.answer) : await askUpstream(options.upstream, calls)
    const acceptsGzip = /\bgzip\b/.test(String(incoming.headers["accept-encoding"]))
    return NodeFault.all[fault].answer({ calls, replies, isBatch, victim, waitMillis: waitMillis ?? 0, acceptsGzip })
  }

  const server = await Wire.start(async (incoming) => {
    try {
      return await respond(incoming)
    } catch {
      return { body: JSON.stringify({ jsonrpc: "2.0", id: null, error: { code: -32700, message: "Parse error" } }) }
    }
  })
  const unreadable: Facts = { isBatch: false, calls: [], fault: "right", waitMillis: undefined }
  const exchanges = () =>
    server.exchanges().map((exchange) => Object.assign({}, exchange, facts.get(exchange.number) ?? unreadable))
  return {
    ...server,
    exchanges,
    histogram: () => {
      const counts: Partial<Record<NodeFault.Name, number>> = {}
      for (const { fault } of facts.values()) counts[fault] = (counts[fault] ?? 0) + 1
      return counts
    },
  }
}

/** Runs a hostile node for as long as the scope lives. */
export const make = (options: Options = {}): Effect.Effect<Node, never, Scope.Scope> => Wire.make(() => start(options))
