import { RestClient } from "@daybook/rest"
import { RpcClient } from "@daybook/rpc"
import * as FakeRestClient from "@daybook/testkit/FakeRestClient"
import * as FakeRpcClient from "@daybook/testkit/FakeRpcClient"
import * as FakeService from "@daybook/testkit/FakeService"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"

const address = "0xd8da6bf26964af9d7eed9e03e53415d37aa96045"

describe("layers", () => {
  it.effect("layer: both clients see the same chain", () => {
    const fake = FakeService.make({ blocks: 20 })
    return Effect.gen(function* () {
      const rest = yield* RestClient.RestClient
      const rpc = yield* RpcClient.RpcClient
      const page = yield* rest.walletTransactions({ address, limit: 1 })
      const receipt = yield* rpc.eth_getTransactionReceipt(page.result[0]!.hash)

      expect(receipt?.blockHash).toBe(page.result[0]!.block_hash)
    }).pipe(Effect.provide(Layer.merge(FakeRestClient.layer(fake), FakeRpcClient.layer(fake))))
  })

  it.effect("layer: a wait that the fake requests passes with the test clock", () => {
    const fake = FakeService.make({ blocks: 20, faults: [{ status: 429, retryAfterSeconds: 20 }] })
    return Effect.gen(function* () {
      const rest = yield* RestClient.RestClient
      const call = yield* Effect.forkChild(rest.walletTransactions({ address }))
      yield* TestClock.adjust("21 seconds")
      const page = yield* Fiber.join(call)

      expect(page.result.length).toBeGreaterThan(0)
      expect(fake.received).toHaveLength(2)
    }).pipe(Effect.provide(FakeRestClient.layer(fake)))
  })

  it.effect("layerMock: answers the given calls, and any other is a defect that names it", () =>
    Effect.gen(function* () {
      const rest = yield* RestClient.RestClient
      const rpc = yield* RpcClient.RpcClient
      const page = yield* rest.walletTransactions({ address })
      const exit = yield* Effect.exit(rpc.eth_blockNumber())

      expect(page.result).toEqual([])
      expect(yield* rpc.eth_getBalance(address)).toBe(5n)
      expect(Exit.isFailure(exit) && String(exit.cause)).toContain("eth_blockNumber")
    }).pipe(
      Effect.provide(
        Layer.merge(
          FakeRestClient.layerMock({
            walletTransactions: () => Effect.succeed({ cursor: null, page: 0, page_size: 100, result: [] }),
          }),
          FakeRpcClient.layerMock({ eth_getBalance: () => Effect.succeed(5n) }),
        ),
      ),
    ),
  )
})
