/** Projections for tests of the store, and what their rows must be. */
import { Effect } from "effect"
import type { Projection } from "../../src/projection/Projection.ts"
import type { BlockRows } from "../../src/store/BlockRows.ts"
import type { ChainReader, PageRow } from "../../src/store/ChainReader.ts"
import { all } from "./TestDatabase.ts"

/** A projection whose entries are the hashes of a wallet's transactions. */
export const hashes = (revision: number): Projection => ({
  id: "hashes",
  kind: "entries",
  revision,
  rows: ({ transactions }) =>
    transactions.map(({ addresses, hash, index }) => ({
      index,
      body: JSON.stringify({ hash, revision }),
      keys: addresses,
    })),
})

/** A projection whose documents are in upper case. */
export const upperCase = (revision: number): Projection => ({
  id: "upper_case",
  kind: "documents",
  revision,
  rows: ({ transactions }) => transactions.map(({ body, index }) => ({ index, body: body.toUpperCase(), keys: [] })),
})

/** The entries of a wallet by `hashes`. */
export const expectedEntries = (
  blocks: ReadonlyArray<BlockRows>,
  wallet: string,
  revision = 1,
): ReadonlyArray<PageRow> =>
  blocks.flatMap((block) => {
    const keyed = block.transactions.flatMap(({ addresses, hash }) => addresses.map((key) => ({ key, hash })))
    return keyed.flatMap(({ hash, key }, index) =>
      key === wallet
        ? [{ block: block.number, index, body: JSON.stringify({ hash, revision }), internal: null, revision }]
        : [],
    )
  })

/** The stored entries of a wallet by `hashes`. */
export const entriesOf = (store: ChainReader, key: string, order: "ASC" | "DESC" = "ASC") =>
  Effect.map(
    store.snapshot((snapshot) => snapshot.page(hashes(1), { ...all, key, order, to: Number.MAX_SAFE_INTEGER - 1 })),
    ({ rows }) => rows,
  )
