/**
 * The configuration of the serving processes, which the primary process holds: one that is started again has that of the others, whatever
 * the file has become.
 */
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import type { ConfigFile } from "../../config/ConfigFile.ts"
import type { Peer } from "./Collector.ts"

/** A process cannot take over a configuration. The others have that before too. */
export class ConfigurationRefused extends Data.TaggedError("ConfigurationRefused")<{ readonly message: string }> {}

/** A process that has to take over a configuration. */
interface Pending {
  readonly peer: Peer
  readonly resolve: (issue: string | null) => void
}

/** Time for a process to take it over. One that is still being started does so afterwards. */
const maxMillis = 30_000

/** The configuration of the serving processes. */
export interface Configuration {
  /** What each process has, and one that is started begins with. */
  readonly current: () => ConfigFile
  readonly add: (peer: Peer) => void
  /** A process has ended. */
  readonly remove: (peer: Peer) => void
  /** A process has taken over a configuration, or states why it has not. */
  readonly answered: (id: number, issue: string | null) => void
  /**
   * Has all processes take over another configuration.
   *
   * **Errors**
   * - `ConfigurationRefused`: one of them cannot; all have the one before.
   */
  readonly replace: (next: ConfigFile) => Effect.Effect<void, ConfigurationRefused>
}

/** Makes the holder of a configuration. */
export const make = (first: ConfigFile): Configuration => {
  const peers = new Set<Peer>()
  const pending = new Map<number, Pending>()
  let current = first
  let lastId = 0

  const answered = (id: number, issue: string | null) => {
    pending.get(id)?.resolve(issue)
    pending.delete(id)
  }

  /** Hands the current configuration to a process; gives why it cannot take it over. */
  const handTo = (peer: Peer) =>
    Effect.callback<string | null>((resume) => {
      const id = ++lastId
      pending.set(id, { peer, resolve: (issue) => resume(Effect.succeed(issue)) })
      peer.send({ _tag: "Reload", id, file: current })
      return Effect.sync(() => void pending.delete(id))
    }).pipe(Effect.timeoutOrElse({ duration: maxMillis, orElse: () => Effect.succeed(null) }))

  const handToAll = Effect.suspend(() => Effect.forEach([...peers], handTo, { concurrency: "unbounded" }))

  return {
    current: () => current,
    add: (peer) => void peers.add(peer),
    remove: (peer) => {
      peers.delete(peer)
      for (const [id, one] of pending) if (one.peer === peer) answered(id, null)
    },
    answered,
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
