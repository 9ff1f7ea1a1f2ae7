/** Reads pages from a lagging replica while a chain is written with reorgs. */
import { Effect, Metric } from "effect"
import * as Engine from "../../src/store/Engine.ts"
import * as Replicas from "../../src/store/postgres/Replicas.ts"
import * as EmbeddedServer from "../store/postgres/EmbeddedServer.ts"
import { seeded } from "../store/model.ts"
import * as Campaign from "../campaign/Campaign.ts"
import { pagesOf } from "../store/pages.ts"
import { ref } from "../store/TestDatabase.ts"
import * as TestStore from "../store/TestStore.ts"
import * as Walker from "./Walker.ts"
import * as World from "./World.ts"

const readers = 8
const writePauseMillis = 25
const readPauses = [0, 0, 0, 60, 700]
const limits = [2, 5, 9]

const countOf = (server: keyof typeof Replicas.pageReads) =>
  Effect.map(Metric.value(Replicas.pageReads[server]), ({ count }) => count)

/** Reads pages of a chain for a seed; returns its row. */
const walkAll = Effect.fnUntraced(function* (
  seed: number,
  {
    bin,
    delay: delayMillis,
    walks,
  }: { readonly bin: string | undefined; readonly delay: number; readonly walks: number },
  fail: Campaign.Output["fail"],
) {
  const { primary, standby } = yield* EmbeddedServer.pair({ delayMillis, bin })
  const writing = yield* Engine.fromUrl(primary.url, "/nowhere")
  const reading = yield* Engine.fromUrl({ url: primary.url, replicas: [standby.url] }, "/nowhere")
  const store = yield* TestStore.open(writing, ref)
  const world = World.make(seed)
  for (let blocks = 0; blocks < 20; blocks++) yield* world.step(store)
  const writer = Effect.forever(Effect.andThen(world.step(store), Effect.sleep(writePauseMillis)))
  // The replica has the schema after this delay.
  yield* Effect.sleep(delayMillis + 1_000)

  const tally = Walker.tally()
  const [newest, pages] = [pagesOf(writing), pagesOf(reading)]
  const reader = (readerNumber: number) =>
    Effect.gen(function* () {
      const numbers = seeded(seed * 100 + readerNumber)
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
    Array.from({ length: readers }, (_, readerNumber) => reader(readerNumber)),
    { concurrency: "unbounded" },
  )
  yield* Effect.raceFirst(all, writer)

  const { appends, reorgs } = world.counts
  Walker.report(tally, fail)
  const read = [yield* countOf("replica"), yield* countOf("primary")]
  return [tally.walks, tally.pages, tally.stale, ...read, appends, reorgs]
})

Campaign.main({
  name: "replicas",
  about:
    "Reads pages from a lagging replica while a chain is written with reorgs. Half of the walks start on the primary, whose state the replica has not reached. Fails if a page is torn, or a walk becomes stale although its blocks are stored.",
  seeds: 1,
  options: {
    walks: [10_000, "walks per seed"],
    delay: [400, "lag of the replica in milliseconds"],
    bin: Campaign.bin,
  },
  plan: (values, _, seeds) =>
    Effect.succeed({
      columns: ["chain", "walks", "pages", "stale", "of the replica", "of the primary", "appends", "reorgs"],
      cases: Campaign.ofSeeds(seeds, (seed, { fail }) => walkAll(seed, values, fail)),
    }),
})
