/** Types of the calls; checked by `tsc`. */
import { describe, expectTypeOf, it } from "@effect/vitest"
import type * as Block from "@daybook/schema/Block"
import type * as RpcMethod from "@daybook/schema/RpcMethod"
import type * as Transaction from "@daybook/schema/Transaction"
import type { Effect } from "effect"
import type { Method, RpcClient, RpcError } from "../src/index.ts"
import type { RpcClient as Promises } from "../src/promise.ts"

declare const client: RpcClient.Client
declare const promises: Promises
declare const flag: boolean

type Call<A> = Effect.Effect<A, RpcError.CallError>

describe("Method", () => {
  describe("Methods", () => {
    it("Methods: has each entry of RpcMethod.all", () => {
      expectTypeOf<keyof Method.Methods>().toEqualTypeOf<RpcMethod.Name>()
      expectTypeOf<keyof Method.PromiseMethods>().toEqualTypeOf<RpcMethod.Name>()
    })

    it("Methods: calls and log filters are named types", () => {
      expectTypeOf<Parameters<Method.PromiseMethods["eth_getLogs"]>[0]>().toEqualTypeOf<Method.LogFilter>()
      expectTypeOf<Parameters<Method.PromiseMethods["eth_call"]>[0]>().toEqualTypeOf<Method.CallRequest>()
    })

    it("Methods: the hydrated flag selects the type of the result", () => {
      const calls = () => ({
        none: client.eth_getBlockByNumber("latest"),
        no: client.eth_getBlockByNumber(1, false),
        yes: client.eth_getBlockByHash("0x1", true),
        either: client.eth_getBlockByNumber(1n, flag),
        promise: promises.eth_getBlockByNumber("0x1", true),
      })

      expectTypeOf(calls).returns.toHaveProperty("none").toEqualTypeOf<Call<Block.Block | null>>()
      expectTypeOf(calls).returns.toHaveProperty("no").toEqualTypeOf<Call<Block.Block | null>>()
      expectTypeOf(calls).returns.toHaveProperty("yes").toEqualTypeOf<Call<Block.HydratedBlock | null>>()
      expectTypeOf(calls)
        .returns.toHaveProperty("either")
        .toEqualTypeOf<Call<Block.Block | Block.HydratedBlock | null>>()
      expectTypeOf(calls).returns.toHaveProperty("promise").toEqualTypeOf<Promise<Block.HydratedBlock | null>>()
    })

    it("Methods: accept hashes as strings, and numbers as number, bigint or hex", () => {
      expectTypeOf<Parameters<Method.Methods["eth_getTransactionByBlockHashAndIndex"]>>().toEqualTypeOf<
        [string, number | bigint | `0x${string}`]
      >()
      expectTypeOf<ReturnType<Method.Methods["eth_getTransactionByBlockHashAndIndex"]>>().toEqualTypeOf<
        Call<Transaction.Transaction | null>
      >()
    })
  })

  describe("ReturnedBy", () => {
    it("ReturnedBy: is the result of the call with its literal parameters", () => {
      expectTypeOf<
        Method.ReturnedBy<{ readonly method: "eth_getBlockByNumber"; readonly params: readonly ["latest", true] }>
      >().toEqualTypeOf<Block.HydratedBlock | null>()
      expectTypeOf<
        Method.ReturnedBy<{ readonly method: "eth_getBlockByNumber"; readonly params: readonly [1] }>
      >().toEqualTypeOf<Block.Block | null>()
      expectTypeOf<
        Method.ReturnedBy<{
          readonly method: "eth_getBlockByNumber"
          readonly params: Method.Params<"eth_getBlockByNumber">
        }>
      >().toEqualTypeOf<Block.Block | Block.HydratedBlock | null>()
      expectTypeOf<Method.ReturnedBy<{ readonly method: "eth_chainId" }>>().toEqualTypeOf<bigint>()
    })
  })
})
