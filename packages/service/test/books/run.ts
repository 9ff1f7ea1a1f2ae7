/** Compares the movements of every address of scenario chains with the balances of their nodes, at every block. */
import { Effect, References } from "effect"
import * as Campaign from "../campaign/Campaign.ts"
import * as TestServer from "../store/postgres/TestServer.ts"
import * as BookChain from "./BookChain.ts"
import * as Books from "./Books.ts"

/** Compares the chain of a seed; gives its rows of the tables of indexes and discoveries. */
const compare = Effect.fnUntraced(function* (
  seed: number,
  {
    blocks,
    database,
    every,
  }: { readonly blocks: number; readonly database: string | undefined; readonly every: number },
  { fail, print }: Campaign.Report,
) {
  const chain = yield* BookChain.make({ seed, blocks })
  const stated = yield* Books.stated(chain)
  const { wallets } = stated.balances
  const [name, size] = [`seed ${seed}, chain ${chain.chain.id}`, chain.world.all.length]
  const ofIndex = yield* Books.ofIndex(
    chain,
    stated,
    database === undefined ? undefined : yield* TestServer.blank(database),
  )
  const marked = ofIndex.rows.filter(({ isIncomplete }) => isIncomplete).length
  for (const text of Books.contradictions(ofIndex)) fail(`${name}, index: ${text}`)
  if (marked > 0) fail(`${name}: ${marked} movements are marked as incomplete`)
  const { compared, differences, kinds, named, rows } = ofIndex
  const index = [name, size, wallets.length, chain.last, rows.length, compared, differences.length, named.length]
  print(`${name}: movements of the kinds ${kinds.join(", ")}`)
  const began = performance.now()
  const sample = wallets.filter((_, at) => at % every === 0)
  const found = yield* Books.ofDiscovery(chain, stated, sample)
  const { calls, missed } = found
  const sum = (of: (one: (typeof missed)[number]) => number) => missed.reduce((all, one) => all + of(one), 0)
  for (const { cancelled, found: foundBlocks, valueless, wallet } of missed) {
    print(
      `${name}, ${wallet}: ${foundBlocks} blocks found, not ${valueless} with calls without value, ${cancelled} with ether that cancels`,
    )
  }
  for (const text of Books.contradictions(found)) fail(`${name}, discovery: ${text}`)
  for (const { others, wallet } of missed) {
    if (others.length > 0) fail(`${name}, discovery: ${wallet} lacks the blocks ${others.join(", ")}`)
  }
  const counts = [found.compared, found.differences.length, found.named.length]
  const not = [sum((one) => one.valueless), sum((one) => one.cancelled), sum((one) => one.others.length)]
  const seconds = ((performance.now() - began) / 1000).toFixed(0)
  return { index, discovery: [name, `${sample.length} of ${wallets.length}`, calls, seconds, ...counts, ...not] }
}, Effect.scoped)

Campaign.main({
  name: "books",
  about:
    "Compares, for every address that a chain names and every block, the movements that a service gives with eth_getBalance and balanceOf, and those of discoveries without an index. Fails where a difference is not named, or a block is missing that a discovery has to find.",
  options: {
    seeds: Campaign.words("seed", "Seeds, also separated by commas. Default: 1 2 3."),
    blocks: Campaign.number("blocks", 75, "Blocks of each chain."),
    every: Campaign.number("every", 1, "Discovers each n-th address alone."),
    database: Campaign.database,
  },
  run: Effect.fnUntraced(
    function* ({ seeds, ...options }, report) {
      const given = seeds.flatMap((text) => text.split(",")).map(Number)
      const chains = given.length === 0 ? [1, 2, 3] : given
      const rows = yield* Effect.forEach(chains, (seed) => compare(seed, options, report))
      const index = ["transactions", "addresses", "blocks", "movements", "balances compared", "differences", "named"]
      const indexRow = report.table("index", ...index)
      for (const row of rows) indexRow(...row.index)
      report.print("")
      const missing = ["not found: calls without value", "ether that cancels", "others"]
      const discovery = ["addresses", "calls", "seconds", "balances compared", "differences", "named", ...missing]
      const discoveryRow = report.table("discovery", ...discovery)
      for (const row of rows) discoveryRow(...row.discovery)
      return `${chains.length} chains`
    },
    Effect.provideService(References.MinimumLogLevel, "None"),
  ),
})
