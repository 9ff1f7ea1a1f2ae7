/** Projections for tests of the store, and their expected rows. */
import { Effect } from "effect"
import * as LedgerCodec from "../../src/ledger/LedgerCodec.ts"
import type { LedgerProjection, Projection } from "../../src/block/Projection.ts"
import type { BlockRows } from "../../src/block/BlockRows.ts"
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

/** A projection whose ledgers have a movement for most transactions of a wallet, with block and index as amount. */
export const ledgers = (revision: number): LedgerProjection => ({
  id: "ledgers",
  kind: "ledger",
  revision,
  ledger: ({ number, transactions }) =>
    LedgerCodec.pack(
      transactions.flatMap(({ addresses, index }) =>
        addresses.map((wallet) => ({ wallet, index, ...ledgerRow(wallet, number, index, revision) })),
      ),
    ),
})

const ledgerRow = (wallet: string, block: number, index: number, revision: number) => ({
  roles: revision,
  movements:
    (block + index) % 3 === 2
      ? []
      : [
          {
            ...({ wallet, counterparty: null, asset: "native", tokenId: null, kind: "value", logIndex: null } as const),
            amount: BigInt(block * 1_000 + index + 1),
            isFailed: revision % 2 === 0,
          },
        ],
})

/** Expected rows of a wallet from `ledgers`. */
export const expectedLedger = (blocks: ReadonlyArray<BlockRows>, wallet: string, revision = 1) =>
  blocks.flatMap(({ number: block, transactions }) =>
    transactions.flatMap(({ addresses, index }) =>
      addresses.includes(wallet) ? [{ block, index, ...ledgerRow(wallet, block, index, revision) }] : [],
    ),
  )

/** Expected entries of a wallet from `hashes`. */
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

/** Stored rows of a wallet from `ledgers`. */
export const ledgerOf = (store: ChainReader, wallet: string, order: "ASC" | "DESC" = "ASC") =>
  Effect.map(
    store.snapshot((snapshot) =>
      snapshot.ledger({ wallet, order, from: 0, to: Number.MAX_SAFE_INTEGER - 1, after: null, limit: 10_000 }),
    ),
    ({ rows }) => rows,
  )

/** Stored entries of a wallet from `hashes`. */
export const entriesOf = (store: ChainReader, key: string, order: "ASC" | "DESC" = "ASC") =>
  Effect.map(
    store.snapshot((snapshot) => snapshot.page(hashes(1), { ...all, key, order, to: Number.MAX_SAFE_INTEGER - 1 })),
    ({ rows }) => rows,
  )
