/**
 * Types and response builders of the tables of node faults.
 */
import type * as FakeNode from "@daybook/harness/FakeNode"
import type * as FaultyServer from "@daybook/harness/FaultyServer"
import * as VirtualChain from "../VirtualChain.ts"

export type { Call } from "@daybook/harness/FakeNode"

type Call = FakeNode.Call

/** What a call may end with: its correct result, `null`, or an error with this tag. */
export type Outcome =
  | "correct"
  | "null"
  | "RpcError"
  | "RateLimited"
  | "Unauthorized"
  | "InvalidResponse"
  | "TransportError"
  | "TimeoutError"

/** The request that a fault responds to. */
export interface Context {
  readonly calls: ReadonlyArray<Call>
  /** The correct replies, in the order of the calls. */
  readonly replies: ReadonlyArray<object>
  readonly isBatch: boolean
  /** Index of the call that a fault of a single call affects. */
  readonly target: number
  /** Wait that the fault requests, in milliseconds. */
  readonly waitMillis: number
  readonly acceptsGzip: boolean
}

/** One kind of misbehaviour. */
export interface Fault {
  /** Builds the response. */
  readonly respond: (context: Context) => FaultyServer.Response
  /** Calls affected: one, every call of the request, or none. Default `all`. */
  readonly affects?: "target" | "all" | "none"
  /** Applied only to a batch of two or more calls; responses to other requests are correct. */
  readonly batchOnly?: true
  /** What an affected call may end with when it is not retried. */
  readonly outcomes: ReadonlyArray<Outcome>
  /** Whether a client must, may or must not send an affected call again. */
  readonly retry: "required" | "allowed" | "forbidden"
  /** How the response requests a wait of all calls: `exact` in milliseconds or seconds, `second` as a date exact to one second. */
  readonly retryAfter?: "exact" | "second"
  /** The batch is rejected for its size. The client splits it, and this does not count as an attempt. */
  readonly splits?: true
}

/** An item of a JSON-RPC response. */
export type Item = Readonly<Record<string, unknown>>

/** An id that no client uses. */
export const unknownId = 987_654_321

/** The item that replies to a call. */
export const item = (call: Call, reply: object): Item => ({ jsonrpc: "2.0", id: call.id, ...reply })

/** A valid reply to a call that was not made. */
export const unrelated: VirtualChain.Reply = { result: "0x756e72656c61746564" }

/** The correct items, in the order of the calls. */
export const itemsOf = ({ calls, replies }: Context): ReadonlyArray<Item> =>
  calls.map((call, at) => item(call, replies[at] ?? unrelated))

/** The text of a body: an array for a batch; for a single call its item, unless there is not exactly one. */
export const bodyOf = (context: Context, items: ReadonlyArray<unknown>): string =>
  JSON.stringify(context.isBatch || items.length !== 1 ? items : items[0])

/** The correct body. */
export const correctBody = (context: Context): string => bodyOf(context, itemsOf(context))

/** The correct body, delivered in a broken way. */
export const delivered = (delivery: FaultyServer.Delivery) => (context: Context) => ({
  body: correctBody(context),
  delivery,
})

/** The correct items, except that the target's is replaced by these. */
export const targetItems =
  (change: (correct: Item, call: Call) => ReadonlyArray<unknown>): Fault["respond"] =>
  (context) => ({
    body: bodyOf(
      context,
      itemsOf(context).flatMap((correct, at) =>
        at === context.target ? change(correct, context.calls[at] as Call) : [correct],
      ),
    ),
  })

/** The correct items, except that the target's is this error. */
export const targetError = (code: number, message: string, data?: unknown): Fault["respond"] =>
  targetItems((_, call) => [item(call, { error: { code, message, data } })])

/** The same error for each call, each in its own envelope. */
export const errorForEach = (context: Context, code: number, message: string) =>
  JSON.parse(
    bodyOf(
      context,
      context.calls.map((call) => item(call, { error: { code, message } })),
    ),
  ) as unknown

/** One error object for the whole request, without an id. */
export const requestError = (code: number, message: string) => ({ jsonrpc: "2.0", id: null, error: { code, message } })

const limitCodes = [-32005, -32007, -32011, -32029, 429] as const

/** The code of a rate limit: it differs by provider, here by call. */
export const limitCode = (call: Call): number =>
  limitCodes[VirtualChain.keyOf(call).length % limitCodes.length] ?? -32005

/** Faults that a client must not notice. */
export const harmless = { affects: "none", outcomes: ["correct"], retry: "forbidden" } as const

/** Responses that report a rate limit. */
export const limited = { outcomes: ["RateLimited"], retry: "required" } as const

/** Responses that cannot be read. */
export const invalid = { outcomes: ["InvalidResponse"], retry: "allowed" } as const
