/** Processes of a simulated service: started, killed between any two statements, stopped, and restarted on the same store. */
import { Effect, Fiber, Logger, References, type Scope } from "effect"
import type { Config } from "../../../src/config/Config.ts"
import type { ServedChain } from "../../../src/config/ServedChain.ts"
import type { Database } from "../../../src/store/Database.ts"
import * as Engine from "../../../src/store/Engine.ts"
import type { StoreError } from "../../../src/store/StoreError.ts"
import type { Count } from "../../simulation/Count.ts"
import type * as Disk from "../../simulation/Disk.ts"
import * as Server from "../../simulation/Server.ts"
import type { VirtualTime } from "../../simulation/VirtualTime.ts"
import type { SeededRandom } from "../../store/SeededRandom.ts"
import type { Reachable } from "./Network.ts"
import * as ServedProcess from "./ServedProcess.ts"

/** Dependencies of the processes. */
export interface Options {
  readonly time: VirtualTime
  readonly random: SeededRandom
  readonly count: Count
  readonly config: Config
  readonly chain: ServedChain
  readonly url: string
  readonly disk: Disk.Disk
  /** Probability that a statement fails. */
  readonly failureRate: number
  readonly isCalm: () => boolean
  readonly log: (line: string) => void
  /** Completes with the next change of the chain. */
  readonly changed: Effect.Effect<void>
}

/** A process that owns its database connections. */
export interface Owner extends Disk.Owner {
  /** Number of statements before it is killed; `undefined` if it is not to be killed. */
  fuse: number | undefined
}

/** Creates an owner; `onKilled` is called when it is killed. */
export const owner = ({ count, disk, failureRate, isCalm, random }: Options, onKilled: () => void): Owner => {
  const processOwner: Owner = {
    isDead: false,
    fuse: undefined,
    strike: (sql, isInTransaction) => {
      if (isCalm()) return null
      if (processOwner.fuse !== undefined && --processOwner.fuse <= 0) {
        processOwner.fuse = undefined
        count(isInTransaction ? "killed between begin and commit" : "killed outside a transaction")
        return random.is(0.5) ? "kill before" : "kill after"
      }
      if (sql.startsWith("ROLLBACK") || !random.is(failureRate)) return null
      const kind = random.pick(disk.failures)
      count(`a statement fails: ${kind}`)
      return kind
    },
    onKilled: () => {
      processOwner.isDead = true
      onKilled()
    },
  }
  return processOwner
}

/** Opens the database as the process of an owner. */
export const open = (
  { chain, disk, time, url }: Pick<Options, "chain" | "disk" | "time" | "url">,
  processOwner: Disk.Owner | null,
): Effect.Effect<Database, StoreError, Scope.Scope> => {
  const opened = Effect.gen(function* () {
    disk.opening = processOwner
    time.isUninterrupted = true
    const database = yield* Engine.fromUrl(url, "/")
    // Connections are opened on first use. No chain exists before its indexer starts.
    yield* database.webhooks.overview
    yield* Effect.ignore(database.chain(chain).reader.snapshot((snapshot) => snapshot.checkpoint))
    return database
  })
  return Effect.provideService(opened, Server.Owner, processOwner).pipe(
    Effect.onExit(() =>
      Effect.sync(() => {
        disk.opening = null
        time.isUninterrupted = false
      }),
    ),
  )
}

/** A host that runs one process at a time. */
export class Host {
  stallMillis = 0
  private readonly options: Options
  private current: (Reachable & { readonly own: Owner }) | undefined
  private own: Owner | undefined
  private fiber: Fiber.Fiber<unknown, unknown> | undefined
  private isWanted = true

  constructor(options: Options) {
    this.options = options
  }

  /** The process, if it accepts requests. */
  get reachable(): Reachable | undefined {
    return this.current
  }

  /** Runs an effect in virtual time with logging. */
  private readonly inside = <A, E>(effect: Effect.Effect<A, E>): Effect.Effect<A, E> => {
    const { log, time } = this.options
    const logger = Logger.make(({ message }) => log(String(message)))
    return effect.pipe(
      Effect.provideService(References.MinimumLogLevel, "Info"),
      Effect.provide(Logger.layer([logger])),
      time.inside,
    )
  }

  private readonly serve = (processOwner: Owner) => {
    const { changed, chain, config } = this.options
    const stallMillis = () => {
      const millis = this.stallMillis
      this.stallMillis = 0
      return millis
    }
    return Effect.gen({ self: this }, function* () {
      const database = yield* open(this.options, processOwner)
      const served = yield* ServedProcess.make({ config, chain, database, changed, stallMillis })
      this.current = { served, inside: this.inside, connections: new Set(), own: processOwner }
      yield* served.send
    }).pipe(Effect.scoped, this.inside)
  }

  /** Starts a process, which is restarted whenever it ends. */
  start(): void {
    const { count, isCalm, random, time } = this.options
    count("processes started")
    const processOwner = owner(this.options, () => void time.after(0, () => this.stop()))
    this.own = processOwner
    const fiber = Effect.runFork(this.serve(processOwner))
    this.fiber = fiber
    fiber.addObserver(() => {
      this.cut()
      this.current = undefined
      const restart = () => {
        if (this.isWanted && this.fiber === fiber) this.start()
      }
      time.after(isCalm() ? 100 : random.below(random.pick([1_000, 45_000])), restart)
    })
  }

  /** Closes its connections. */
  cut(): void {
    for (const end of this.current?.connections ?? []) end()
  }

  /** Kills the process after this many statements. */
  killAfter(statements: number): void {
    if (this.own !== undefined) this.own.fuse = statements
  }

  /** Kills the process immediately. */
  kill(): void {
    if (this.own !== undefined) this.own.isDead = true
    this.cut()
    this.stop()
  }

  /** Kills the process; it is not restarted before `resume`. */
  suspend(): void {
    this.isWanted = false
    this.kill()
  }

  /** Allows a process to run again and starts it. */
  resume(): void {
    this.isWanted = true
    if (this.fiber?.pollUnsafe() !== undefined) this.start()
  }

  stop(): void {
    const { fiber } = this
    if (fiber !== undefined) Effect.runFork(this.options.time.inside(Fiber.interrupt(fiber)))
  }

  /** Kills the process permanently; returns the fiber that has not ended yet. */
  end(): Fiber.Fiber<unknown, unknown> | undefined {
    this.suspend()
    return this.fiber
  }
}
