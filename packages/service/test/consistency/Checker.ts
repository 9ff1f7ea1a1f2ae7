/**
 * Reads pages and lists of a chain while writers append, reorg, crash and continue without their lease, and compares each with the chain
 * of its head.
 */
import { Effect } from "effect"
import type { Scope } from "effect"
import * as Engine from "../../src/store/Engine.ts"
import type { StoreError } from "../../src/store/StoreError.ts"
import * as Walker from "../replicas/Walker.ts"
import * as World from "../replicas/World.ts"
import { seeded } from "../store/model.ts"
import { pagesOf } from "../store/pages.ts"
import { ref } from "../store/TestDatabase.ts"
import * as TestStore from "../store/TestStore.ts"
import * as BlockLists from "./BlockLists.ts"
import type { Edit } from "./Edit.ts"
import * as Writers from "./Writers.ts"

export interface Options {
  /** Edits of the sources of the writers. */
  readonly edits?: ReadonlyArray<Edit>
  /** URL of the written database, which must be empty. */
  readonly url: string
  /** URL of the database from which pages are read. Default: the written one. */
  readonly pagesUrl?: Engine.DatabaseUrl
  readonly pages: number
  readonly seed: number
  /** True to stop soon after the first error. */
  readonly endsWhenWrong?: boolean
}

/** Results of a check. */
export interface Results extends Omit<Walker.Tally, "unavailable">, Writers.WriteCounts {
  readonly unavailable: ReadonlyMap<string, number>
  /** Number of lists that were read. */
  readonly lists: number
  /** Pages, lists and writes that were rejected as damaged, although nothing is damaged. */
  readonly damaged: number
  readonly appends: number
  readonly reorgs: number
}

const readers = 8
/** Delays within a snapshot and before a page. */
const [within, before] = [
  [0, 0, 2, 8],
  [0, 3, 10, 40],
] as const
const limits = [2, 5, 9]
const firstSteps = 12
const writePauseMillis = 2
/** Number of pages that are read after the first error. */
const pagesWhenWrong = 300

/** True if a page, a list or a write was wrong. */
export const isWrong = (seen: Pick<Results, "accepted" | "damaged" | "falselyStale" | "torn">): boolean =>
  seen.torn > 0 || seen.falselyStale > 0 || seen.accepted > 0 || seen.damaged > 0

/** Number of messages that report damaged rows. */
const damagedIn = (...messages: ReadonlyArray<ReadonlyMap<string, number>>): number =>
  messages
    .flatMap((counts) => [...counts])
    .reduce((sum, [message, count]) => (message.startsWith("Stored block damaged") ? sum + count : sum), 0)

export const run = Effect.fnUntraced(function* (options: Options): Effect.fn.Return<Results, StoreError, Scope.Scope> {
  const { endsWhenWrong = false, pages: wanted, seed, url } = options
  const numbers = seeded(seed)
  const world = World.make(seed)
  const database = yield* Engine.fromUrl(url, "/")
  const store = yield* TestStore.open(database, ref, BlockLists.options)
  for (let step = 0; step < firstSteps; step++) yield* Effect.orDie(world.step(store))
  const { writeCounts, step } = yield* Writers.make({ url, edits: options.edits ?? [] }, world, store, numbers)
  const tally = Walker.tally()
  let lists = 0
  let last = wanted
  const damaged = () => damagedIn(tally.unavailable, writeCounts.failures)
  const isOver = () => {
    if (endsWhenWrong && last === wanted && isWrong({ ...tally, ...writeCounts, damaged: damaged() }))
      last = tally.pages + pagesWhenWrong
    const { accepted, crashes, refused, stalls } = writeCounts
    const hasAllEvents = Math.min(crashes, stalls, refused + accepted, world.counts.reorgs) > 0
    return hasAllEvents && tally.pages >= Math.min(last, wanted)
  }

  const reading = options.pagesUrl === undefined ? database : yield* Engine.fromUrl(options.pagesUrl, "/")
  const reader = Effect.fnUntraced(function* (readerNumber: number) {
    const drawn = seeded(seed * 100 + readerNumber)
    const pause = Effect.suspend(() => Effect.sleep(drawn.pick(within)))
    const [newest, pages] = [pagesOf(database, pause), pagesOf(reading, pause)]
    while (!isOver()) {
      const ofList = drawn.below(2) === 0 ? database : reading
      const isRead = yield* BlockLists.read({ reader: ofList.chain(ref).reader, world, tally, numbers: drawn, pause })
      if (isRead) lists++
      yield* Walker.walk({
        world,
        tally,
        rest: pages,
        limit: drawn.pick(limits),
        pauseMillis: drawn.pick(before),
        maxPages: 5,
        first: drawn.below(2) === 0 ? newest : pages,
      })
    }
  })
  const writing = Effect.gen(function* () {
    while (!isOver()) {
      yield* step
      yield* Effect.sleep(writePauseMillis)
    }
  })
  yield* Effect.all([writing, ...Array.from({ length: readers }, (_, readerNumber) => reader(readerNumber))], {
    concurrency: "unbounded",
  })
  return { ...tally, ...writeCounts, ...world.counts, lists, damaged: damaged() }
})
