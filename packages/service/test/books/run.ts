/** Compares the movements of every address of scenario chains with the balances of their nodes, at every block. */
import { Effect, References } from "effect"
import * as Campaign from "../campaign/Campaign.ts"
import * as TestServer from "../store/postgres/TestServer.ts"
import * as BookChain from "./BookChain.ts"
import * as Books from "./Books.ts"

const options = {
  blocks: [75, "blocks of each chain"],
  every: [1, "discovers every n-th address separately"],
  database: Campaign.database,
} as const

/** Compares the chain of a seed; returns the row of its index and stores the row of its discoveries. */
const compare = Effect.fnUntraced(
  function* (
    name: string,
    seed: number,
    { blocks, database, every }: Campaign.Values<typeof options>,
    { fail, print }: Campaign.Output,
    discoveries: Map<number, Campaign.Cells>,
  ) {
    const chain = yield* BookChain.make({ seed, blocks })
    const stated = yield* Books.stated(chain)
    const { wallets } = stated.balances
    const server = database === undefined ? undefined : yield* TestServer.blank(database)
    const ofIndex = yield* Books.ofIndex(chain, stated, server)
    const marked = ofIndex.rows.filter(({ isIncomplete }) => isIncomplete).length
    for (const text of Books.contradictions(ofIndex)) fail(`index: ${text}`)
    if (marked > 0) fail(`${marked} movements are marked as incomplete`)
    const { compared, differences, kinds, named, rows } = ofIndex
    print(`${name}, chain ${chain.chain.id}: movements of the kinds ${kinds.join(", ")}`)
    const began = performance.now()
    const sample = wallets.filter((_, at) => at % every === 0)
    const discovered = yield* Books.ofDiscovery(chain, stated, sample)
    const { calls, missed } = discovered
    const sum = (of: (one: (typeof missed)[number]) => number) => missed.reduce((all, one) => all + of(one), 0)
    for (const { cancelled, found: blocksFound, others, valueless, wallet } of missed) {
      print(
        `${name}, ${wallet}: ${blocksFound} blocks found, not ${valueless} with calls without value, ${cancelled} with ether that cancels`,
      )
      if (others.length > 0) fail(`discovery: ${wallet} misses the blocks ${others.join(", ")}`)
    }
    for (const text of Books.contradictions(discovered)) fail(`discovery: ${text}`)
    const counts = [discovered.compared, discovered.differences.length, discovered.named.length]
    const not = [sum((one) => one.valueless), sum((one) => one.cancelled), sum((one) => one.others.length)]
    const seconds = ((performance.now() - began) / 1000).toFixed(0)
    // A seed that is rerun with smaller sizes already has a row.
    const cells = [name, `${sample.length} of ${wallets.length}`, calls, seconds, ...counts, ...not]
    if (!discoveries.has(seed)) discoveries.set(seed, cells)
    const size = chain.world.all.length
    return [size, wallets.length, chain.last, rows.length, compared, differences.length, named.length]
  },
  Effect.provideService(References.MinimumLogLevel, "None"),
)

Campaign.main({
  name: "books",
  about:
    "Compares the movements of an index, and of discoveries without one, with eth_getBalance and balanceOf for every address and block of a chain. Fails if a difference is not reported, or a discovery misses a block that it must find.",
  seeds: 3,
  options,
  plan: (values, _, seeds) => {
    const discoveries = new Map<number, Campaign.Cells>()
    const common = ["balances compared", "differences", "named"]
    return Effect.succeed({
      columns: ["index", "transactions", "addresses", "blocks", "movements", ...common],
      cases: Campaign.ofSeeds(
        seeds,
        (seed, report, blocks) => compare(`seed ${seed}`, seed, { ...values, blocks }, report, discoveries),
        ["blocks", values.blocks],
      ),
      after: ({ print }) => {
        const missing = ["not found: calls without value", "ether that cancels", "others"]
        print(Campaign.head(["discovery", "addresses", "calls", "seconds", ...common, ...missing]))
        for (const cells of discoveries.values()) print(Campaign.row(cells))
        return Effect.void
      },
    })
  },
})
