/**
 * Indexers of a simulated world, each in a simulated process: started, killed between any two statements, stopped, and restarted. They
 * run the code of the service.
 */
import { Cause, Effect, Fiber } from "effect"
import * as KnownSignatures from "@daybook/abi/KnownSignatures"
import * as ChainIndexer from "../../src/indexer/ChainIndexer.ts"
import * as Projections from "../../src/projection/Projections.ts"
import * as HashRules from "../../src/verification/HashRules.ts"
import * as Node from "../../src/node/Node.ts"
import * as Engine from "../../src/store/Engine.ts"
import type { SeededRandom } from "../store/SeededRandom.ts"
import type { Count } from "./Count.ts"
import type * as Disk from "./Disk.ts"
import { Divergence } from "./Divergence.ts"
import * as InjectedBug from "./InjectedBug.ts"
import * as Server from "./Server.ts"
import * as Threads from "./Threads.ts"
import { traceLimits } from "./Untraceable.ts"
import type { VirtualTime } from "./VirtualTime.ts"
import type { World } from "./World.ts"

/** Entries per range of blocks: few enough that ranges start and are merged in each run. */
const rangeEntries = 20

/** Dependencies of the processes. */
export interface Setting {
  readonly random: SeededRandom
  readonly time: VirtualTime
  readonly count: Count
  readonly world: World
  readonly url: string
  /** Failures that its statements may have. */
  readonly failures: ReadonlyArray<Disk.Failure>
  /** The configured first block when a process starts. */
  readonly fromBlock: () => number
  readonly bug: InjectedBug.Name | undefined
  readonly log: (what: string) => void
  readonly onCommit: () => void
  /** Called for unexpected behaviour of a process. */
  readonly onDivergence: (divergence: Divergence) => void
}

/** All processes of a world. */
export interface Processes {
  readonly disk: Disk.Disk
  /** Starts a process, which is restarted whenever it ends. */
  readonly start: (name: string) => void
  /** Kills and stops processes at random until faults end. */
  readonly begin: () => void
  /** Kills or stops all processes, so that they restart with the current configuration. */
  readonly restart: () => void
  /** Restarts all processes with another revision of ledgers, which are then derived again. */
  readonly upgrade: () => void
  /** Current revision of ledgers. */
  readonly revision: () => number
  readonly births: () => number
  /** Kills all processes permanently; returns the fibers that have not ended yet. */
  readonly end: () => ReadonlyArray<Fiber.Fiber<unknown, unknown>>
}

interface Process extends Disk.Owner {
  readonly name: string
  isStopped: boolean
  fiber: Fiber.Fiber<unknown, unknown> | undefined
}

const decoder = KnownSignatures.decoder()

