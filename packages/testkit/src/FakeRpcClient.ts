/**
 * Layers of the JSON-RPC client for tests of programs that use Effect: the real client on a fake node, or single calls provided by the
 * test.
 */
import type { Client } from "@daybook/rpc/Client"
import type { CommonOptions } from "@daybook/rpc/Options"
import * as RpcClient from "@daybook/rpc/RpcClient"
import * as Layer from "effect/Layer"
import type { FakeService } from "./FakeService.ts"

/**
 * Provides the JSON-RPC client on the node of a fake service. An invalid option is a defect.
 *
 * **Example** (Reading the head)
 *
 * ```ts
 * import { RpcClient } from "@daybook/rpc"
 * import * as FakeRpcClient from "@daybook/testkit/FakeRpcClient"
 * import * as FakeService from "@daybook/testkit/FakeService"
 * import { Effect } from "effect"
 *
 * const program = Effect.gen(function* () {
 *   const rpc = yield* RpcClient.RpcClient
 *   return yield* rpc.eth_blockNumber()
 * })
 * const fake = FakeService.make({ firstBlock: 100, blocks: 3 })
 * console.log(await Effect.runPromise(program.pipe(Effect.provide(FakeRpcClient.layer(fake))))) // 102n
 * ```
 */
export const layer = (fake: Pick<FakeService, "rpc">, options: CommonOptions = {}): Layer.Layer<RpcClient.RpcClient> =>
  Layer.orDie(RpcClient.layer({ ...fake.rpc, ...options }))

const unimplemented = (): never => {
  throw new Error("Unimplemented method: with")
}

/**
 * Provides a JSON-RPC client with only the given calls; any other call is a defect that names it.
 *
 * **Example** (A fixed balance)
 *
 * ```ts
 * import { RpcClient } from "@daybook/rpc"
 * import * as FakeRpcClient from "@daybook/testkit/FakeRpcClient"
 * import { Effect } from "effect"
 *
 * const program = Effect.gen(function* () {
 *   const rpc = yield* RpcClient.RpcClient
 *   return yield* rpc.eth_getBalance("0xd8da6bf26964af9d7eed9e03e53415d37aa96045")
 * })
 * const rich = FakeRpcClient.layerMock({ eth_getBalance: () => Effect.succeed(5n) })
 * console.log(await Effect.runPromise(program.pipe(Effect.provide(rich)))) // 5n
 * ```
 */
export const layerMock = (calls: Partial<Client>): Layer.Layer<RpcClient.RpcClient> =>
  Layer.mock(RpcClient.RpcClient, { host: "daybook.test", with: unimplemented, ...calls })
