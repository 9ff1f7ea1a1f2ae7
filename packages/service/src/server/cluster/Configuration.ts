/**
 * Configuration of the serving processes, held by the primary process: a restarted process gets that of the others, regardless of the file.
 */
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import type { ConfigFile } from "../../config/ConfigFile.ts"
import type { Peer } from "./Message.ts"

/** A process cannot apply a configuration. All others keep the previous one. */
export class ConfigurationRefused extends Data.TaggedError("ConfigurationRefused")<{ readonly message: string }> {}

/** Time limit for a process to apply it. A process that is still starting applies it afterwards. */
const maxMillis = 30_000

/** The configuration of the serving processes. */
export interface Configuration {
  /** The current configuration of all processes, which new ones start with. */
  readonly current: () => ConfigFile
  readonly add: (peer: Peer) => void
  /** A process has ended. */
  readonly remove: (peer: Peer) => void
  /**
   * Applies a new configuration to all processes.
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

  /** Sends the current configuration to a process; returns the reason if it cannot apply it. */
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
