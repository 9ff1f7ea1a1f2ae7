/**
 * A transport for viem, so that programs written with it keep their code: every call goes through Daybook's client,
 * with its matching by id, its batches, its retries and its deadline. viem's own retry is off, because two would multiply.
 * It needs `viem`, which is an optional peer of this package.
 */
import { InvalidOption } from "@daybook/transport/ClientError"
import { custom, type CustomTransport } from "viem"
import type { CallError } from "./RpcError.ts"
import type * as Client from "./promise.ts"
import { createRpcClient } from "./promise.ts"

/**
 * A failure as viem reads it: by a numeric `code` and the node's own words. The typed error is its `cause`.
 */
export class ProviderError extends Error {
  override readonly name = "ProviderError"
  /** Of EIP-1193, EIP-1474 or the node. */
  readonly code: number
  /** What the node added, such as the bytes of a revert. */
  readonly data: unknown

  constructor(code: number, error: CallError) {
    super(error.message, { cause: error })
    this.code = code
    this.data = error._tag === "RpcError" ? error.data : undefined
  }
}

/** Source: EIP-1193 (4100, 4900), EIP-1474 (-32002, -32005), JSON-RPC 2.0 (-32602). */
const codes: Readonly<Record<Exclude<CallError["_tag"], "RpcError">, number>> = {
  InvalidParams: -32602,
  RateLimited: -32005,
  Unauthorized: 4100,
  TransportError: 4900,
  TimeoutError: 4900,
  InvalidResponse: -32002,
}

const isCallError = (error: unknown): error is CallError =>
  error instanceof Error && "_tag" in error && (error._tag === "RpcError" || String(error._tag) in codes)

const toProviderError = (error: unknown): unknown => {
  if (!isCallError(error)) return error
  return new ProviderError(error._tag === "RpcError" ? error.code : codes[error._tag], error)
}

/** True for a client of the promise face. Throws for one of the Effect face, whose calls are no promises. */
const isClient = (given: Client.Options | Client.RpcClient): given is Client.RpcClient => {
  if (typeof given !== "object" || given === null || !("eth_chainId" in given)) return false
  if (typeof given.pin === "function") return true
  const expected = `options, or a client of "@daybook/rpc/promise"`
  throw new InvalidOption({ option: "client", expected, received: "a client of Effect" })
}

/**
 * Makes a transport for viem's clients, from options or from a client that exists.
 *
 * **Details**
 * - A result that is none of its method is an error, where viem would make an object without values of it.
 *
 * **Errors**
 * - Throws `InvalidOption` when an option makes no sense; its message never shows a URL or a key.
 *
 * **Gotchas**
 * - Set timeouts and retries here; those of viem do not apply. viem's own `batch` is not needed.
 *
 * **Example** (Reading with viem)
 *
 * ```ts
 * import { daybookTransport } from "@daybook/rpc/viem"
 * import { createPublicClient } from "viem"
 *
 * const client = createPublicClient({ transport: daybookTransport({ url: "http://127.0.0.1:8545" }) })
 * export const newest = () => client.getBlock({ includeTransactions: true })
 * ```
 */
export const daybookTransport = (options: Client.Options | Client.RpcClient): CustomTransport => {
  const client = isClient(options) ? options : createRpcClient(options)
  const request = async ({
    method,
    params,
  }: {
    readonly method: string
    readonly params?: unknown
  }): Promise<unknown> => {
    try {
      return await client.request({ method, params: params as ReadonlyArray<unknown> | undefined, checked: true })
    } catch (error) {
      throw toProviderError(error)
    }
  }
  return custom({ request }, { key: "daybook", name: "Daybook JSON-RPC", retryCount: 0 })
}
