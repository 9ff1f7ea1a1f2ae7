/**
 * The configuration of the serving processes, which the primary process holds: one that is started again has that of the others, whatever
 * the file has become.
 */
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import type { ConfigFile } from "../../config/ConfigFile.ts"
import type { Peer } from "./Message.ts"

/** A process cannot apply a configuration. The others keep the previous one too. */
export class ConfigurationRefused extends Data.TaggedError("ConfigurationRefused")<{ readonly message: string }> {}

/** Time for a process to apply it. One that is still being started does so afterwards. */
const maxMillis = 30_000

/** The configuration of the serving processes. */
export interface Configuration {
  /** What each process has, and one that is started begins with. */
  readonly current: () => ConfigFile
  readonly add: (peer: Peer) => void
  /** A process has ended. */
  readonly remove: (peer: Peer) => void
  /**
   * Applies another configuration to all processes.
   *
   * **Errors**
   * - `ConfigurationRefused`: one of them cannot; all keep the previous one.
   */
  readonly replace: (next: ConfigFile) => Effect.Effect<void, ConfigurationRefused>
}

/** Makes the holder of a configuration. */
export const make = (first: ConfigFile): Configuration => {
  const peers = new Set<Peer>()
  let current = first

  /** Hands the current configuration to a process; returns the reason where it cannot apply it. */
  const handTo = (peer: Peer): Effect.Effect<string | null> =>
    peer.send("reload", current).pipe(
      Effect.orElseSucceed(() => null),
      Effect.timeoutOrElse({ duration: maxMillis, orElse: () => Effect.succeed(null) }),
    )

  const handToAll = Effect.suspend(() => Effect.forEach([...peers], handTo, { concurrency: "unbounded" }))

  return {
    current: () => current,
    add: (peer) => void peers.add(peer),
    remove: (peer) => void peers.delete(peer),
    replace: Effect.fnUntraced(function* (next) {
      const before = current
      current = next
      const issue = (yield* handToAll).find((each) => each !== null)
      if (issue === undefined || issue === null) return
      current = before
      yield* handToAll
      return yield* new ConfigurationRefused({ message: issue })
    }),
  }
}
