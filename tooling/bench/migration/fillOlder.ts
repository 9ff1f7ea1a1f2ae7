/**
 * Fills the store of an older checkout by that checkout's own code: `node fillOlder.ts <checkout> <file> <transactions>` prints what it
 * stored as one line of JSON. The checkout is one of before engines, whose store is `SqliteStore`.
 */
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { Effect, type Scope } from "effect"
import type { BlockRef, BlockRows } from "../../../packages/service/src/store/BlockRows.ts"
import * as FilledStore from "../growth/FilledStore.ts"
import * as GeneratedRows from "../growth/GeneratedRows.ts"
import * as RecordedRows from "../growth/RecordedRows.ts"
import type { StoredChain } from "./StoredChain.ts"

/** What is used of the older store; its rows have the form of today's. */
interface OlderStore {
  readonly append: (expected: BlockRef | null, blocks: ReadonlyArray<BlockRows>) => Effect.Effect<void, unknown>
  readonly finalize: (number: number) => Effect.Effect<void, unknown>
}

interface OlderModule {
  readonly make: (options: {
    readonly file: string
    readonly chainId: number
  }) => Effect.Effect<OlderStore, unknown, Scope.Scope>
}

const [checkout = "", file = "", wanted = "0"] = process.argv.slice(2)
const path = join(checkout, "packages/service/src/store/SqliteStore.ts")
// Sound for the checkouts that the header names.
const { make } = (await import(pathToFileURL(path).href)) as OlderModule
const nextBlock = GeneratedRows.make(await RecordedRows.load())

const fill = Effect.gen(function* () {
  const store = yield* make({ file, chainId: 31337 })
  const filled = yield* FilledStore.fill(store, nextBlock, (transactions) => transactions >= Number(wanted))
  const { appearances, appendMillis, head, transactions } = filled
  yield* store.finalize(head.number)
  return { head: head.number, transactions, appearances, appendMillis } satisfies StoredChain
})

console.log(JSON.stringify(await Effect.runPromise(Effect.scoped(fill))))
