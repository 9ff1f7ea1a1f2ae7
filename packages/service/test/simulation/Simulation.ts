/**
 * One simulated life of an indexer: a world drawn from a seed, in virtual time. Blocks are mined and reorganised away, nodes lag,
 * fail and lie, processes are killed between statements and start again, disks fill, clients walk pages. The store is compared
 * with the model after every commit; at the end all goes well again, and the store must come to stand where the chain stands.
 */
import { existsSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, Fiber } from "effect"
import * as Decoder from "../../src/decode/Decoder.ts"
import * as Indexer from "../../src/index/Indexer.ts"
import * as Rules from "../../src/index/Rules.ts"
import * as Node from "../../src/node/Node.ts"
import * as SqliteStore from "../../src/store/SqliteStore.ts"
import { Store } from "../../src/store/Store.ts"
import type { Chance } from "./Chance.ts"
import * as ChanceOf from "./Chance.ts"
import { Counts } from "./Count.ts"
import * as Disk from "./Disk.ts"
import * as Model from "./Model.ts"
import * as Network from "./Network.ts"
import * as Planted from "./Planted.ts"
import * as Reader from "./Reader.ts"
import * as Tree from "./Tree.ts"
import * as VirtualTime from "./VirtualTime.ts"

/** What came of a seed. */
export interface Outcome {
  readonly seed: number
  /** What diverged; null when nothing did. */
  readonly divergence: string | null
  /** Virtual time that passed. */
  readonly elapsedMillis: number
  readonly counts: Counts
  /** States that the store had. */
  readonly versions: number
}

/** How to simulate. */
export interface Options {
  readonly seed: number
  /** A fault that is put in on purpose. */
  readonly plant?: Planted.Name
  /** Told of each thing that happens. */
  readonly onEvent?: (millis: number, what: string) => void
}

const decoder = Decoder.make()
const longestChain = 85
/** Files in memory, where the system has them: a simulation writes many small ones. */
const memory = "/dev/shm"

interface Process extends Disk.Owner {
  readonly name: string
  fiber: Fiber.Fiber<unknown, unknown> | undefined
}

const tracers = ["trace_block", "debug_traceBlockByHash", "debug_traceBlockByNumber"] as const

const endpointsOf = (chance: Chance): ReadonlyArray<Network.Endpoint> => {
  const traces = chance.is(0.1) ? ("off" as const) : chance.pick(["same", "mixed"] as const)
  const same = chance.pick(tracers)
  const hasFinalized = chance.is(0.5)
  const some = (index: number) => (index > 0 && chance.is(0.2) ? ("none" as const) : chance.pick(tracers))
  return Array.from({ length: chance.between(1, 3) }, (_, index): Network.Endpoint => ({
    url: `https://node-${index}.example/key`,
    host: `node-${index}.example`,
    tracer: traces === "off" ? "none" : traces === "same" ? same : some(index),
    knowsFinalized: hasFinalized && chance.is(0.8),
    takesHashesForReceipts: chance.is(0.8),
    keepsBranches: chance.is(0.5),
    slowestMillis: chance.pick([1, 20, 200, 900]),
    lag: 0,
    frozen: null,
  }))
}

