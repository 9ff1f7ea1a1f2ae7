/**
 * Measurements of an indexer, as plain data that threads send to the process for its metrics.
 */
import type * as Node from "../../node/Node.ts"
import type * as TimedFetch from "../../node/TimedFetch.ts"
import type { WatchedProofs } from "../../proof/WatchedProofs.ts"
import type { EngineOptions } from "../../store/Database.ts"

/** A measurement. */
export type Observation =
  /** An operation of the database. */
  | { readonly _tag: "Operation"; readonly operation: string; readonly seconds: number }
  /** A request to a node, by its position in the configuration. */
  | {
      readonly _tag: "NodeRequest"
      readonly node: number
      readonly outcome: TimedFetch.Outcome
      readonly seconds: number
    }
  /** How far the watched wallets are proved. The index lacks transactions of incomplete ones, which are not compared. */
  | ({ readonly _tag: "Wallets"; readonly incomplete: number } & WatchedProofs)

/** Receives a measurement. */
export type OnObserved = (observation: Observation) => void

/** Reports requests to nodes, as an option of `Node.make`. */
export const onRequest =
  (onObserved: OnObserved): NonNullable<Node.Options["onRequest"]> =>
  (node, outcome, seconds) =>
    onObserved({ _tag: "NodeRequest", node, outcome, seconds })

/** Reports operations, as an option of an engine. */
export const onOperation =
  (onObserved: OnObserved): NonNullable<EngineOptions["onOperation"]> =>
  (operation, seconds) =>
    onObserved({ _tag: "Operation", operation, seconds })

/** Interval at which measurements are sent. */
const collectMillis = 1_000

/** Collects measurements, and sends those of a second together. */
export const collector = (send: (observations: ReadonlyArray<Observation>) => void): OnObserved => {
  let collected: Array<Observation> = []
  return (observation) => {
    collected.push(observation)
    if (collected.length > 1) return
    const timer = setTimeout(() => {
      const observations = collected
      collected = []
      send(observations)
    }, collectMillis)
    timer.unref()
  }
}
