/** Adds wallets to an index that is limited to some, on a long chain, and compares their rows with an index of every wallet. */
import { Effect, References } from "effect"
import * as Campaign from "../campaign/Campaign.ts"
import * as Watch from "./Watch.ts"

const minTransactions = 10

/** A geometric series of numbers of transactions, up to the largest. */
const sizesOf = (wallets: number, most: number): ReadonlyArray<number> =>
  Array.from({ length: wallets }, (_, at) =>
    Math.round(minTransactions * (most / minTransactions) ** (at / Math.max(1, wallets - 1))),
  )

Campaign.main({
  name: "watches",
  about:
    "Adds wallets to an index that is limited to some, on a long chain whose archive node does not support trace_filter, and searches their past: each separately, then all in a process that is killed repeatedly. Fails if a row differs from an index of every wallet.",
  options: {
    blocks: [100_000, "blocks of the chain"],
    wallets: [20, `number of wallets; the smallest has ${minTransactions} transactions`],
    most: [1_000, "transactions of the largest wallet"],
    kills: [10, "kills of the process"],
  },
  plan: Effect.fnUntraced(
    function* ({ blocks, kills, most, wallets }, { print }) {
      const indexed = yield* Watch.make(blocks, sizesOf(wallets, most))
      print(`${blocks} blocks are indexed, of every wallet and of one`)
      let calls = 0
      const row = (
        found: { readonly calls: number; readonly seconds: number; readonly rows: number },
        killed: number,
      ) => [found.calls, found.seconds.toFixed(1), found.rows, killed]
      const checked = ({ fail }: Campaign.Output, differences: ReadonlyArray<string>) => {
        for (const text of differences.slice(0, 5)) fail(text)
      }
      return {
        columns: ["wallets", "calls", "seconds", "rows", "kills"],
        cases: [
          ...indexed.plan.wallets.map((wallet): Campaign.Case => ({
            name: `${wallet.blocks.length} transactions`,
            run: Effect.fnUntraced(function* (report) {
              const result = yield* Watch.searchOne(indexed, wallet)
              calls += result.calls
              checked(report, result.differences)
              return row(result, 0)
            }),
          })),
          {
            name: "all, killed repeatedly",
            run: Effect.fnUntraced(function* (report) {
              const result = yield* Watch.searchKilled(indexed, kills, calls / Math.max(1, kills), 1)
              checked(report, result.differences)
              return row(result, result.killed)
            }),
          },
        ],
      }
    },
    Effect.provideService(References.MinimumLogLevel, "None"),
  ),
})
