/**
 * Polls the head of the node while blocks are fetched, so that the reported lag stays accurate during a long range.
 *
 * Polling slows down while no block is fetched, so that an unresponsive node gets few calls.
 */
import * as Effect from "effect/Effect"
import * as MonotonicClock from "../supervision/MonotonicClock.ts"
import type { Node } from "../node/Node.ts"
import * as Backoff from "@daybook/transport/internal/Backoff"

/**
 * What to poll, and how often.
 */
export interface Options {
  readonly node: Pick<Node, "head">
  readonly pollMillis: number
  /** Receives the number of each head. */
  readonly onHead: (nodeHead: number) => Effect.Effect<void>
}

/** Time without a block after which polls become less frequent; a call may take half as long before it times out. */
const quietMillis = 60_000
/** Delay of polls while no block is fetched. */
const backoff: Backoff.Backoff = { firstMillis: 15_000, maxMillis: 60_000 }

/**
 * Runs work and polls the head meanwhile. The work calls `onProgress` whenever it has fetched blocks.
 */
export const during = <A, E, R>(
  { node, onHead, pollMillis }: Options,
  work: (onProgress: Effect.Effect<void>) => Effect.Effect<A, E, R>,
): Effect.Effect<A, E, R> =>
  Effect.gen(function* () {
    let progressAt = yield* MonotonicClock.millis
    let quietPolls = 0
    let dueAt = 0
    const onProgress = Effect.map(MonotonicClock.millis, (now) => {
      progressAt = now
      quietPolls = 0
      dueAt = 0
    })
    // The interval is measured between the starts of two polls, provided that the node responds in time.
    let tookMillis = 0
    const poll = Effect.gen(function* () {
      yield* Effect.sleep(Math.max(pollMillis / 4, pollMillis - tookMillis))
      tookMillis = 0
      const now = yield* MonotonicClock.millis
      if (now < dueAt) return
      if (now - progressAt > quietMillis) dueAt = now + Backoff.delayMillis(backoff, ++quietPolls)
      const head = yield* Effect.option(node.head)
      if (head._tag === "Some") yield* onHead(head.value.number)
      tookMillis = (yield* MonotonicClock.millis) - now
    })
    return yield* Effect.raceFirst(work(onProgress), Effect.forever(poll))
  })
