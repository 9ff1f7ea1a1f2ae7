/**
 * Writes a chain with two processes that take its lease from each other. A process exits between two statements of a write, or pauses in
 * one while the other takes the lease. A process also continues with a lost lease, or takes the lease again and continues from a head
 * that was replaced.
 */
import { Data, Effect, Fiber, Schedule } from "effect"
import type { Scope } from "effect"
import type { BlockRef } from "../../src/block/BlockRows.ts"
import type { ChainReader } from "../../src/store/ChainReader.ts"
import type { FencingToken } from "../../src/store/Leases.ts"
import type { StoreError } from "../../src/store/StoreError.ts"
import type { World, Writes } from "../replicas/World.ts"
import type { Seeded } from "../store/model.ts"
import type { Interruption } from "./Interruption.ts"
import * as WriterProcess from "./WriterProcess.ts"

/** Counts of events. */
export interface WriteCounts {
  /** Processes that exited during a write. */
  crashes: number
  /** Processes that paused during a write while another one took the lease. */
  stalls: number
  /** Rejected writes of a process without the lease, or from a replaced head. */
  refused: number
  /** Such writes that were accepted, which is an error. */
  accepted: number
  /** Other failures of writes, by message. */
  readonly failures: Map<string, number>
}

class NotWritten extends Data.TaggedError("NotWritten")<{ readonly outcome: WriterProcess.Outcome }> {}

interface Writer {
  readonly process: WriterProcess.WriterProcess
  token: FencingToken
}

/** Statements at which a write is interrupted: from the second one of any write, and up to the last one of a short or long write. */
const [firstStatement, lastOfShort, lastStatement] = [2, 9, 24]
const stallMillis = 40
/** Retries for the head of a database whose nodes may be unavailable for a while. */
const [retryMillis, maxRetries] = [100, 600] as const

/** Creates the writers; each run of the result writes at least once. */
export const make = Effect.fnUntraced(function* (
  process: Parameters<typeof WriterProcess.start>[0],
  world: World,
  reader: Pick<ChainReader, "snapshot">,
  numbers: Seeded,
): Effect.fn.Return<
  { readonly writeCounts: WriteCounts; readonly step: Effect.Effect<void, StoreError, Scope.Scope> },
  never,
  Scope.Scope
> {
  const writeCounts: WriteCounts = { crashes: 0, stalls: 0, refused: 0, accepted: 0, failures: new Map() }
  /** Continues from the stored head once the database responds. */
  const resume = Effect.retry(
    Effect.suspend(() => world.resume(reader)),
    { while: ({ isRetryable }) => isRetryable, schedule: Schedule.spaced(retryMillis), times: maxRetries },
  )
  const start = Effect.map(WriterProcess.start(process), (started): Writer => ({
    process: started,
    token: 0 as FencingToken,
  }))
  const spare = Effect.forkScoped(start)
  let other = yield* spare
  let leader = yield* start

  const note = (outcome: WriterProcess.Outcome) => {
    if (outcome._tag === "Done") return
    writeCounts.failures.set(outcome.message, (writeCounts.failures.get(outcome.message) ?? 0) + 1)
  }

  const acquireLease = Effect.fnUntraced(function* (writer: Writer) {
    const outcome = yield* writer.process.run({ _tag: "Acquire" })
    if (outcome._tag === "Done" && outcome.token !== null) writer.token = outcome.token
    else note(outcome)
  })

  const writes = ({ process, token }: Writer, interruption?: Interruption): Writes<NotWritten> => {
    const written = (command: WriterProcess.Command) =>
      Effect.flatMap(process.run(command, interruption), (outcome) =>
        outcome._tag === "Done" ? Effect.void : Effect.fail(new NotWritten({ outcome })),
      )
    return {
      append: (expected, blocks) => written({ _tag: "Append", expected, blocks, token }),
      unwind: (expected, to) => written({ _tag: "Unwind", expected, to, token }),
    }
  }

  /** Writes once; continues from the stored head after a failure. */
  const write = Effect.fnUntraced(function* (writer: Writer, interruption?: Interruption) {
    const result = yield* Effect.result(world.step(writes(writer, interruption)))
    if (result._tag === "Success") return
    const { outcome } = result.failure
    if (outcome._tag === "Died") {
      writeCounts.crashes++
      leader = yield* Fiber.join(other)
      other = yield* spare
      yield* acquireLease(leader)
    } else note(outcome)
    yield* resume
  })

  const interruption = (stall: number | null, last = lastStatement): Interruption => ({
    statement: firstStatement + numbers.below(last - firstStatement + 1),
    stallMillis: stall,
  })

  /** Makes a write that must be rejected. */
  const forbidden = Effect.fnUntraced(function* (command: WriterProcess.Command, writer: Writer, by: string) {
    const outcome = yield* writer.process.run(command)
    if (outcome._tag === by) writeCounts.refused++
    else if (outcome._tag === "Done") writeCounts.accepted++
    else note(outcome)
  })

  const change = Effect.fnUntraced(function* () {
    const former = leader
    leader = yield* Fiber.join(other)
    other = yield* Effect.forkScoped(Effect.succeed(former))
    yield* acquireLease(leader)
    yield* resume
    return former
  })

  /** Pauses the leader during a write while the other process takes the lease. */
  const stall = Effect.fnUntraced(function* () {
    writeCounts.stalls++
    const stalled = world.step(writes(leader, interruption(stallMillis)))
    const takeover = Effect.gen(function* () {
      yield* Effect.sleep(stallMillis / 4)
      yield* change()
      for (let count = 1 + numbers.below(3); count > 0; count--) yield* write(leader)
    })
    yield* Effect.all([Effect.ignore(stalled), takeover], { concurrency: 2 })
    yield* resume
  })

  /** Continues with a process that lost the lease; it may take the lease again without reading the head again. */
  const writeWithoutLease = Effect.fnUntraced(function* () {
    const replaced: BlockRef = world.head()
    const former = yield* change()
    for (let count = 1 + numbers.below(3); count > 0; count--) yield* write(leader)
    const append = (expected: BlockRef) => ({
      _tag: "Append" as const,
      expected,
      blocks: [world.blockOn(expected)],
      token: former.token,
    })
    yield* forbidden(append(replaced), former, "LeaseLost")
    yield* forbidden(append(world.head()), former, "LeaseLost")
    if (numbers.below(2) === 0 || world.head().hash === replaced.hash) return yield* resume
    yield* change()
    yield* forbidden(append(replaced), former, "CheckpointConflict")
    return yield* resume
  })

  yield* acquireLease(leader)
  const first = [stall, writeWithoutLease, () => write(leader, interruption(null, lastOfShort))]
  const step = Effect.suspend(() => {
    const scripted = first.shift()
    if (scripted !== undefined) return scripted()
    const drawn = numbers.below(100)
    if (drawn < 4) return write(leader, interruption(null))
    if (drawn < 10) return stall()
    return drawn < 18 ? writeWithoutLease() : write(leader)
  })
  return { writeCounts, step: Effect.asVoid(step) }
})
