import { describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { expect } from "vitest"
import * as Discovery from "../../src/discovery/Discovery.ts"
import * as NodeConnection from "../../src/discovery/NodeConnection.ts"
import { healthy } from "../indexer/scriptedChain.ts"
import * as ScriptedFetch from "../indexer/ScriptedFetch.ts"

describe("NodeConnection", () => {
  it.effect(
    "connect: needs three round trips to a distant node of a chain without rules, and one for its last final block",
    () =>
      Effect.gen(function* () {
        const distant = ScriptedFetch.inRounds(healthy)
        const opened = yield* Effect.forkScoped(
          Effect.gen(function* () {
            const connection = yield* NodeConnection.connect({
              node: { url: "http://node.example:8545" },
              fetch: distant.fetch,
            })
            return { connection, closing: yield* Discovery.closingBlock(connection, connection.chainId) }
          }),
        )
        const rounds: Array<ReadonlyArray<string>> = []
        while (rounds.length < 4) rounds.push(yield* distant.round)
        const { closing, connection } = yield* Fiber.join(opened)

        expect(rounds.map((methods) => [...new Set(methods)].toSorted())).toEqual([
          ["eth_chainId"],
          ["eth_chainId", "eth_getBlockByNumber"],
          ["eth_getBlockByNumber", "eth_getBlockReceipts", "trace_block"],
          ["eth_getBlockByNumber"],
        ])
        expect([connection.chainId, connection.hasTraces, closing.number]).toEqual([31337, true, 290])
      }),
  )
})
