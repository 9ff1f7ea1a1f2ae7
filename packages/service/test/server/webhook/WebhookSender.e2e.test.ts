/** What a block costs the sender of webhooks: it depends on its contents, not on the number of webhooks and wallets. */
import * as Eventually from "@daybook/harness/Eventually"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import * as WebhookSender from "../../../src/server/webhook/WebhookSender.ts"
import { notBegun } from "../../../src/store/WebhookWallets.ts"
import * as Model from "../../store/model.ts"
import * as Rows from "../rows.ts"
import type { Json } from "../service.ts"
import { blocks, bodiesOf, opened } from "./OpenedSender.ts"

/** Two wallets with rows in each block, and others. */
const walletsWith = (others: number) => [
  Rows.alice,
  Rows.bob,
  ...Array.from({ length: others }, (_, at) => Model.address(1_000 + at)),
]

/** Rows and voids in messages. */
const sentOf = (bodies: ReadonlyArray<Json>): ReadonlyArray<string> =>
  bodies.flatMap(({ data }) =>
    data.events
      .filter(({ type }: Json) => type === "wallet.transaction" || type === "block.voided")
      .map((event: Json) => `${data.address} ${event.type} ${event.data.hash ?? event.data.transaction.block_hash}`),
  )

interface Counts {
  readonly snapshots: number
  readonly statements: number
  readonly looks: number
}

/** Waits until the sender has read all webhooks some times, and has done nothing else. */
const settled = (counts: Counts) =>
  Effect.promise(async () => {
    let [work, since] = [-1, 0]
    await Eventually.until(() => {
      const now = counts.snapshots + counts.statements
      if (now !== work) since = counts.looks
      work = now
      return counts.looks - since >= 3
    })
  })

describe("WebhookSender", () => {
  it.live(
    "a block costs as many reads and statements with 100 webhooks of other wallets as with 3, and wakes none of them",
    () =>
      Effect.gen(function* () {
        const costs: Array<unknown> = []
        for (const others of [3, 100]) {
          const { add, counts, options, store } = yield* opened()
          yield* store.append(null, blocks.slice(0, 1))
          yield* add("alice")
          for (let at = 0; at < others; at++) {
            const wallets = [Model.address(1_000 + 2 * at), Model.address(1_001 + 2 * at)]
            yield* add(`other-${at}`, { wallets: wallets.map(notBegun) })
          }
          yield* Effect.forkScoped(WebhookSender.run(options))
          yield* Effect.promise(() => Eventually.until(() => counts.messages === 1))
          yield* settled(counts)
          const before = { ...counts }
          yield* store.append({ number: 0, hash: blocks[0]!.hash }, blocks.slice(1, 2))
          yield* Effect.promise(() => Eventually.until(() => counts.messages === 2))
          yield* settled(counts)
          costs.push({
            snapshots: counts.snapshots - before.snapshots,
            statements: counts.statements - before.statements,
            messages: counts.messages - before.messages,
          })
        }

        expect(costs[1]).toEqual(costs[0])
      }).pipe(Effect.scoped),
    60_000,
  )

  it.live(
    "a block and a reorg are read only for those of 1,500 wallets that have or had rows in them",
    () =>
      Effect.gen(function* () {
        const { add, counts, options, receiver, store } = yield* opened()
        const [first, second] = blocks
        const at = { number: 0, hash: first!.hash }
        const quiet = Model.address(1_003)
        const other = Rows.block(1, [{ from: Rows.alice, to: quiet }], { fork: "other" }, first!.hash)
        yield* store.append(null, [first!])
        yield* add("many", { wallets: walletsWith(1_498).map(notBegun) })
        yield* Effect.forkScoped(WebhookSender.run(options))
        const areShared = Effect.map(
          options.webhooks.walletsOf("many", { position: "own" }),
          (own) => counts.messages === 2 && own.length < 64,
        )
        yield* Eventually.untilEffect(areShared, { withinMillis: 30_000, what: "the wallets share a position" })
        const before = { ...counts }
        yield* store.append(at, [second!])
        yield* Effect.promise(() => Eventually.until(() => counts.messages === 4))
        yield* store.unwind({ number: 1, hash: second!.hash }, at)
        yield* store.append(at, [other])
        yield* Effect.promise(() => Eventually.until(() => sentOf(bodiesOf(receiver).slice(4)).length === 4))

        expect(sentOf(bodiesOf(receiver).slice(4)).toSorted()).toEqual(
          [
            `${Rows.alice} block.voided ${second!.hash}`,
            `${Rows.alice} wallet.transaction ${other.hash}`,
            `${Rows.bob} block.voided ${second!.hash}`,
            `${quiet} wallet.transaction ${other.hash}`,
          ].toSorted(),
        )
        expect(counts.snapshots - before.snapshots).toBeLessThan(100)
        expect(counts.statements - before.statements).toBeLessThan(200)
      }).pipe(Effect.scoped),
    60_000,
  )
})
