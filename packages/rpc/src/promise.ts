/**
 * JSON-RPC client of an EVM node for promises: one method per wire name, typed results, rejections with typed errors, and the `request`
 * of EIP-1193.
 */
import * as CallerStack from "@daybook/transport/internal/CallerStack"
import * as PromiseClient from "./internal/PromiseClient.ts"
import * as PromiseOptions from "./internal/PromiseOptions.ts"

export type { Options } from "./internal/PromiseOptions.ts"
export type { CallOptions, RpcClient } from "./internal/PromiseClient.ts"
export * from "./Resource.ts"
export { isRpcError } from "./RpcError.ts"
export type * from "./RpcError.ts"

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
export const createRpcClient = (options: PromiseOptions.Options): PromiseClient.RpcClient =>
  CallerStack.keepThrown(() => PromiseClient.build(...PromiseOptions.start(options)))
