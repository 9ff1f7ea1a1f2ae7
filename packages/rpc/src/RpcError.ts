/**
 * The errors of JSON-RPC calls, in addition to those of the transport: an error returned by the node, and invalid parameters.
 * Recognise them by `_tag`. The kinds of node errors are in `ErrorKind`.
 */
import { hasTag, type Wait, waitOf } from "@daybook/transport/internal/ErrorFields"
import * as Issue from "@daybook/schema/Issue"
import type { Attempt } from "@daybook/transport/Attempt"
import type {
  Facts,
  InvalidResponse,
  RateLimited,
  TimeoutError,
  TransportError,
  Unauthorized,
} from "@daybook/transport/ClientError"
import * as Data from "effect/Data"
import type * as Duration from "effect/Duration"
import * as ErrorKind from "./ErrorKind.ts"
import * as Revert from "./Revert.ts"

/**
 * The node returned an error. Retried only when `isRetryable`; reverts and invalid parameters never are.
 *
 * **Example** (Reading a revert)
 *
 * ```ts
 * import { createRpcClient, isRpcError } from "@daybook/rpc/promise"
 *
 * const fetch = async () => Response.json({ jsonrpc: "2.0", id: 1, error: { code: 3, message: "execution reverted" } })
 * const rpc = createRpcClient({ url: "https://n.example", fetch })
 * const call = rpc.eth_call({ to: "0xd8da6bf26964af9d7eed9e03e53415d37aa96045", data: "0x" })
 * const error: unknown = await call.then(() => undefined, (reason: unknown) => reason)
 * if (isRpcError(error) && error._tag === "RpcError") console.log(error.kind, error.code) // reverted 3
 * ```
 *
 * Source: JSON-RPC 2.0 section 5.1.
 */
export class RpcError extends Data.TaggedError("RpcError")<
  {
    /** The node's message, with keys removed. */
    readonly message: string
    /** The node's error code. */
    readonly code: number
    /** Additional data from the node, such as the bytes of a revert, with keys removed; undefined if there is none. */
    readonly data: unknown
    /** Meaning of the code and the message. A rate limit is the error `RateLimited`. */
    readonly kind: Exclude<ErrorKind.ErrorKind, "rateLimited">
    /** Reason of a revert, if the node sent its bytes; otherwise undefined. */
    readonly revert: Revert.Revert | undefined
    /** Wire name of the method. */
    readonly method: string
    /** Host and port of the node. */
    readonly host: string
    readonly isRetryable: boolean
    readonly requestId: string | undefined
    /** HTTP status of the response. */
    readonly status: number | undefined
    readonly attempts: ReadonlyArray<Attempt>
  } & Wait
> {
  constructor(
    options: Facts & {
      readonly method: string
      readonly code: number
      readonly message: string
      readonly data?: unknown
      readonly kind: Exclude<ErrorKind.ErrorKind, "rateLimited">
      readonly isRetryable?: boolean
      readonly retryAfter?: Duration.Duration | undefined
      readonly status?: number | undefined
    },
  ) {
    const { message, code, data, kind, method, host, requestId, status, attempts = [] } = options
    const { isRetryable = ErrorKind.isRetryable(kind), retryAfter } = options
    const revert = kind === "reverted" ? Revert.fromError(data) : undefined
    const facts = { host, isRetryable, requestId, status, attempts }
    super({ message, code, data, kind, revert, method, ...waitOf(retryAfter), ...facts })
  }

  /** Serialises the code of a panic as text, because `JSON.stringify` rejects bigints. */
  override toJSON(): object {
    const { message, revert } = this
    return { ...this, message, revert: revert?._tag === "Panic" ? { ...revert, code: revert.code.toString() } : revert }
  }
}

/**
 * A parameter is invalid. Nothing was sent, so a retry does not help.
 *
 * **Details**
 * - The message is `Invalid parameter of eth_getBalance "address": expected <expected>, received <received>.`
 *
 * **Example** (Reading which parameter is invalid)
 *
 * ```ts
 * import { createRpcClient, isRpcError } from "@daybook/rpc/promise"
 *
 * const rpc = createRpcClient({ url: "https://n.example" })
 * const call = rpc.eth_getTransactionReceipt("0xabc")
 * const error: unknown = await call.then(() => undefined, (reason: unknown) => reason)
 * if (isRpcError(error) && error._tag === "InvalidParams") console.log(error.method, error.position)
 * // eth_getTransactionReceipt 0
 * ```
 */
export class InvalidParams extends Data.TaggedError("InvalidParams")<
  {
    readonly message: string
    /** Wire name of the method. */
    readonly method: string
    /** Position of the parameter, from 0; undefined if the number of parameters is wrong. */
    readonly position: number | undefined
    /** Name of the parameter and path within it, as in `call.value`; empty for all parameters. */
    readonly path: string
    /** What the path accepts. */
    readonly expected: string
    /** Value received there. Text longer than an address is cut, because it may be a private key. */
    readonly received: string
    readonly isRetryable: false
  } & Wait
> {
  constructor(options: {
    /** Names the invalid value in the message. Default: the parameter, or the parameters, of the method. */
    readonly what?: string | undefined
    readonly method: string
    readonly position?: number | undefined
    readonly path?: string | undefined
    readonly received: string
    readonly expected: string
  }) {
    const { expected, method, path = "", position, received } = options
    const what = options.what ?? `${position === undefined ? "parameters" : "parameter"} of ${Issue.cut(method)}`
    const message = Issue.format(what, { path, expected, received })
    super({ message, method, position, path, expected, received, isRetryable: false, ...waitOf(undefined) })
  }
}

/**
 * Every error of a call.
 */
export type CallError =
  | RpcError
  | InvalidParams
  | TransportError
  | TimeoutError
  | InvalidResponse
  | RateLimited
  | Unauthorized

const tags: Readonly<Record<CallError["_tag"], true>> = {
  TransportError: true,
  TimeoutError: true,
  InvalidResponse: true,
  RateLimited: true,
  Unauthorized: true,
  RpcError: true,
  InvalidParams: true,
}

/**
 * True for an error of a call; its `_tag` names it.
 *
 * **Example** (Handling errors of promises)
 *
 * ```ts
 * import { createRpcClient, isRpcError } from "@daybook/rpc/promise"
 *
 * const client = createRpcClient({ url: "https://node.example" })
 * const balanceOrNothing = async (address: string) => {
 *   try {
 *     return await client.eth_getBalance(address)
 *   } catch (error) {
 *     if (isRpcError(error) && error._tag === "TimeoutError") return undefined
 *     throw error
 *   }
 * }
 * console.log(typeof balanceOrNothing) // function
 * ```
 */
export const isRpcError = (error: unknown): error is CallError => hasTag(error, tags)
