/** Indexes a chain in a temporary folder, and reconciles wallets. */
import { join } from "node:path"
import { Effect } from "effect"
import * as Calls from "../../src/node/Calls.ts"
import * as Node from "../../src/node/Node.ts"
import * as LedgerScope from "../../src/proof/LedgerScope.ts"
import * as Reconciliation from "../../src/proof/Reconciliation.ts"
import type * as ChainIndexer from "../../src/indexer/ChainIndexer.ts"
import { caughtUp, start } from "../indexer/chain.ts"
import type { ChainReader } from "../../src/store/ChainReader.ts"
import * as TestStore from "../store/TestStore.ts"
import { temporaryFolder } from "../store/temporaryFolder.ts"

/** A store with the blocks of a chain up to `head`, and its file. */
export const index = Effect.fnUntraced(function* (
  url: string,
  head: number,
  options: Partial<ChainIndexer.Options> = {},
) {
  const base = yield* temporaryFolder
  const store = yield* TestStore.inFolder(base)
  const indexer = yield* start(store, [url], options)
  yield* indexer.until(caughtUp(head))
  yield* indexer.stop
  return { store, file: join(base, `chain-${store.ref.name}.sqlite`) }
})

/** Source of reconciliations of a store with a node. */
export const sourceOf = Effect.fnUntraced(function* ({ database, ref, ...reader }: TestStore.TestStore, url: string) {
  const { fetch, usage } = Calls.counting(globalThis.fetch)
  const node = yield* Node.make({ urls: [url], chainId: ref.id, fetch })
  const proofs = yield* database.chain(ref).proofs
  return { node, usage, maxCalls: Number.POSITIVE_INFINITY, reader, proofs } satisfies Reconciliation.Source
})

/** Reconciles a wallet at a block. */
export const reconcile = Effect.fnUntraced(function* (
  source: Reconciliation.Source,
  wallet: string,
  at: number,
  options?: { readonly isContinued?: boolean },
) {
  const scope = yield* LedgerScope.read(source.reader, "test", at)
  const { proof } = yield* Reconciliation.run(source, scope, wallet, options)
  return proof
})

/** Movements of a wallet up to a block, with the opening balances first. */
export const movementsOf = (store: Pick<ChainReader, "snapshot">, wallet: string, to: number) =>
  store.snapshot((snapshot) =>
    Effect.map(
      Effect.all([
        snapshot.openingRange({ wallet, order: "ASC", after: undefined, limit: 10_000 }),
        snapshot.ledger({ wallet, from: 0, to, order: "ASC", after: null, limit: 10_000 }),
      ]),
      ([openings, { rows }]) => [
        ...openings.rows.map(({ movement }) => movement),
        ...rows.flatMap(({ movements }) => movements),
      ],
    ),
  )