/** Creates the processes without starting them. */
export const make = (setting: Setting): Processes => {
  const { count, fromBlock, bug, log, time, world } = setting
  const shape = setting.random.fork("processes")
  const faults = setting.random.fork("faults")
  const pollMillis = shape.pick([400, 1000, 2000])
  const concurrency = shape.pick([1, 3, 8])
  const losses = setting.random.fork("threads")
  const batchBlocks = setting.random.fork("batches").pick([1, 2, 5, 100])
  const restarts = setting.random.fork("restarts")
  const threads = bug === undefined ? losses.pick([0, 0, 1, 2]) : 0
  const strikeRate = shape.pick([0, 0.001, 0.01])
  const killMillis = shape.pick([4000, 15_000, 120_000])
  const running = new Set<Process>()
  const urls = world.endpoints.map(({ url }) => url)
  let births = 0
  let revision = 1
  let isOver = false
  let armed: { after: number; readonly kind: "kill before" | "kill after" } | undefined

  const { failures, onCommit } = setting
  const disk: Disk.Disk = { opening: null, bug: InjectedBug.onDisk(bug), failures, onCommit }

  const strike = (sql: string, isInTransaction: boolean): Disk.Strike | null => {
    if (world.isCalm()) return null
    if (armed !== undefined && --armed.after <= 0) {
      const { kind } = armed
      armed = undefined
      count(isInTransaction ? "killed between begin and commit" : "killed outside a transaction")
      log(`${kind}: ${sql.slice(0, 60)}`)
      return kind
    }
    // SQLite releases its lock on a rollback and needs no disk space for it, so a rollback does not fail.
    if (strikeRate === 0 || sql.startsWith("ROLLBACK") || !faults.is(strikeRate)) return null
    const kind = faults.pick(failures)
    count(`a statement fails: ${kind}`)
    log(`${kind}: ${sql.slice(0, 60)}`)
    return kind
  }

  const stop = (process: Process): void => {
    process.isStopped = true
    if (process.fiber === undefined || !running.has(process)) return
    Effect.runFork(time.inside(Fiber.interrupt(process.fiber)))
  }

  const runProcess = (process: Process) =>
    Effect.gen(function* () {
      const open = Effect.suspend(() => {
        disk.opening = process
        time.isUninterrupted = true
        return Effect.gen(function* () {
          const database = yield* Engine.fromUrl(setting.url, "/", { rangeEntries })
          // Opens the connection with which the indexer writes.
          yield* database.chain({ name: "eth", id: 1 }).writer()
          return database
        })
      })
      const owned = Effect.provideService(open, Server.Owner, process)
      const database = yield* Effect.onExit(owned, () =>
        Effect.sync(() => {
          disk.opening = null
          time.isUninterrupted = false
        }),
      )
      const connect = Effect.orDie(Node.make({ urls, chainId: 1, traceLimits }))
      const node = yield* connect
      const assembling = { decoder, frames: traceLimits.frames }
      const rangeSource =
        threads === 0
          ? undefined
          : yield* Threads.make({
              count,
              threads,
              random: losses,
              connect: Effect.map(connect, (source) => ({
                node: source,
                assembling,
              })),
            })
      return yield* ChainIndexer.run(InjectedBug.node(bug, node, database, process.name), {
        chain: "eth",
        chainId: 1,
        owner: process.name,
        decoder,
        fromBlock: fromBlock(),
        pollMillis,
        concurrency,
        batchBlocks,
        projections: Projections.make(decoder, 1).map((projection) =>
          projection.kind === "ledger" ? { ...projection, revision } : projection,
        ),
        rangeSource,
        rules: HashRules.ethereum,
        finalityBlocks: HashRules.finalityBlocksOf(1),
        frames: traceLimits.frames,
        onEvent: (event) => Effect.sync(() => log(`${process.name}: ${JSON.stringify(event)}`)),
      }).pipe(Effect.provideService(Engine.Engine, database))
    }).pipe(Effect.scoped, time.inside)

  const start = (name: string): void => {
    births++
    const process: Process = {
      name,
      isDead: false,
      isStopped: false,
      fiber: undefined,
      strike,
      onKilled: () => {
        process.isDead = true
        time.after(0, () => stop(process))
      },
    }
    running.add(process)
    process.fiber = Effect.runFork(runProcess(process))
    process.fiber.addObserver((exit) => {
      running.delete(process)
      const why = exit._tag === "Failure" ? exit.cause : Cause.empty
      log(`${name} ended: ${String(why)}`)
      // Conditions that an operator may encounter are reported as errors; a defect is a bug.
      if (!process.isDead && !process.isStopped && why.reasons.some(({ _tag }) => _tag === "Die")) {
        setting.onDivergence(new Divergence(`the indexer ended with a defect: ${String(why)}`))
      }
      if (!isOver) time.after(faults.between(100, 3000), () => start(name))
    })
  }

  const killOrStopOne = () => {
    const process = [...running][faults.below(running.size)]
    const kind = faults.pick(["kill before", "kill after", "kill", "stop"] as const)
    if (kind === "kill before" || kind === "kill after") {
      armed = { after: faults.between(1, 60), kind }
      return
    }
    if (process === undefined) return
    count(kind === "kill" ? "killed between two steps" : "stopped")
    if (kind === "kill") process.isDead = true
    stop(process)
  }

  const restart = () => {
    for (const process of running) {
      process.isDead ||= restarts.is(0.5)
      stop(process)
    }
  }

  return {
    disk,
    start,
    begin: () => world.every(() => faults.between(killMillis / 4, killMillis * 2), killOrStopOne),
    restart,
    upgrade: () => {
      revision++
      restart()
    },
    revision: () => revision,
    births: () => births,
    end: () => {
      isOver = true
      for (const process of running) process.isDead = true
      return [...running].flatMap((process) => {
        stop(process)
        return process.fiber ?? []
      })
    },
  }
}
