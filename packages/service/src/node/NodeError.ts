/**
 * Failures of the nodes of a chain, with messages for an operator. They are made from fields of a call's error, which hold no key.
 */
import type { CallError } from "@daybook/rpc/RpcError"
import * as Data from "effect/Data"
import * as Duration from "effect/Duration"
import * as BlockReceipts from "./BlockReceipts.ts"
import { isUndecodable, maxPause } from "./NodeEndpoint.ts"

/**
 * How soon a node is called again, so that one that cannot answer gets few calls.
 *
 * **Details**
 * - `soon`: no connection, which costs the node nothing.
 * - `later`: the node currently does not return its head.
 * - `rarely`: the node works but rejects or fails a call, and would do so again.
 */
export type Pace = "soon" | "later" | "rarely"

/**
 * No node returned a usable response. The message names the last node called.
 */
export class NodeFailed extends Data.TaggedError("NodeFailed")<{
  readonly message: string
  /** True if an operator must change something: a URL, the credentials, the node. */
  readonly isMisconfigured: boolean
  /** Maximum wait before another attempt. */
  readonly pace: Pace
  /** What an operator should do if the failure persists. */
  readonly advice?: string | undefined
  /** Subject of the failure, if the message changes over time; see `IndexerReport`. */
  readonly subject?: string | undefined
  /** Error of the last node called. */
  readonly cause: CallError
  /** Errors of the other nodes called; absent for none. */
  readonly others?: ReadonlyArray<CallError> | undefined
}> {}

/**
 * All nodes that answered belong to a different chain than the configured one.
 */
export class WrongChain extends Data.TaggedError("WrongChain")<{
  readonly host: string
  readonly configured: number
  readonly found: bigint
}> {
  override get message() {
    const { configured, found, host } = this
    return `Wrong chain at ${host}: expected chain id ${configured} (0x${configured.toString(16)}), received ${found} (0x${found.toString(16)}). Correct the URL of the node or the id of the chain.`
  }
}

/**
 * Why the nodes of a chain did not answer. Both may be transient.
 */
export type NodeError = NodeFailed | WrongChain

/**
 * How many of the nodes returned something that does not decode or exceeds the bounds, parts of which may be usable.
 */
export const undecodable = (error: NodeError): "none" | "some" | "all" => {
  if (error._tag !== "NodeFailed") return "none"
  const errors = [error.cause, ...(error.others ?? [])]
  if (errors.every(isUndecodable)) return "all"
  return errors.some(isUndecodable) ? "some" : "none"
}

/**
 * What was requested, for messages: `trace block 7`, and what to do if a node cannot.
 */
export interface Task {
  readonly what: string
  /** Whether the head is requested, with a single call; a transient failure then needs a shorter wait. */
  readonly isHead?: boolean
  readonly advice?: string
}

/** HTTP statuses of a server with nothing at the URL. */
const missingStatuses = new Set([404, 405, 410])

/** Either of these methods returns receipts. */
const receiptMethods: ReadonlyArray<string> = [BlockReceipts.byBlock, BlockReceipts.byTransaction]

const sentence = (text: string): string => text.replace(/[.\s]+$/, "")

const rpcFailure = (cause: CallError & { readonly _tag: "RpcError" }, { advice, what }: Task) => {
  const { host, isRetryable, kind, message, method } = cause
  if (kind === "methodUnsupported") {
    const supports = receiptMethods.includes(method)
      ? `supports neither ${receiptMethods.join(" nor ")}; indexing needs one of them`
      : `does not support ${method}, which indexing needs`
    return { message: `${host} ${supports}. Use another node.`, isMisconfigured: true }
  }
  const failed = `${host} cannot ${what} ("${sentence(message)}").`
  return advice === undefined || isRetryable
    ? { message: failed, isMisconfigured: false, advice }
    : { message: `${failed} ${advice}`, isMisconfigured: true }
}

const responseFailure = (cause: CallError & { readonly _tag: "InvalidResponse" }, where: string) => {
  const { expected, host, path, received, status } = cause
  return status !== undefined && missingStatuses.has(status)
    ? {
        message: `No JSON-RPC endpoint at the URL of ${where}: ${host} responded with ${received}. Correct the URL.`,
        isMisconfigured: true,
      }
    : {
        message: `Invalid response from ${host}: ${path}: expected ${expected}, received ${received}.`,
        isMisconfigured: false,
      }
}

const describe = (
  cause: CallError,
  where: string,
  task: Task,
): Pick<NodeFailed, "message" | "isMisconfigured" | "advice" | "subject"> => {
  switch (cause._tag) {
    case "RpcError":
      return rpcFailure(cause, task)
    case "InvalidResponse":
      return responseFailure(cause, where)
    case "Unauthorized": {
      const status = cause.status === undefined ? "" : ` (${cause.status})`
      const message = `${cause.host} rejects the credentials${status}. Correct the URL or the headers of ${where}.`
      return { message, isMisconfigured: true }
    }
    case "RateLimited": {
      if (cause.scope === "call") {
        const subject = `The configured rate of calls to ${cause.host} is used up`
        return { message: `${subject}. Raise "perSecond" of ${where}.`, subject, isMisconfigured: false }
      }
      const status = cause.status === undefined ? "" : ` (${cause.status})`
      const wait =
        cause.retryAfter === undefined ? "" : ` in ${Duration.format(Duration.min(cause.retryAfter, maxPause))}`
      const subject = `${cause.host} limits the request rate`
      return { message: `${subject}${status}. Trying again${wait}.`, subject, isMisconfigured: false }
    }
    case "TransportError": {
      const message =
        cause.phase === "connect"
          ? `Could not connect to ${cause.host}: ${cause.reason}. Check the address and that the node is up.`
          : `The connection to ${cause.host} failed: ${cause.reason}.`
      return { message, isMisconfigured: false }
    }
    case "TimeoutError":
      return {
        message: `${cause.host} did not respond within ${Duration.format(cause.deadline)}.`,
        isMisconfigured: false,
      }
    case "InvalidParams":
      return { message: cause.message, isMisconfigured: false }
  }
}

const paceOf = (cause: CallError, isMisconfigured: boolean, { isHead = false }: Task): Pace => {
  if (cause._tag === "TransportError") return "soon"
  return isHead && !isMisconfigured && cause.isRetryable ? "later" : "rarely"
}

/**
 * Makes a `NodeFailed` from the error of a call, and those of other nodes. `where` is the configuration key of the URLs.
 */
export const fromCallError = (
  cause: CallError,
  where: string,
  task: Task,
  others: ReadonlyArray<CallError> = [],
): NodeFailed => {
  const described = describe(cause, where, task)
  const pace = paceOf(cause, described.isMisconfigured, task)
  return new NodeFailed({ ...described, pace, cause, others: others.length === 0 ? undefined : others })
}
