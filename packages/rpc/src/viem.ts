/**
 * Transport for viem: calls of a viem client go through Daybook's client, with its matching by id, batches, retries and deadline. viem's
 * own retries are disabled so that retries do not multiply. Requires `viem`, an optional peer dependency.
 */
import type { Log } from "@daybook/schema/Receipt"
import { InvalidOption } from "@daybook/transport/ClientError"
import * as CallerStack from "@daybook/transport/internal/CallerStack"
import * as PromiseRunner from "@daybook/transport/internal/PromiseRunner"
import { custom, type CustomTransport, HttpRequestError, type Log as ViemLog, TimeoutError } from "viem"
import type { RawRequest } from "./Client.ts"
import type { CallError } from "./RpcError.ts"
import type * as Client from "./promise.ts"
import * as PromiseOptions from "./internal/PromiseOptions.ts"

/**
 * An error in the form that viem expects: a numeric `code` and the message of the node. The typed error is its `cause`. A broken connection is
 * viem's `HttpRequestError` and a timeout its `TimeoutError`, each with this error as the cause.
 *
 * **Example** (Reading the typed error behind one of viem)
 *
 * ```ts
 * import { RpcError } from "@daybook/rpc/RpcError"
 * import { ProviderError } from "@daybook/rpc/viem"
 *
 * const options = { host: "n.example", method: "eth_call", code: 3, message: "execution reverted", kind: "reverted" } as const
 * const error = new ProviderError(3, new RpcError(options))
 * console.log(error.code, error.cause instanceof RpcError) // 3 true
 * ```
 */
export class ProviderError extends Error {
  override readonly name = "ProviderError"
  /** Code of EIP-1193, of EIP-1474 or of the node. */
  readonly code: number
  /** Additional data of the node, such as the bytes of a revert. */
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

interface Request {
  readonly method: string
  readonly params?: unknown
}

/** The error that viem reports for the same failure: its own classes for a broken connection and a timeout, else one with a code. */
const toViemError = (error: unknown, { method, params }: Request): unknown => {
  if (!isCallError(error)) return error
  const cause = new ProviderError(error._tag === "RpcError" ? error.code : codes[error._tag], error)
  if (error._tag !== "TransportError" && error._tag !== "TimeoutError") return cause
  // The URL of a node may hold a key.
  const facts = { url: error.host, body: { method, params } }
  if (error._tag === "TransportError") return new HttpRequestError({ ...facts, cause })
  return Object.assign(new TimeoutError(facts), { cause, details: error.message })
}

/** True for a promise client. Throws for an Effect client, whose calls are not promises. */
const isClient = (given: Client.Options | Client.RpcClient): given is Client.RpcClient => {
  if (typeof given !== "object" || given === null || !("eth_chainId" in given)) return false
  if (typeof given.pin === "function") return true
  const expected = `options, or a client of "@daybook/rpc/promise"`
  throw new InvalidOption({ option: "client", expected, received: "an Effect client" })
}

/** Makes the function that calls a method, from options or from a client. */
const requestBy = (given: Client.Options | Client.RpcClient): ((request: RawRequest) => Promise<unknown>) => {
  if (isClient(given)) return (request) => given.request(request)
  const [client, signal] = CallerStack.keepThrown(() => PromiseOptions.start(given))
  return (request) => PromiseRunner.run(client.request(request), { signal })
}

/**
 * Makes a transport for viem clients, from options or from an existing client.
 *
 * **Details**
 * - A result that does not match its method is an error; viem's own transport returns an object with undefined values.
 *
 * **Errors**
 * - Throws `InvalidOption` for an invalid option; the message never shows a URL or a key.
 *
 * **Gotchas**
 * - Set timeouts and retries here; viem's own do not apply. viem's `batch` option is not needed.
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
  const send = requestBy(options)
  const request = async (call: Request): Promise<unknown> => {
    try {
      const params = call.params as ReadonlyArray<unknown> | undefined
      return await send({ method: call.method, params, checked: true })
    } catch (error) {
      throw toViemError(error, call)
    }
  }
  return custom({ request }, { key: "daybook", name: "Daybook JSON-RPC", retryCount: 0 })
}

/**
 * Converts the logs of a receipt or of `eth_getLogs` to those of viem's functions: a new array, in which fields missing from a pending log
 * are null.
 *
 * **Example** (Decoding the logs of a receipt)
 *
 * ```ts
 * import { createRpcClient } from "@daybook/rpc/promise"
 * import { toLogs } from "@daybook/rpc/viem"
 * import { erc20Abi, parseEventLogs } from "viem"
 *
 * const rpc = createRpcClient({ url: "http://127.0.0.1:8545" })
 * export const events = async (hash: string) => {
 *   const receipt = await rpc.eth_getTransactionReceipt(hash)
 *   return parseEventLogs({ abi: erc20Abi, logs: toLogs(receipt?.logs ?? []) })
 * }
 * ```
 */
export const toLogs = (logs: ReadonlyArray<Log>): Array<ViemLog> =>
  logs.map(({ blockHash = null, blockNumber = null, removed = false, topics, ...log }) => ({
    ...log,
    blockHash,
    blockNumber,
    removed,
    // Sound: viem's type states a first topic or none.
    topics: [...topics] as ViemLog["topics"],
  }))
