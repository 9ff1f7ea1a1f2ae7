/**
 * Failures of the nodes of a chain, in messages for an operator. They are made from the fields of a call's error, which hold no key.
 */
import type { CallError } from "@daybook/rpc/RpcError"
import * as Data from "effect/Data"
import * as Duration from "effect/Duration"

/**
 * No node gave a usable response. The message names the node that was asked last.
 */
export class NodeFailed extends Data.TaggedError("NodeFailed")<{
  readonly message: string
  /** True when an operator has to change something: a URL, the credentials, the node. */
  readonly isMisconfigured: boolean
  /** Error of the node that was asked last. */
  readonly cause: CallError
}> {}

/**
 * Every node that answered belongs to another chain than the configured one.
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
 * Why the nodes of a chain did not answer. Either may pass.
 */
export type NodeError = NodeFailed | WrongChain

/**
 * What was asked, for messages: `trace block 7`, and what to do when a node cannot.
 */
export interface Task {
  readonly what: string
  readonly advice?: string
}

/** Statuses of a server that has nothing at the URL. */
const missingStatuses = new Set([404, 405, 410])

const sentence = (text: string): string => text.replace(/[.\s]+$/, "")

const rpcFailure = (cause: CallError & { readonly _tag: "RpcError" }, { advice, what }: Task) => {
  const { host, isRetryable, kind, message, method } = cause
  if (kind === "methodUnsupported") {
    return {
      message: `${host} does not support ${method}, which indexing needs. Use another node.`,
      isMisconfigured: true,
    }
  }
  const end = advice === undefined || isRetryable ? "" : ` ${advice}`
  const failed = `${host} cannot ${what}: "${sentence(message)}".${end}`
  return { message: failed, isMisconfigured: advice !== undefined && !isRetryable }
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
): { readonly message: string; readonly isMisconfigured: boolean } => {
  switch (cause._tag) {
    case "RpcError":
      return rpcFailure(cause, task)
    case "InvalidResponse":
      return responseFailure(cause, where)
    case "Unauthorized": {
      const status = cause.status === undefined ? "" : ` (${cause.status})`
      const message = `${cause.host} rejects the credentials in the URL of ${where}${status}. Correct them.`
      return { message, isMisconfigured: true }
    }
    case "RateLimited": {
      const status = cause.status === undefined ? "" : ` (${cause.status})`
      const wait = cause.retryAfter === undefined ? "" : ` in ${Duration.format(cause.retryAfter)}`
      return { message: `${cause.host} limits the request rate${status}. Trying again${wait}.`, isMisconfigured: false }
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

/**
 * Makes a `NodeFailed` from the error of a call. `where` is the configuration key of the URLs.
 */
export const fromCallError = (cause: CallError, where: string, task: Task): NodeFailed =>
  new NodeFailed({ ...describe(cause, where, task), cause })
