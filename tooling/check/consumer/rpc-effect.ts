import { RpcClient } from "@daybook/rpc"
import type * as Block from "@daybook/schema/Block"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { apiKey, chain, rpcUrl } from "./service.ts"

const program = Effect.gen(function* () {
  const rpc = yield* RpcClient.RpcClient
  const plain: Block.Block | null = yield* rpc.eth_getBlockByNumber("latest", false)
  const hydrated: Block.HydratedBlock | null = yield* rpc.eth_getBlockByNumber("latest", true)
  const hash = hydrated?.hash
  if (hash === undefined || hash === null) return yield* Effect.die(new Error("Block missing."))
  const transaction = yield* rpc.eth_getTransactionByBlockHashAndIndex(hash, 0)
  return { plain, hydrated, transaction }
})

const { hydrated, plain, transaction } = await Effect.runPromise(
  program.pipe(Effect.provide(RpcClient.layer({ rpcUrl, chain, apiKey: Redacted.make(apiKey) }))),
)
if (typeof plain?.number !== "bigint") throw new Error("The block has no number.")
if (transaction?.hash !== hydrated?.transactions[0]?.hash) throw new Error("Received another transaction.")
console.log(`block ${plain.number}`)
