/** Kills Citus nodes sequentially while a chain is written, and restarts each. */
import { Effect, Schedule } from "effect"
import * as TestServer from "../store/postgres/TestServer.ts"
import type * as Nodes from "./Nodes.ts"

const [upMillis, downMillis] = [12_000, 3_000] as const

/** Number of writes before the first kill; a checker needs all nodes at its start. */
const firstWrites = 30
const written = "SELECT serial FROM daybook_test.checkpoint"

/** Waits until the test chain has that many writes. */
const hasBegun = (url: string) =>
  TestServer.rowsOf(url, written).pipe(
    Effect.sandbox,
    Effect.filterOrFail(
      ([row]) => Number((row as { readonly serial: bigint } | undefined)?.serial ?? 0) >= firstWrites,
    ),
    Effect.retry(Schedule.spaced("500 millis")),
  )

/** Runs an effect that writes the test chain while nodes are killed; returns its value and the number of kills. */
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
    // A killed node is always restarted.
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
