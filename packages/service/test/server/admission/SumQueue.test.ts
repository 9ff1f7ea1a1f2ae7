import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Config from "../../../src/config/Config.ts"
import * as ServedChain from "../../../src/config/ServedChain.ts"
import * as IndexedChain from "../../../src/query/IndexedChain.ts"
import * as FairShares from "../../../src/server/admission/FairShares.ts"
import * as SumQueue from "../../../src/server/admission/SumQueue.ts"
import type { Turns } from "../../../src/server/admission/Turns.ts"
import type { ChainReader } from "../../../src/store/ChainReader.ts"
import * as Engine from "../../../src/store/Engine.ts"
import * as LongLedger from "../../attack/LongLedger.ts"
import { temporaryFolder } from "../../store/temporaryFolder.ts"
import * as Rows from "../rows.ts"

/** Sums of a wallet of 600 assets and of one without a row, in the order in which they end. */
const make = Effect.fnUntraced(function* (run: Turns["run"], movements = 2_000) {
  const folder = yield* temporaryFolder
  yield* Effect.promise(async () => await LongLedger.fill(`${folder}/data`, { movements, assets: 600 }))
  const database = yield* Engine.fromUrl("sqlite:data", folder)
  const wire = { listen: "127.0.0.1:0", database: "sqlite:data", chains: LongLedger.chains }
  const config = yield* Effect.fromResult(Config.decode(wire))
  const [served] = yield* Effect.fromResult(ServedChain.fromChains(config.chains))
  const chain = IndexedChain.fromDatabase(database)(served!)
  const ended: Array<string> = []
  const sumsOf = SumQueue.make({ run, shares: FairShares.make() })
  const open = { _tag: "Open" } as const
  const ask = (holder: string, wallet: string, reader = chain.reader) =>
    sumsOf(holder, { chain: { ...chain, reader }, wallet, assets: undefined, range: { from: open, to: open } }).pipe(
      Effect.map(({ closing }) => {
        ended.push(holder)
        return closing.sums.size
      }),
    )
  return { ask, chain, ended }
})

const holders = ["a", "b", "c", "d", "e", "f", "g", "h"]

describe("SumQueue", () => {
  it.effect("sums of few assets do not wait for many large ones, and each of those completes", () =>
    Effect.gen(function* () {
      const { ask, ended } = yield* make((work) => Effect.andThen(Effect.yieldNow, work))
      const large = holders.map((holder) => ask(holder, Rows.alice))
      const sizes = yield* Effect.all([...large, ask("small", Rows.address("c"))], { concurrency: "unbounded" })

      expect(sizes).toEqual([...holders.map(() => 600), 0])
      expect(ended[0]).toBe("small")
      expect(ended.toSorted()).toEqual([...holders, "small"])
    }),
  )

  it.effect("sums that wait for a turn hold no snapshot that pages of others need", () =>
    Effect.gen(function* () {
      let waiting = 0
      const { ask, chain } = yield* make(() => Effect.suspend(() => (waiting++, Effect.never)))
      yield* Effect.forEach(holders, (holder) => Effect.forkScoped(ask(holder, Rows.alice)))
      while (waiting < holders.length) yield* Effect.yieldNow
      const { head } = (yield* chain.reader.snapshot((snapshot) => snapshot.checkpoint)) ?? {}

      expect(head).toBeDefined()
    }),
  )

  it.effect(
    "sums of many movements after the last final block keep three snapshots between turns, and leave others to pages",
    () =>
      Effect.gen(function* () {
        let [ran, most, open] = [0, 0, 0]
        const { ask, chain } = yield* make((work) =>
          Effect.suspend(() => {
            ran++
            most = Math.max(most, open)
            return Effect.andThen(Effect.yieldNow, work)
          }),
        )
        const counted: ChainReader = {
          ...chain.reader,
          snapshot: (read, options) =>
            chain.reader.snapshot(
              (snapshot) =>
                Effect.suspend(() => {
                  open++
                  return read(snapshot)
                }).pipe(Effect.ensuring(Effect.sync(() => open--))),
              options,
            ),
        }
        const sums = holders.map((holder) => ask(holder, Rows.alice, counted))
        const sizes = yield* Effect.all(sums, { concurrency: "unbounded" })

        expect(sizes).toEqual(holders.map(() => 600))
        expect(ran).toBeGreaterThan(8 * holders.length)
        expect(most).toBe(3)
      }),
  )

  it.effect(
    "sums that start again, as the index has changed, wait for memory without the snapshot that they kept",
    () =>
      Effect.gen(function* () {
        const { ask, chain } = yield* make((work) => Effect.andThen(Effect.yieldNow, work), 4_000)
        /** The reader of an index whose last final block and head change with each snapshot. */
        const reading = (
          of: (snapshot: number, head: number) => { readonly finalized: number; readonly head: number },
        ) => {
          let snapshots = 0
          const reader: ChainReader = {
            ...chain.reader,
            snapshot: (read, options) =>
              chain.reader.snapshot((snapshot) => {
                const number = ++snapshots
                const checkpoint = Effect.map(snapshot.checkpoint, (now) => {
                  if (now === null) return null
                  const { finalized, head } = of(number, now.head.number)
                  return { ...now, finalized, head: { ...now.head, number: head } }
                })
                return read({ ...snapshot, checkpoint })
              }, options),
          }
          return reader
        }
        // Everything is after the last final block until the fourth snapshot, which is kept and has another head; then
        // everything is final.
        const changing = () =>
          reading((snapshot, head) => ({ finalized: snapshot < 5 ? -1 : head, head: snapshot === 4 ? head - 1 : head }))
        const large = () => reading((_, head) => ({ finalized: 0, head }))
        const sums = holders.map((holder, at) => ask(holder, Rows.alice, at < 3 ? changing() : large()))

        expect(yield* Effect.all(sums, { concurrency: "unbounded" })).toEqual(holders.map(() => 600))
      }),
  )
})
