/** Wallets that are added to an index and removed from it while its indexer runs. */
import { it } from "@effect/vitest"
import { Effect } from "effect"
import { expect, vi } from "vitest"
import { Anvil, Head } from "@daybook/chain"
import { Eventually } from "@daybook/harness"
import { projection } from "../../src/projection/WalletTransactions.ts"
import * as WatchList from "../../src/store/WatchList.ts"
import { caughtUp, openStore, start } from "./chain.ts"

vi.setConfig({ testTimeout: 180_000 })

/** The block numbers from one to another. */
const numbers = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index)

it.live("run: a wallet added at any time has each transaction from the stated block", () =>
  Effect.gen(function* () {
    const node = yield* Anvil.make()
    const [mine = "", added = "", other = ""] = node.accounts
    const mineBlock = Effect.gen(function* () {
      yield* Head.transfer(node, { from: added, to: other, valueWei: 1n })
      yield* Head.transfer(node, { from: mine, to: other, valueWei: 1n })
      return yield* Head.mine(node)
    })
    const store = yield* openStore
    const watching = start(store, [node.url], { watch: new Set([mine]) })
    const { changeWatch } = store.database.chain(store.ref)
    const change = (_tag: "Add" | "Remove") => changeWatch({ _tag, wallets: [added] })
    /** What is stated about a wallet, and the blocks from there that have a row of it; `null` if it is not watched. */
    const stated = (wallet: string) =>
      store.snapshot((snapshot) =>
        Effect.gen(function* () {
          const checkpoint = yield* snapshot.checkpoint
          if (checkpoint?.watch?.includes(wallet) !== true) return null
          const [from, to] = [WatchList.firstBlock(checkpoint, wallet), checkpoint.head.number]
          const range = { key: wallet, from, to, order: "ASC", after: null, limit: 1_000 } as const
          const { rows } = yield* snapshot.page(projection, range)
          const blocks = rows.map(({ body }) => Number(JSON.parse(body).block_number))
          return { from, to, blocks }
        }),
      )
    const untilSome = Eventually.untilEffect(
      Effect.andThen(
        mineBlock,
        Effect.map(stated(added), (found) => found !== null && found.blocks.length > 2),
      ),
      { everyMillis: 20, what: "transactions of the added wallet" },
    )

    yield* mineBlock
    const indexer = yield* watching
    yield* indexer.until(caughtUp(1))
    yield* change("Add")
    yield* untilSome
    const first = yield* stated(added)
    yield* change("Remove")
    const removed = yield* stated(added)
    yield* mineBlock
    yield* change("Add")
    yield* untilSome
    yield* indexer.stop
    const second = yield* stated(added)
    const { number: head } = yield* mineBlock
    const again = yield* watching
    yield* again.until(caughtUp(head))
    yield* again.stop
    const third = yield* stated(added)
    const whole = yield* stated(mine)

    expect(first!.from).toBeGreaterThan(1)
    expect(first!.blocks).toEqual(numbers(first!.from, first!.to))
    expect(removed).toBeNull()
    expect(second!.from).toBeGreaterThan(first!.to)
    expect(second!.blocks).toEqual(numbers(second!.from, second!.to))
    expect(third).toEqual({ from: second!.from, to: head, blocks: numbers(second!.from, head) })
    expect(whole).toEqual({ from: 0, to: head, blocks: numbers(1, head) })
  }).pipe(Effect.scoped),
)
