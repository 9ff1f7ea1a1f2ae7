/** Measures the CPU time of the thread that reads opening balances. */
import { Effect, Layer, References } from "effect"
import { Anvil, Scenario } from "@daybook/chain"
import * as Campaign from "../campaign/Campaign.ts"
import * as Node from "../../src/node/Node.ts"
import * as Holding from "../../src/ledger/Holding.ts"
import * as OpeningReader from "../../src/proof/OpeningReader.ts"

const [warmups, rounds, callsPerRound] = [5, 40, 100]

const scenario = Scenario.layer({ blobs: false, blocks: 10, seed: 4 }).pipe(Layer.provideMerge(Anvil.layer()))

const measure = Effect.gen(function* () {
  const { chainId, url } = yield* Anvil.Anvil
  const { contracts } = yield* Scenario.Scenario
  const node = yield* Node.make({ urls: [url], chainId })
  const budgeted = {
    node,
    usage: () => ({ requests: 0, calls: 0, byMethod: [] }),
    maxCalls: Number.POSITIVE_INFINITY,
  }
  const token: Holding.Holding = { standard: "erc20", asset: contracts.gold, tokenId: null }
  const read = (round: number) =>
    OpeningReader.read(
      budgeted,
      5,
      Array.from({ length: callsPerRound }, (_, at) => ({
        wallet: `0x${(at + round * callsPerRound + 1).toString(16).padStart(40, "0")}`,
        holding: at % 2 === 0 ? Holding.native : token,
        movedInFirst: 0n,
      })),
    )
  for (let round = 0; round < warmups; round++) yield* read(round)
  const [before, began] = [process.cpuUsage(), performance.now()]
  for (let round = 0; round < rounds; round++) yield* read(round)
  const { system, user } = process.cpuUsage(before)
  const calls = rounds * callsPerRound
  const wallMillis = Math.round(performance.now() - began)
  return [calls, wallMillis, Math.round((user + system) / 1000)]
})

Campaign.main({
  name: "proofs",
  about: "Measures the CPU time of the thread that reads opening balances.",
  options: {},
  plan: () =>
    Effect.succeed({
      columns: ["read", "calls", "ms", "CPU, ms"],
      cases: [
        {
          name: "opening balances",
          run: () => measure.pipe(Effect.provide(scenario), Effect.provideService(References.MinimumLogLevel, "None")),
        },
      ],
    }),
})
