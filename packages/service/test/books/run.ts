/**
 * Holds the books of scenario chains against their nodes. For every address that a chain names and every block, the movements that a
 * service gives add up to `eth_getBalance` and `balanceOf`, and so do those of discoveries without an index.
 * `node test/books/run.ts [--blocks N] [--every N] [--database URL] [seed ...]`, by default seeds 1, 2 and 3 with 75 blocks each;
 * `--every` discovers each n-th address alone, and `--database` has indexes stored on the PostgreSQL server of a URL. Ends with code 1
 * where a difference is not named, or a block is missing that a discovery has to find.
 */
import { parseArgs } from "node:util"
import { Effect, References } from "effect"
import * as BookChain from "./BookChain.ts"
import * as Books from "./Books.ts"
import * as TestServer from "../store/postgres/TestServer.ts"

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    blocks: { type: "string", default: "75" },
    every: { type: "string", default: "1" },
    database: { type: "string" },
  },
})
const seeds = positionals.length === 0 ? [1, 2, 3] : positionals.flatMap((text) => text.split(",")).map(Number)
const print = (line: string) => void process.stdout.write(`${line}\n`)

const line = (...cells: ReadonlyArray<string | number>) => `| ${cells.join(" | ")} |`
const index: Array<string> = []
const discovery: Array<string> = []
const faults: Array<string> = []

const seconds = (began: number) => ((performance.now() - began) / 1000).toFixed(0)

const database = values.database === undefined ? Effect.undefined : TestServer.blank(values.database)

const compare = Effect.fnUntraced(function* (seed: number) {
  const chain = yield* BookChain.make({ seed, blocks: Number(values.blocks) })
  const stated = yield* Books.stated(chain)
  const { wallets } = stated.balances
  const [name, size] = [`seed ${seed}, chain ${chain.chain.id}`, chain.world.all.length]
  const ofIndex = yield* Books.ofIndex(chain, stated, yield* database)
  const marked = ofIndex.rows.filter(({ isIncomplete }) => isIncomplete).length
  faults.push(...Books.contradictions(ofIndex).map((text) => `${name}, index: ${text}`))
  if (marked > 0) faults.push(`${name}: ${marked} movements are marked as incomplete`)
  const { compared, differences, kinds, named, rows } = ofIndex
  index.push(line(name, size, wallets.length, chain.last, rows.length, compared, differences.length, named.length))
  print(`${name}: movements of the kinds ${kinds.join(", ")}`)
  const began = performance.now()
  const sample = values.every === "1" ? wallets : wallets.filter((_, at) => at % Number(values.every) === 0)
  const found = yield* Books.ofDiscovery(chain, stated, sample)
  const { calls, missed } = found
  const sum = (of: (one: (typeof missed)[number]) => number) => missed.reduce((all, one) => all + of(one), 0)
  for (const { cancelled, found: blocks, valueless, wallet } of missed) {
    print(
      `${name}, ${wallet}: ${blocks} blocks found, not ${valueless} with calls without value, ${cancelled} with ether that cancels`,
    )
  }
  faults.push(...Books.contradictions(found).map((text) => `${name}, discovery: ${text}`))
  for (const { others, wallet } of missed) {
    if (others.length > 0) faults.push(`${name}, discovery: ${wallet} lacks the blocks ${others.join(", ")}`)
  }
  const counts = [found.compared, found.differences.length, found.named.length]
  const not = [sum((one) => one.valueless), sum((one) => one.cancelled), sum((one) => one.others.length)]
  discovery.push(line(name, `${sample.length} of ${wallets.length}`, calls, seconds(began), ...counts, ...not))
}, Effect.scoped)

await Effect.runPromise(
  Effect.forEach(seeds, compare, { discard: true }).pipe(Effect.provideService(References.MinimumLogLevel, "None")),
)
for (const fault of faults) print(fault)
print("")
print(line("index", "transactions", "addresses", "blocks", "movements", "balances compared", "differences", "named"))
print(line("---", ...Array<string>(7).fill("--:")))
for (const row of index) print(row)
print("")
const missing = ["not found: calls without value", "ether that cancels", "others"]
print(line("discovery", "addresses", "calls", "seconds", "balances compared", "differences", "named", ...missing))
print(line("---", ...Array<string>(9).fill("--:")))
for (const row of discovery) print(row)
process.exit(faults.length === 0 ? 0 : 1)