/** Lives one seed. Seeds must be lived one after another: the hand on SQLite and on fetch is the whole process's. */
export const run = async (options: Options): Promise<Outcome> => {
  const { seed } = options
  const chance = ChanceOf.make(seed)
  const counts = new Counts()
  const time = VirtualTime.make(chance.fork("time"))
  const tell = (what: string) => options.onEvent?.(time.now() - VirtualTime.beginning, what)
  const count = (kind: string) => {
    counts.count(kind)
    tell(kind)
  }
  const folder = mkdtempSync(join(existsSync(memory) ? memory : tmpdir(), "daybook-simulation-"))
  const file = join(folder, "chain.sqlite")

  const shape = chance.fork("shape")
  const endpoints = endpointsOf(shape)
  const hasTraces = endpoints.some(({ tracer }) => tracer !== "none")
  const isTwisted = endpoints.every(({ tracer }) => tracer !== "debug_traceBlockByNumber")
  const fromBlock = shape.pick([0, 0, 4])
  const finalityDepth = endpoints.some(({ knowsFinalized }) => knowsFinalized) ? shape.between(4, 20) : null
  const pollMillis = shape.pick([400, 1000, 2000])
  const concurrency = shape.pick([1, 3, 8])
  const blockMillis = shape.pick([700, 2000, 5000])
  const level = shape.pick([0, 0.02, 0.06, 0.15])
  const chaosMillis = shape.between(8, 28) * 1000

  const tree = Tree.make(chance.fork("tree"), isTwisted)
  const mining = chance.fork("mining")
  const tips: Array<Tree.Block> = []
  let head = tree.genesis
  let finalized = tree.genesis
  let isQuiet = false
  const mine = (again?: Array<Tree.Deed>) => {
    head = tree.grow(head, again)
    if (finalityDepth === null) return
    const final = Tree.at(head, head.number - finalityDepth)
    if (final !== undefined && final.number > finalized.number) finalized = final
  }
  for (let blocks = shape.between(0, 25); blocks > 0; blocks--) mine()

  let divergence: Model.Divergence | undefined
  const diverge = (found: Model.Divergence) => {
    if (divergence === undefined) tell(`DIVERGENCE: ${found.message}`)
    divergence ??= found
  }

  const rates: Network.Rates = { failure: level, lie: level / 2, olderView: shape.pick([0, 0.02, 0.1]) }
  const none: Network.Rates = { failure: 0, lie: 0, olderView: 0 }
  const network = Network.make({
    chance: chance.fork("network"),
    time,
    tree,
    endpoints,
    count,
    head: () => head,
    finalized: () => finalized,
    tips: () => tips,
    rates: () => (isQuiet ? none : rates),
  })
  const model = Model.make({
    file,
    tree,
    fromBlock,
    hasTraces,
    now: time.now,
    finalized: () => (finalityDepth === null ? null : finalized.number),
    isContradicted: network.isContradicted,
  })
  const check = (compare: () => void) => {
    try {
      Disk.outside(compare)
    } catch (cause) {
      if (!(cause instanceof Model.Divergence)) throw cause
      diverge(cause)
    }
  }

  // Crashes.
  const faults = chance.fork("faults")
  const strikeRate = shape.pick([0, 0.001, 0.01])
  let armed: { after: number; readonly kind: Disk.Strike } | undefined
  const strike = (sql: string, isInTransaction: boolean): Disk.Strike | null => {
    if (isQuiet) return null
    if (armed !== undefined && --armed.after <= 0) {
      const { kind } = armed
      armed = undefined
      const where = isInTransaction ? "between begin and commit" : `at ${sql.split(" ", 2).join(" ")}`
      count(
        isInTransaction
          ? `${kind === "kill before" ? "killed" : "killed"} between begin and commit`
          : "killed outside a transaction",
      )
      tell(`${kind} ${where}: ${sql.slice(0, 60)}`)
      return kind
    }
    if (strikeRate === 0 || !faults.is(strikeRate)) return null
    const kind = faults.pick(["disk full", "disk failed", "locked"] as const)
    count(`a statement fails: ${kind}`)
    return kind
  }

  const processes = new Set<Process>()
  let births = 0
  const urls = endpoints.map(({ url }) => url)

  const start = (name: string): void => {
    births++
    const process: Process = {
      name,
      isDead: false,
      fiber: undefined,
      strike,
      onKilled: () => {
        process.isDead = true
        time.after(0, () => stop(process))
      },
    }
    processes.add(process)
    const open = Effect.suspend(() => {
      disk.opening = process
      time.holdStill = true
      return SqliteStore.make({ file, chainId: 1 })
    }).pipe(
      Effect.onExit(() =>
        Effect.sync(() => {
          disk.opening = null
          time.holdStill = false
        }),
      ),
    )
    const life = Effect.gen(function* () {
      const store = yield* open
      const node = yield* Node.make({ urls, chainId: 1 })
      return yield* Indexer.run(Planted.node(options.plant, node, store), {
        chain: "eth",
        owner: name,
        decoder,
        fromBlock,
        pollMillis,
        concurrency,
        rules: Rules.ethereum,
        finalityBlocks: Rules.finalityBlocksOf(1),
        onEvent: (event) => Effect.sync(() => tell(`${name}: ${JSON.stringify(event)}`)),
      }).pipe(Effect.provideService(Store, Planted.store(options.plant, store)))
    }).pipe(Effect.scoped, time.inside)
    const fiber = Effect.runFork(life)
    process.fiber = fiber
    fiber.addObserver((exit) => {
      processes.delete(process)
      tell(`${name} ended: ${exit._tag === "Failure" ? String(exit.cause) : ""}`)
      if (!isOver) time.after(faults.between(100, 3000), () => start(name))
    })
  }

  const stop = (process: Process): void => {
    if (process.fiber !== undefined && processes.has(process))
      Effect.runFork(time.inside(Fiber.interrupt(process.fiber)))
  }

  let isOver = false
  const disk: Disk.Disk = {
    opening: null,
    plant: Planted.onDisk(options.plant),
    onCommit: () => check(model.check),
  }

  // What the world does.
  const reorganise = () => {
    const floor = finalityDepth === null ? 0 : finalized.number
    const room = head.number - floor
    if (room <= 0) return
    const depth = Math.min(room, mining.is(0.15) ? mining.between(1, room) : mining.between(1, 4))
    const left = head
    const again = Tree.chainOf(head, head.number - depth + 1).flatMap(({ deeds }) => [...deeds])
    head = Tree.at(head, head.number - depth)!
    count(depth > 10 ? "reorganisation deeper than 10" : `reorganisation of ${depth > 4 ? "5 to 10" : depth}`)
    tips.push(left)
    const length = mining.between(0, depth + 2)
    for (let blocks = Math.max(length, head.number + length > longestChain ? 0 : 1); blocks > 0; blocks--) mine(again)
  }

  const every = (millis: () => number, action: () => void): void => {
    time.after(millis(), () => {
      if (isQuiet) return
      action()
      every(millis, action)
    })
  }

  const schedule = () => {
    every(
      () => mining.between(blockMillis / 2, blockMillis * 1.5),
      () => (head.number < longestChain ? mine() : undefined),
    )
    const reorgMillis = shape.pick([3000, 8000, 60_000])
    every(() => mining.between(reorgMillis / 4, reorgMillis * 2), reorganise)
    const moods = chance.fork("moods")
    every(
      () => moods.between(1000, 12_000),
      () => {
        const endpoint = moods.pick(endpoints)
        const mood = moods.pick(["well", "lags", "stands still"] as const)
        endpoint.lag = mood === "lags" ? moods.between(1, 10) : 0
        endpoint.frozen = mood === "stands still" ? head : null
        if (mood !== "well") count(`a node ${mood}`)
      },
    )
    const killMillis = shape.pick([4000, 15_000, 120_000])
    every(
      () => faults.between(killMillis / 4, killMillis * 2),
      () => {
        const process = [...processes][faults.below(processes.size)]
        const kind = faults.pick(["kill before", "kill after", "kill", "stop"] as const)
        if (kind === "kill before" || kind === "kill after") {
          armed = { after: faults.between(1, 60), kind }
          return
        }
        if (process === undefined) return
        count(kind === "kill" ? "killed between two steps" : "told to stop")
        if (kind === "kill") process.isDead = true
        stop(process)
      },
    )
  }

  const outerFetch = globalThis.fetch
  Disk.install()
  Disk.use(disk)
  globalThis.fetch = network.fetch
  const readers: Array<Fiber.Fiber<unknown, unknown>> = []
  try {
    schedule()
    start("one")
    if (shape.is(0.35)) {
      count("worlds with a second indexer")
      time.after(shape.between(0, 5000), () => start("two"))
    }
    const readingChance = chance.fork("readers")
    for (let reader = shape.between(0, 2); reader > 0; reader--) {
      const reading = Reader.run({
        chance: readingChance,
        count,
        file,
        fromBlock,
        hasTraces,
        model,
        onDivergence: diverge,
      })
      readers.push(Effect.runFork(reading.pipe(Effect.scoped, time.inside)))
    }
    await time.runUntil(VirtualTime.beginning + chaosMillis, () => divergence !== undefined)

    // All is well again; the head moves once more, so that a node that is asked has news.
    isQuiet = true
    armed = undefined
    for (const endpoint of endpoints) Object.assign(endpoint, { lag: 0, frozen: null })
    mine()
    while (head.number < fromBlock) mine()
    tell(`all is well; the chain ends with ${head.number} (${head.hash})`)
    const isThere = () => model.versions.at(-1)!.head === head
    await time.runUntil(time.now() + 200_000, () => divergence !== undefined || isThere())
    if (divergence === undefined && !isThere()) {
      const stands = model.versions.at(-1)!.head
      const where = stands === null ? "is empty" : `stands at block ${stands.number} (${stands.hash.slice(0, 10)})`
      diverge(new Model.Divergence(`the store ${where} 200 s after all was well; the chain at block ${head.number}`))
    }
    if (divergence === undefined) {
      await time.runUntil(time.now() + 5000, () => divergence !== undefined)
      if (!isThere()) diverge(new Model.Divergence("the store left the chain that it had reached"))
      check(model.checkAll)
    }
    counts.add([
      ["processes started", births],
      ["blocks mined", tree.byHash.size],
      ["states of the store", model.versions.length],
    ])
  } finally {
    isOver = true
    for (const process of processes) process.isDead = true
    const fibers = [...readers, ...[...processes].flatMap(({ fiber }) => fiber ?? [])]
    for (const fiber of fibers) Effect.runFork(time.inside(Fiber.interrupt(fiber)))
    await time.runUntil(time.now() + 60_000, () => fibers.every((fiber) => fiber.pollUnsafe() !== undefined))
    globalThis.fetch = outerFetch
    Disk.use(null)
    model.close()
    rmSync(folder, { recursive: true, force: true })
  }
  return {
    seed,
    divergence: divergence?.message ?? null,
    elapsedMillis: time.now() - VirtualTime.beginning,
    counts,
    versions: model.versions.length,
  }
}
