/**
 * Simulates a store and its indexers in a world generated from a seed, in virtual time. Blocks are mined and reorged, nodes lag, fail
 * and return faulty responses, processes are killed between statements and restart, disks fill, and clients read pages. The store is
 * compared with the model after every commit. Finally no faults are injected, and the store must reach the head of the chain.
 */
import { Effect, Fiber } from "effect"
import * as SeededRandom from "../store/SeededRandom.ts"
import { Counts } from "./Count.ts"
import { Divergence } from "./Divergence.ts"
import * as Model from "./Model.ts"
import * as Network from "./Network.ts"
import type * as InjectedBug from "./InjectedBug.ts"
import * as Processes from "./Processes.ts"
import * as Reader from "./Reader.ts"
import type * as Server from "./Server.ts"
import * as Store from "./Store.ts"
import * as VirtualTime from "./VirtualTime.ts"
import * as World from "./World.ts"

/** Result of a seed. */
export interface Outcome {
  readonly seed: number
  /** The divergence; null if there is none. */
  readonly divergence: string | null
  readonly elapsedMillis: number
  readonly counts: Counts
}

export interface Options {
  readonly seed: number
  /** PostgreSQL database of the world. Default: a SQLite file. */
  readonly server?: Server.Server | undefined
  readonly bug?: InjectedBug.Name | undefined
  /** Maximum virtual time with faults. Default: the generated one. */
  readonly maxFaultMillis?: number
  /** Called for each event of the world. */
  readonly onEvent?: ((millis: number, what: string) => void) | undefined
}

/** Time within which a store must advance towards the head without faults: the sum of the longest waits of a client and an indexer. */
const recoveryMillis = 200_000
const standingMillis = 5_000
/** Maximum virtual time with faults. */
export const longestFaultMillis = 28_000

/** Simulates one seed. Seeds must run sequentially, because the fault injection of the store and of fetch is global. */
export const run = async ({ onEvent, bug, maxFaultMillis = Infinity, seed, server }: Options): Promise<Outcome> => {
  const random = SeededRandom.make(seed)
  const shape = random.fork("shape")
  const lowest = shape.pick([0, 0, 4])
  const faultMillis = shape.between(8, longestFaultMillis / 1000) * 1000
  // Half of the configurations start at a higher block until a random instant.
  const start = random.fork("start")
  const highest = lowest + (start.is(0.5) ? start.between(1, 20) : 0)
  const loweredMillis = start.between(0, faultMillis)
  let fromBlock = highest
  const counts = new Counts()
  const time = VirtualTime.make(random.fork("time"))
  const log = (what: string) => onEvent?.(time.now() - VirtualTime.beginning, what)
  const count = (kind: string) => {
    counts.count(kind)
    log(kind)
  }
  const store = server === undefined ? Store.sqlite() : await Store.postgres(server, time)

  let divergence: Divergence | undefined
  const onDivergence = (found: Divergence) => {
    if (divergence === undefined) log(`DIVERGENCE: ${found.message}`)
    divergence ??= found
  }
  const world = World.make(random, time, count)
  const { endpoints, finalityDepth, finalized, hasTraces, head, mayLack, rates, stored, tips, tree, untraceable } =
    world
  const network = Network.make({
    random: random.fork("network"),
    time,
    tree,
    endpoints,
    count,
    head,
    finalized,
    rates,
    untraceable,
    tips: () => tips,
  })
  const model = Model.make({
    tree,
    hasTraces,
    stored,
    mayLack,
    count,
    rows: store.rows,
    starts: {
      lowest,
      highest,
    },
    now: time.now,
    finalized: () => (finalityDepth === null ? null : finalized().number),
    isContradicted: network.isContradicted,
    revision: () => processes.revision(),
  })
  const check = (compare: () => void) => {
    try {
      store.outside(compare)
    } catch (cause) {
      if (!(cause instanceof Divergence)) throw cause
      onDivergence(cause)
    }
  }
  const processes = Processes.make({
    random,
    time,
    count,
    world,
    bug,
    log,
    onDivergence,
    url: store.url,
    failures: store.failures,
    fromBlock: () => fromBlock,
    onCommit: () => check(model.check),
  })
  const readers: Array<Fiber.Fiber<unknown, unknown>> = []
  const isOver = () => divergence !== undefined
  const storedHead = () => model.versions.at(-1)!.head
  const isComplete = () => storedHead() === head() && model.versions.at(-1)!.first === lowest && model.isDerived()

  const runWithFaults = async () => {
    world.begin()
    processes.begin()
    processes.start("one")
    if (shape.is(0.35)) {
      count("worlds with a second indexer")
      time.after(shape.between(0, 5000), () => processes.start("two"))
    }
    if (highest > lowest) {
      time.after(loweredMillis, () => {
        count("the first block is lowered")
        fromBlock = lowest
        processes.restart()
      })
    }
    const upgrade = random.fork("upgrade")
    if (upgrade.is(0.5)) {
      time.after(upgrade.between(0, faultMillis), () => {
        count("the ledgers are derived again")
        processes.upgrade()
      })
    }
    const reading = random.fork("readers")
    for (let reader = shape.between(0, 2); reader > 0; reader--) {
      const walks = Reader.run({ random: reading, count, url: store.url, hasTraces, model, onDivergence })
      readers.push(Effect.runFork(walks.pipe(Effect.scoped, time.inside)))
    }
    await time.runUntil(VirtualTime.beginning + Math.min(faultMillis, maxFaultMillis), isOver)
  }

  const recover = async () => {
    world.calm(highest)
    log(`faults end; the chain ends with ${head().number} (${head().hash})`)
    let states = 0
    // A world of slow nodes that have lost receipts takes long and stores data repeatedly.
    while (!isOver() && !isComplete() && model.versions.length > states) {
      states = model.versions.length
      await time.runUntil(time.now() + recoveryMillis, () => isOver() || isComplete())
    }
    const { first, head: last } = model.versions.at(-1)!
    const where = last === null ? "is empty" : `has the blocks ${first} to ${last.number} (${last.hash.slice(0, 10)})`
    const late = `the store ${where}, and nothing was stored for ${recoveryMillis / 1000} s after all faults ended; the chain has ${lowest} to ${head().number}`
    if (!isComplete()) onDivergence(new Divergence(late))
    await time.runUntil(time.now() + standingMillis, isOver)
    if (!isComplete()) onDivergence(new Divergence("the store left the chain after it had reached the head"))
    await store.refresh()
    check(model.checkAll)
  }

  const outerFetch = globalThis.fetch
  store.begin(processes.disk)
  globalThis.fetch = network.fetch
  try {
    await runWithFaults()
    if (!isOver()) await recover()
  } finally {
    const fibers = [...readers, ...processes.end()]
    for (const reader of readers) Effect.runFork(time.inside(Fiber.interrupt(reader)))
    await time.runUntil(time.now() + 60_000, () => fibers.every((fiber) => fiber.pollUnsafe() !== undefined))
    globalThis.fetch = outerFetch
    store.close()
  }
  counts.add([
    ["processes started", processes.births()],
    ["blocks mined", tree.byHash.size],
    ["states of the store", model.versions.length],
  ])
  const elapsedMillis = time.now() - VirtualTime.beginning
  return { seed, divergence: divergence?.message ?? null, elapsedMillis, counts }
}
