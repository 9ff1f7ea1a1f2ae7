import * as Runs from "@daybook/harness/Runs"
import { Eventually } from "@daybook/harness"
import { describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { expect } from "vitest"
import type { BlockRef, BlockRows } from "../../../src/block/BlockRows.ts"
import * as Model from "../../store/model.ts"
import * as Rows from "../rows.ts"
import { type Response, start, type Started } from "../service.ts"

const { alice, bob } = Rows

const refOf = ({ hash, number }: BlockRef): BlockRef => ({ hash, number })

const hasLifetime = ({ headers }: Response): boolean => headers["cache-control"]?.includes("max-age") === true

/** Blocks of a fork on another one, or below it. */
const blocksOf = (from: number, to: number, parent: string, fork: string): ReadonlyArray<BlockRows> =>
  Array.from({ length: to - from + 1 }, (_, at) => {
    const above = at === 0 ? parent : Rows.blockHash(from + at - 1, fork)
    return Rows.block(from + at, Rows.plansOf(from + at), { fork }, above)
  })

/** A chain that grows at both ends and is reorged above its final block. */
const chainOf = (service: Started, numbers: Model.Seeded) => {
  const store = service.stores["eth"]!
  let blocks = Rows.chain(4, 12)
  let finalized = -1
  const head = () => blocks.at(-1)!
  const append = (count: number, fork: string) => {
    const added = blocksOf(head().number + 1, head().number + count, head().hash, fork)
    const before = refOf(head())
    blocks = [...blocks, ...added]
    return store.append(before, added)
  }
  const steps = [
    (fork: string) => append(1 + numbers.below(3), fork),
    (fork: string) => {
      const to = Math.max(finalized, blocks[0]!.number, head().number - 1 - numbers.below(4))
      const before = refOf(head())
      blocks = blocks.filter(({ number }) => number <= to)
      return Effect.andThen(
        store.unwind(before, refOf(head())),
        Effect.suspend(() => append(2, fork)),
      )
    },
    () => {
      finalized = Math.max(finalized, blocks[0]!.number + numbers.below(blocks.length))
      return store.finalize(finalized)
    },
    () => {
      const [first] = blocks as [BlockRows]
      if (first.number === 0) return Effect.void
      const below = Rows.block(first.number - 1, Rows.plansOf(first.number - 1))
      blocks = [below, ...blocks]
      return store.prepend(refOf(first), [below])
    },
  ] as const
  return {
    step: (at: number) => Effect.orDie(numbers.pick(steps)(`fork ${at}`)),
    finalize: Effect.suspend(() => Effect.orDie(steps[2]())),
    query: () => {
      const [first, last] = [blocks[0]!.number, head().number]
      const from = Math.max(0, first - 1 + numbers.below(3))
      const to = from + numbers.below(last - from + 2)
      const bounds = numbers.pick([`from_block=${from}&to_block=${to}`, `from_block=${from}`, `to_block=${to}`])
      return `${bounds}&order=${numbers.pick(["ASC", "DESC"])}&limit=${1 + numbers.below(4)}`
    },
  }
}

describe("the lifetime of pages", () => {
  it.live.prop(
    "law: a cacheable page remains the same, with its tag, whatever the chain does above its final block",
    { seed: Model.seed },
    ({ seed }) =>
      Effect.gen(function* () {
        const numbers = Model.seeded(seed)
        const service = yield* start({ chains: { eth: { blocks: Rows.chain(4, 12) } } })
        const chain = chainOf(service, numbers)
        const kept = new Map<string, Response>()
        const read = Effect.fnUntraced(function* (query: string) {
          const page = yield* service.wallet(bob, query)
          const before = kept.get(query)
          if (before !== undefined) {
            expect([query, page.status, page.text]).toEqual([query, 200, before.text])
            expect(page.headers["etag"]).toBe(before.headers["etag"])
          }
          if (hasLifetime(page)) kept.set(query, page)
          return page
        })
        yield* chain.finalize
        yield* read("from_block=4&to_block=4&limit=1")
        for (let step = 0; step < 12; step++) {
          yield* chain.step(step)
          for (const query of [chain.query(), chain.query()]) {
            const { json } = yield* read(query)
            if (json.cursor !== null) yield* read(`cursor=${json.cursor}&limit=${1 + numbers.below(3)}`)
          }
        }
        expect(kept.size).toBeGreaterThan(0)
        for (const query of kept.keys()) yield* read(query)
      }).pipe(Effect.scoped),
    { arbitrary: { runs: Runs.usual(30) }, timeout: 600_000 },
  )

  it.live("a page of final blocks is cached privately for an hour, and others are not cached", () =>
    Effect.gen(function* () {
      const service = yield* start({ chains: { eth: { blocks: Rows.chain(3, 12) } } })
      yield* Effect.orDie(service.stores["eth"]!.finalize(9))

      const page = yield* service.wallet(alice, "from_block=3&to_block=9")
      const known = yield* service.fetch(`/api/v2.2/${alice}/verbose?from_block=3&to_block=9`, {
        headers: { "x-api-key": service.key, "if-none-match": page.headers["etag"]! },
      })

      expect(page.headers).toMatchObject({
        "cache-control": "private, max-age=3600",
        vary: "accept-encoding, authorization, x-api-key",
      })
      expect([known.status, known.headers["cache-control"]]).toEqual([304, "private, max-age=3600"])
      for (const query of [
        "",
        "from_block=3",
        "to_block=9",
        "from_block=3&to_block=10",
        "from_block=2&to_block=9",
        `from_block=3&to_date=${Rows.timeOf(8)}`,
        "from_block=3&to_block=9&scope=all",
      ]) {
        const { headers } = yield* service.wallet(alice, query)
        expect([query, headers["cache-control"]]).toEqual([query, "no-store"])
      }
    }).pipe(Effect.scoped),
  )

  it.live("a page of the first block is not cached while no block is final", () =>
    Effect.gen(function* () {
      const service = yield* start({ chains: { eth: { blocks: Rows.chain(0, 2) } } })
      const cacheControl = Effect.map(service.wallet(alice, "to_block=0"), ({ headers }) => headers["cache-control"])
      const before = yield* cacheControl
      yield* Effect.orDie(service.stores["eth"]!.finalize(0))

      expect([before, yield* cacheControl]).toEqual(["no-store", "private, max-age=3600"])
    }).pipe(Effect.scoped),
  )

  it.live("a list with a date as bound is cached from its second page, if its blocks are final", () =>
    Effect.gen(function* () {
      const service = yield* start({ chains: { eth: { blocks: Rows.chain(3, 12) } } })
      yield* Effect.orDie(service.stores["eth"]!.finalize(9))

      const first = yield* service.wallet(bob, `to_date=${Rows.timeOf(9)}&limit=2`)
      const second = yield* service.wallet(bob, `cursor=${first.json.cursor}&limit=2`)

      expect([hasLifetime(first), hasLifetime(second)]).toEqual([false, true])
    }).pipe(Effect.scoped),
  )

  it.live(
    "nothing is cached while the index is incomplete, for an operator's contract, or if the chain can be rewound",
    () =>
      Effect.gen(function* () {
        const query = "from_block=3&to_block=5"
        const gap = { kind: "trace" as const, reason: "no trace" }
        const blocks = (number: number) =>
          Rows.chain(3, 5).map((block) => (block.number === number ? { ...block, gaps: [gap] } : block))
        const service = yield* start({
          chains: {
            eth: { blocks: blocks(4) },
            polygon: { blocks: blocks(0), config: { rewinds: true } },
            base: { blocks: [Rows.block(3, [...Rows.plansOf(3), { from: bob, to: alice }]), ...Rows.chain(4, 5)] },
            gnosis: { blocks: Rows.chain(3, 5, { traces: false }) },
          },
        })
        for (const store of Object.values(service.stores)) yield* Effect.orDie(store.finalize(5))
        const lifetimeOf = (chain: string, more = "") =>
          Effect.map(service.wallet(bob, `${query}&chain=${chain}${more}`), hasLifetime)

        expect(yield* lifetimeOf("eth")).toBe(false)
        expect(yield* lifetimeOf("polygon")).toBe(false)
        expect(yield* lifetimeOf("base", "&include=internal_transactions")).toBe(true)
        expect(yield* lifetimeOf("gnosis")).toBe(true)
        const store = service.stores["base"]!
        const contract = { address: bob, name: "Wallet", source: "command", abi: "[]", implementations: [] }
        yield* Effect.orDie(store.database.contracts.put(store.ref, [contract]))
        yield* Eventually.untilEffect(Effect.map(lifetimeOf("base"), (isKept) => !isKept))
      }).pipe(Effect.scoped),
  )

  it.live(
    "a page that a local browser reads without a key is not cached, and one that everyone may read is public",
    () =>
      Effect.gen(function* () {
        const path = `/api/v2.2/${alice}/verbose?from_block=3&to_block=9`
        const lifetimeOf = Effect.fnUntraced(function* (config: object, headers: Readonly<Record<string, string>>) {
          const service = yield* start({ config: { ...config }, chains: { eth: { blocks: Rows.chain(3, 12) } } })
          yield* Effect.orDie(service.stores["eth"]!.finalize(9))
          const page = yield* service.fetch(path, { headers })
          return [page.status, page.headers["cache-control"]]
        })

        expect(yield* lifetimeOf({}, { "sec-fetch-site": "same-origin" })).toEqual([200, "no-store"])
        expect(yield* lifetimeOf({ anonymous: {} }, {})).toEqual([200, "public, max-age=3600"])
      }).pipe(Effect.scoped),
  )
})
