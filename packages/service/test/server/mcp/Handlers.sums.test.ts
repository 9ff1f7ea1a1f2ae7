import * as ExplorerClient from "@daybook/rest/ExplorerClient"
import * as RestClient from "@daybook/rest/RestClient"
import * as RpcClient from "@daybook/rpc/RpcClient"
import { describe, expect, it } from "@effect/vitest"
import { FakeService } from "@daybook/testkit"
import { Effect, Stream } from "effect"
import * as ToolResult from "../../../src/server/mcp/ToolResult.ts"
import * as Handlers from "../../../src/server/mcp/Handlers.ts"
import { toolkit } from "../../../src/server/mcp/Tools.ts"

const serviceOf = Effect.fnUntraced(function* (
  fake: FakeService.FakeService,
  explorer: Partial<Handlers.Service["explorer"]> = {},
) {
  const service: Handlers.Service = {
    rest: yield* RestClient.make(fake.rest),
    explorer: { ...ExplorerClient.createExplorerClient(fake.rest), ...explorer },
    rpc: () => RpcClient.make(fake.rpc),
  }
  return service
})

/** Calls a tool with a fake service. */
const callTool = (
  fake: FakeService.FakeService,
  name: keyof typeof toolkit.tools,
  args: Record<string, unknown>,
  explorer?: Partial<Handlers.Service["explorer"]>,
) =>
  Effect.gen(function* () {
    const service = yield* serviceOf(fake, explorer)
    const built = yield* Effect.provide(toolkit, Handlers.layer(Effect.succeed(service)))
    const results = yield* Stream.runCollect(
      yield* built.handle(name, (name === "chains" ? args : { chain: "eth", ...args }) as never),
    )
    return results.at(-1)!.encodedResult as ToolResult.ToolResult
  })

describe("tools", () => {
  it.effect("wallet_summary: has the first and the last movement of a wallet, or none", () =>
    Effect.gen(function* () {
      const fake = FakeService.make({ seed: 3 })
      const rest = yield* RestClient.make(fake.rest)
      const edge = (order: "ASC" | "DESC") =>
        Effect.map(rest.movements({ address: fake.wallet, chain: "eth", order }), ({ result }) =>
          ToolResult.movementOf(result[0]!),
        )
      const none = { cursor: null, page: "0", page_size: "1", result: [] }
      const without = FakeService.make({ seed: 3, operations: { movements: () => none } })
      const summaryOf = (of: FakeService.FakeService) => callTool(of, "wallet_summary", { address: of.wallet })

      expect((yield* summaryOf(fake)).answer).toMatchObject({
        address: fake.wallet,
        first_movement: yield* edge("ASC"),
        last_movement: yield* edge("DESC"),
      })
      expect((yield* summaryOf(without)).answer).toMatchObject({ first_movement: null, last_movement: null })
    }),
  )

  it.effect("wallet_statement, wallet_balances_at, prove_wallet: have each part of REST's response", () =>
    Effect.gen(function* () {
      const fake = FakeService.make({ seed: 3, blocks: 40 })
      const rest = yield* RestClient.make(fake.rest)
      const own = { address: fake.wallet, chain: "eth" }
      const range = { ...own, from_block: 20_000_009n, to_block: 20_000_030n }
      const asked = { address: fake.wallet, from_block: 20_000_009, to_block: 20_000_030 }
      const whole = yield* rest.statement(own)
      const before = yield* callTool(fake, "prove_wallet", { address: fake.wallet })
      fake.reconcile()
      const [statement, proved] = [yield* rest.statement(range), yield* rest.statement(own)]
      const balances = yield* rest.balances({ ...own, to_block: 20_000_030n })
      const compared = yield* callTool(fake, "prove_wallet", { address: fake.wallet })

      expect(yield* callTool(fake, "wallet_statement", asked)).toMatchObject({
        answer: {
          address: fake.wallet,
          opening: { after_block: "20000008", balances: statement.opening.result.map(ToolResult.balanceOf) },
          sums: statement.sums.map(ToolResult.sumOf),
          closing: statement.closing.result.map(ToolResult.balanceOf),
          time: statement.block_timestamp.toISOString(),
        },
        coverage: { chain: "eth", from_block: "20000009", to_block: "20000030" },
      })
      expect((yield* callTool(fake, "wallet_statement", { address: fake.wallet })).answer).toMatchObject({
        opening: { after_block: "19999999", balances: [] },
      })
      expect(yield* callTool(fake, "wallet_balances_at", { address: fake.wallet, to_block: 20_000_030 })).toMatchObject(
        {
          answer: { after_block: "20000030", balances: balances.result.map(ToolResult.balanceOf) },
          coverage: { chain: "eth", to_block: "20000030" },
          proof: null,
        },
      )
      expect([before.answer, before.proof]).toEqual(["The wallet has not been compared with the chain yet.", null])
      expect(whole.proof).toBeNull()
      expect([compared.answer, compared.proof]).toEqual(["See proof.", ToolResult.proofOf(proved, 50)])
      expect(compared.coverage).toMatchObject({ from_block: "20000000", to_block: proved.block_number.toString() })
    }),
  )
})
