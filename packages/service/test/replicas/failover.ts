/** Kills a primary and promotes a standby that lacks its last commits, while a chain is written and pages are read. */
import { Effect } from "effect"
import * as Engine from "../../src/store/Engine.ts"
import { seeded } from "../store/model.ts"
import * as Campaign from "../campaign/Campaign.ts"
import { pagesOf } from "../store/pages.ts"
import * as EmbeddedServer from "../store/postgres/EmbeddedServer.ts"
import * as TestServer from "../store/postgres/TestServer.ts"
import { ref } from "../store/TestDatabase.ts"
import * as TestStore from "../store/TestStore.ts"
import * as Proxy from "./Proxy.ts"
import * as Walker from "./Walker.ts"
import * as World from "./World.ts"

const readers = 4
const writePauseMillis = 25
const retryMillis = 20
const walkMillis = 2_000
/** Duration before the kill in which the standby receives nothing. */
const lostMillis = 500

const portOf = (url: string) => Number(new URL(url).port)

/** A primary and its standby, the proxy between them, and the proxy between the service and the primary. */
const servers = (bin: string | undefined) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      let link: Proxy.Proxy | undefined
      const pair = await EmbeddedServer.startPair({
        delayMillis: 0,
        through: async (port) => (link = await Proxy.start(port)).port,
        bin,
      })
      return { pair, link: link!, front: await Proxy.start(portOf(pair.primary.url)) }
    }),
    ({ front, link, pair }) =>
      Effect.promise(async () => {
        front.stop()
        link.stop()
        await pair.stop()
      }),
  )

/** Repeats an effect until it succeeds; returns the elapsed time. */
const until = <A, E>(effect: Effect.Effect<A, E>): Effect.Effect<number> =>
  Effect.suspend(() => {
    const startedAt = performance.now()
    return Effect.map(
      Effect.retry(effect, { while: () => Effect.as(Effect.sleep(retryMillis), true) }),
      () => performance.now() - startedAt,
    ).pipe(Effect.orDie)
  })

/** One failover. */
const round = Effect.fnUntraced(function* (
  chainSeed: number,
  bin: string | undefined,
  { fail, print }: Campaign.Output,
) {
  const { front, link, pair } = yield* servers(bin)
  const database = yield* Engine.fromUrl(`postgres://postgres@127.0.0.1:${front.port}/postgres`, "/nowhere")
  const store = yield* TestStore.open(database, ref)
  const world = World.make(chainSeed)
  const pages = pagesOf(database)
  for (let blocks = 0; blocks < 20; blocks++) yield* world.step(store)
  let lost = 0
  const resume = Effect.retry(world.resume(store), { while: () => Effect.as(Effect.sleep(retryMillis), true) })
  const step = world.step(store).pipe(
    Effect.catch(() => resume),
    Effect.map((count) => {
      lost += count ?? 0
    }),
  )
  yield* Effect.forkScoped(Effect.forever(Effect.andThen(step, Effect.sleep(writePauseMillis))))
  const tally = Walker.tally()
  const numbers = seeded(chainSeed)
  yield* Effect.forkScoped(
    Effect.all(
      Array.from({ length: readers }, () =>
        Effect.forever(
          Effect.andThen(
            Walker.walk({
              world,
              tally,
              limit: 1 + numbers.below(9),
              first: pages,
              rest: pages,
              pauseMillis: 20,
              maxPages: 5,
            }),
            Effect.sleep(1),
          ),
        ),
      ),
      { concurrency: "unbounded" },
    ),
  )
  yield* Effect.sleep(walkMillis)
  link.hold()
  yield* Effect.sleep(lostMillis)
  const { checkpoint, cursor } = yield* pages({ limit: 2 })
  const killedAt = performance.now()
  yield* Effect.promise(pair.primary.kill)
  yield* TestServer.rowsOf(pair.standby.url, "SELECT pg_promote(true, 60)")
  const promoted = performance.now() - killedAt
  front.lead(portOf(pair.standby.url))
  const { appends } = world.counts
  const [served, written] = yield* Effect.all(
    [
      until(pages({})),
      until(Effect.suspend(() => (world.counts.appends > appends + 1 ? Effect.void : Effect.fail("not written")))),
    ],
    { concurrency: "unbounded" },
  )
  yield* Effect.sleep(walkMillis)
  const afterFailover = yield* Effect.result(pages({ cursor: cursor! }))
  const cursorOutcome = afterFailover._tag === "Success" ? "served" : afterFailover.failure._tag
  const isLost = world.isRemoved(checkpoint?.head.hash ?? "")
  for (const [message, count] of tally.unavailable) print(`  rejected ${count}: ${message}`)
  Walker.report({ ...tally, unavailable: new Map() }, fail)
  if (!isLost || lost === 0) fail("nothing was lost")
  if (cursorOutcome !== "Stale") fail(`the cursor of the lost state is ${cursorOutcome}`)
  return [...[promoted, served, written].map(Math.round), lost, tally.pages, tally.stale, cursorOutcome]
})

Campaign.main({
  name: "failovers",
  about:
    "Kills a primary and promotes a standby that lacks its last commits, while a chain is written with reorgs and pages are read. Fails if a page is torn, a walk becomes stale although its blocks are stored, or a cursor of a lost state does not become stale.",
  seeds: 3,
  options: { bin: Campaign.bin },
  plan: ({ bin }, _, seeds) =>
    Effect.succeed({
      columns: [
        "failover",
        "promoted, ms",
        "then pages, ms",
        "then writes, ms",
        "blocks lost",
        "pages",
        "stale walks",
        "cursor of the lost state",
      ],
      cases: Campaign.ofSeeds(seeds, (seed, report) => round(seed, bin, report)),
    }),
})
