import { describe, expect, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import { TestClock } from "effect/testing"
import * as ContractKeeper from "../../src/contract/ContractKeeper.ts"
import * as CreatedContracts from "../../src/contract/CreatedContracts.ts"
import type { Node } from "../../src/node/Node.ts"
import * as Engine from "../../src/store/Engine.ts"
import { temporaryFolder } from "../store/temporaryFolder.ts"

const chain = { name: "eth", id: 1 }

const addressOf = (number: number) => `0x${number.toString(16).padStart(40, "0")}`

const implementation = "ab".repeat(20)

const code = `0x363d3d373d3d3d363d73${implementation}5af43d82803e903d91602b57fd5bf3`

/** A node on which each contract is a minimal proxy. */
const node: Pick<Node, "batch" | "head"> = {
  head: Effect.succeed({ number: 1, hash: "0x01", parentHash: "0x00", timestamp: 1 }),
  batch: (calls) => Effect.succeed(calls.map(({ method }) => Result.succeed(method === "eth_getCode" ? code : "0x"))),
}

/** Transactions that create contracts. */
const creationsOf = (first: number, count: number) =>
  Array.from({ length: count }, (_, at) => {
    return { body: JSON.stringify({ receipt_contract_address: addressOf(first + at) }), internal: null }
  })

/** Lets the callbacks of settled promises run. */
const promisesSettled = Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))

describe("ContractKeeper", () => {
  it.effect("run: keeps the contracts of a folder that has not changed, and compares none of their codes", () =>
    Effect.gen(function* () {
      const { contracts } = yield* Engine.fromUrl("sqlite:data", yield* temporaryFolder)
      const stored = { address: addressOf(1), name: "Kept", source: "project", abi: "[]", implementations: [] }
      yield* contracts.put(chain, [stored])
      const created = yield* CreatedContracts.make
      const methods: Array<string> = []
      const observed: typeof node = {
        ...node,
        batch: (calls, options) => {
          methods.push(...calls.map(({ method }) => method))
          return node.batch(calls, options)
        },
      }
      const projects = [{ folder: "project", read: () => Promise.resolve(null) }]
      yield* Effect.forkScoped(ContractKeeper.run({ chain, node: observed, contracts, created, projects }))
      yield* TestClock.adjust(0)
      yield* promisesSettled

      expect((yield* contracts.list(chain)).map(({ address, name }) => [address, name])).toEqual([
        [addressOf(1), "Kept"],
      ])
      // Proxies are followed.
      expect(methods.filter((method) => method === "eth_getCode")).toHaveLength(1)
    }),
  )

  it.effect("run: starts a turn every two seconds", () =>
    Effect.gen(function* () {
      const { contracts } = yield* Engine.fromUrl("sqlite:data", yield* temporaryFolder)
      let turns = 0
      const read = () => {
        turns += 1
        return Promise.reject(new Error("permission denied"))
      }
      const projects = [{ folder: "project", read }]
      yield* Effect.forkScoped(ContractKeeper.run({ chain, node, contracts, projects }))
      const counts: Array<number> = []
      for (const millis of [0, 1_999, 1, 1_999, 1]) {
        yield* TestClock.adjust(millis)
        yield* promisesSettled
        counts.push(turns)
      }

      expect(counts).toEqual([1, 1, 2, 2, 3])
    }),
  )

  it.effect("run: starts at most four turns per second, however many blocks create contracts", () =>
    Effect.gen(function* () {
      const { contracts } = yield* Engine.fromUrl("sqlite:data", yield* temporaryFolder)
      const created = yield* CreatedContracts.make
      let turns = 0
      const read = () => {
        turns += 1
        return Promise.reject(new Error("permission denied"))
      }
      const projects = [{ folder: "project", read }]
      yield* Effect.forkScoped(ContractKeeper.run({ chain, node, contracts, created, projects }))
      for (let block = 1; block <= 50; block++) {
        yield* created.take(creationsOf(block, 1))
        yield* promisesSettled
        yield* TestClock.adjust("20 millis")
      }

      expect([2, 3, 4, 5]).toContain(turns)
    }),
  )
})
