/** Ends nodes of Citus one after the other while a chain is written, and starts each again. */
import { Effect, Schedule } from "effect"
import * as TestServer from "../store/postgres/TestServer.ts"
import type * as Nodes from "./Nodes.ts"

const [upMillis, downMillis] = [12_000, 3_000] as const

/** Writes after the start of a checker, which needs all nodes. */
const firstWrites = 30
const written = "SELECT serial FROM daybook_test.checkpoint"

/** Waits until the chain of the tests was written so often. */
const hasBegun = (url: string) =>
  TestServer.rowsOf(url, written).pipe(
    Effect.sandbox,
    Effect.filterOrFail(
      ([row]) => Number((row as { readonly serial: bigint } | undefined)?.serial ?? 0) >= firstWrites,
    ),
    Effect.retry(Schedule.spaced("500 millis")),
  )

/**
 * Runs an effect that writes the chain of the tests while nodes are ended; returns its value and the number of ended
 * nodes.
 */
export const during = Effect.fnUntraced(function* <A>(
  { coordinator, workers }: Nodes.Cluster,
  url: string,
  effect: Effect.Effect<A>,
) {
  let ended = 0
  const nodes = [...workers, coordinator]
  const end = Effect.gen(function* () {
    yield* Effect.sleep(upMillis)
    const { kill, restart } = nodes[ended % nodes.length]!
    // An ended node is always restarted.
    yield* Effect.uninterruptible(
      Effect.gen(function* () {
        yield* Effect.promise(kill)
        yield* Effect.sleep(downMillis)
        yield* Effect.promise(restart)
      }),
    )
    ended++
  })
  const value = yield* Effect.raceFirst(effect, Effect.andThen(hasBegun(url), Effect.forever(end)))
  return { value, ended }
})
