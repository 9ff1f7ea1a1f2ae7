/**
 * JSON-RPC client of an EVM node for promises: one method per wire name, typed results, rejections with typed errors, and the `request`
 * of EIP-1193.
 */
import * as CallerStack from "@daybook/transport/internal/CallerStack"
import * as OptionCheck from "@daybook/transport/internal/OptionCheck"
import * as Result from "effect/Result"
import { makeUnsafe } from "./internal/Client.ts"
import * as PromiseClient from "./internal/PromiseClient.ts"
import { optionKinds } from "./internal/Settings.ts"
import type * as Client from "./RpcClient.ts"

export type { CallOptions, RpcClient } from "./internal/PromiseClient.ts"
export * from "./Resource.ts"
export { isRpcError } from "./RpcError.ts"
export type * from "./RpcError.ts"

/**
 * The options of a client.
 */
export type Options = Client.Options & {
  /** Ends every call of the client. */
  readonly signal?: AbortSignal | undefined
}

/** Checks options; throws `InvalidOption`. Missing options are an empty object. */
const checked = <A extends object>(
  options: A | null | undefined,
  kinds: Readonly<Record<keyof A, OptionCheck.Kind>>,
): A => {
  Result.getOrThrow(OptionCheck.members(options, kinds))
  // Sound: every member of the options is optional, or checked where it is read.
  return options ?? ({} as A)
}

/**
 * Makes a client. It runs nothing in the background, so there is nothing to close.
 *
 * **Errors**
 * - Throws `InvalidOption` for an invalid option; the message never shows a URL or a key.
 *
 * **Example** (Reading a block and a transaction)
 *
 * ```ts
 * import { createRpcClient } from "@daybook/rpc/promise"
 *
 * const client = createRpcClient({ rpcUrl: "https://rpc.example", chain: "eth", apiKey: "my key", timeout: "5 seconds" })
 * export const newest = async () => {
 *   const block = await client.eth_getBlockByNumber("latest")
 *   return block?.hash == null ? null : client.eth_getTransactionByBlockHashAndIndex(block.hash, 0)
 * }
 * ```
 */
export const createRpcClient = (options: Options): PromiseClient.RpcClient =>
  CallerStack.keepThrown(() => {
    const { signal, ...rest } = checked(options, { ...optionKinds, signal: "signal" })
    return PromiseClient.build(makeUnsafe(rest), signal)
  })
