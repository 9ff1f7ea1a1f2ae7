/** Ends nodes of Citus one after the other while something runs, and starts each again. */
import { Effect } from "effect"
import type * as Nodes from "./Nodes.ts"

const [upMillis, downMillis] = [12_000, 3_000] as const

/** Runs an effect while nodes are ended; gives its value and how many were. */
export const during = Effect.fnUntraced(function* <A>(
  { coordinator, workers }: Nodes.Cluster,
  effect: Effect.Effect<A>,
) {
  let ended = 0
  const nodes = [...workers, coordinator]
  const end = Effect.gen(function* () {
    yield* Effect.sleep(upMillis)
    const { kill, restart } = nodes[ended % nodes.length]!
    // A node that was ended is started again, whatever happens meanwhile.
    yield* Effect.uninterruptible(
      Effect.gen(function* () {
        yield* Effect.promise(kill)
        yield* Effect.sleep(downMillis)
        yield* Effect.promise(restart)
      }),
    )
    ended++
  })
  const value = yield* Effect.raceFirst(effect, Effect.forever(end))
  return { value, ended }
})
