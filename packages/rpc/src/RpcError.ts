/**
 * The failures that only JSON-RPC calls have, beside those of the transport: the node's own error, and parameters that were not sent.
 * Recognise them by `_tag`. Kinds of node errors are `ErrorKind`.
 */
import { cut } from "@daybook/schema/Issue"
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
 * The node answered the call with an error. Tried again only when `isRetryable`: a revert and wrong parameters never are.
 *
 * Source: JSON-RPC 2.0 section 5.1.
 */
export class RpcError extends Data.TaggedError("RpcError")<{
  /** The node's words, without any key. */
  readonly message: string
  /** The node's code. */
  readonly code: number
  /** What the node added, such as the bytes of a revert; undefined when nothing. Without any key. */
  readonly data: unknown
  /** What code and words mean. */
  readonly kind: ErrorKind.ErrorKind
  /** Why the contract refused, when `kind` is `reverted` and the node sent the bytes. */
  readonly revert: Revert.Revert | undefined
  /** Wire name of the method that was called. */
  readonly method: string
  /** Host and port that answered. */
  readonly host: string
  readonly isRetryable: boolean
  /** The wait the server asked for; undefined when it asked for none. */
  readonly retryAfter: Duration.Duration | undefined
  readonly requestId: string | undefined
  /** The HTTP status of the answer. */
  readonly status: number | undefined
  readonly attempts: ReadonlyArray<Attempt>
}> {
  constructor(
    options: Facts & {
      readonly method: string
      readonly code: number
      readonly message: string
      readonly data?: unknown
      readonly kind: ErrorKind.ErrorKind
      readonly isRetryable?: boolean
      readonly retryAfter?: Duration.Duration | undefined
      readonly status?: number | undefined
    },
  ) {
    const { message, code, data, kind, method, host, retryAfter, requestId, status, attempts = [] } = options
    const isRetryable = options.isRetryable ?? ErrorKind.isRetryable(kind)
    const revert = kind === "reverted" ? Revert.fromError(data) : undefined
    super({ message, code, data, kind, revert, method, host, isRetryable, retryAfter, requestId, status, attempts })
  }
}

/**
 * The parameters do not fit the method. Nothing was sent, so trying again does not help.
 */
export class InvalidParams extends Data.TaggedError("InvalidParams")<{
  readonly message: string
  /** Wire name of the method. */
  readonly method: string
  /** Position of the parameter, 0 for the first; undefined when their number is wrong. */
  readonly position: number | undefined
  /** What is accepted there. */
  readonly expected: string
  readonly isRetryable: false
  readonly retryAfter: undefined
}> {
  constructor(options: {
    readonly method: string
    readonly position?: number | undefined
    readonly received: string
    readonly expected: string
  }) {
    const { method, position, received, expected } = options
    const subject = position === undefined ? "The call" : `Parameter ${position + 1}`
    const verb = position === undefined ? "has" : "is"
    const message = `${subject} of ${cut(method)} ${verb} ${received}; expected ${expected}. Nothing was sent.`
    super({ message, method, position, expected, isRetryable: false, retryAfter: undefined })
  }
}

/**
 * Any failure that ends a call.
 */
export type CallError =
  | RpcError
  | InvalidParams
  | TransportError
  | TimeoutError
  | InvalidResponse
  | RateLimited
  | Unauthorized
