/** Ledgers for tests of the operations that read them, and a reader of all their pages. */
import { Effect } from "effect"
import { expect } from "vitest"
import * as LedgerCodec from "../../../src/ledger/LedgerCodec.ts"
import * as Movement from "../../../src/ledger/Movement.ts"
import * as Role from "../../../src/ledger/Role.ts"
import type { LedgerRow } from "../../../src/ledger/WalletRows.ts"
import type { LedgerProjection } from "../../../src/block/Projection.ts"
import * as WalletLedger from "../../../src/projection/WalletLedger.ts"
import * as WalletTransactions from "../../../src/projection/WalletTransactions.ts"
import type { BlockRows } from "../../../src/block/BlockRows.ts"
import type { OpeningBalance, WalletProof } from "../../../src/store/Proofs.ts"
import type { StoreError } from "../../../src/store/StoreError.ts"
import type { TokenMetadata } from "../../../src/ledger/TokenMetadata.ts"
import * as Rows from "../rows.ts"
import type { Json, Response, Started } from "../service.ts"

export const token = Rows.address("d")

/** Fields of a movement of alice; all but the amount have defaults. */
export type Given = Partial<Pick<Movement.Movement, "asset" | "kind" | "tokenId" | "counterparty" | "isFailed">> & {
  readonly amount: bigint
}

/** Index of a movement without a transaction. */
export const blockLevel = Movement.blockLevelIndex

/** The movements of alice in a block, by the index of their transaction. */
export type Ledger = Readonly<Record<number, ReadonlyArray<Given>>>

/** A movement of alice from bob. */
export const movementOf = ({ amount, ...rest }: Given): Movement.Movement => ({
  wallet: Rows.alice,
  counterparty: Rows.bob,
  asset: "native",
  tokenId: null,
  kind: "value",
  logIndex: null,
  isFailed: false,
  ...rest,
  amount,
})

/** A projection that supplies the given movements. Positions in `incomplete`, as block and index, are marked. */
export const projectionOf = (
  ledgers: Readonly<Record<number, Ledger>>,
  incomplete: ReadonlyArray<readonly [block: number, index: number]> = [],
  role: number = Role.bits.sender,
): LedgerProjection => ({
  id: WalletLedger.id,
  kind: "ledger",
  revision: WalletLedger.revision,
  ledger: ({ number }) =>
    LedgerCodec.pack(
      Object.entries(ledgers[number] ?? {}).map(([index, all]): LedgerRow => {
        const isMarked = incomplete.some(([block, at]) => block === number && at === Number(index))
        const roles = role | (isMarked ? Role.incompleteBit : 0)
        return { index: Number(index), wallet: Rows.alice, roles, movements: all.map(movementOf) }
      }),
    ),
})

/** A chain with a transaction for each position of the ledgers, and its projections. */
export const chainOf = (
  ledgers: Readonly<Record<number, Ledger>>,
  last: number,
  incomplete: ReadonlyArray<readonly [block: number, index: number]> = [],
  fork = "a",
  role: number = Role.bits.sender,
) => ({
  blocks: Array.from({ length: last + 1 }, (_, number): BlockRows => {
    const indexes = Object.keys(ledgers[number] ?? {}).map(Number)
    const count = Math.max(0, ...indexes.filter((index) => index !== blockLevel).map((index) => index + 1))
    const all = Array.from({ length: count }, () => ({ from: Rows.alice, to: Rows.bob }))
    return Rows.block(number, all, { fork })
  }),
  projections: [WalletTransactions.projection, projectionOf(ledgers, incomplete, role)],
})

/** Requests an operation on the ledger of alice. */
export const read = (service: Started, operation: string, query = ""): Effect.Effect<Response> =>
  service.get(`/api/v2.2/${Rows.alice}/${operation}${query === "" ? "" : `?${query}`}`)

/** Movements of all pages; each page must be within the limit. */
export const walk = Effect.fnUntraced(function* (service: Started, query: string, limit: number) {
  const found: Array<Json> = []
  let pages = 0
  for (let cursor: string | null = ""; cursor !== null;) {
    const next: string = cursor === "" ? "" : `&cursor=${cursor}`
    const response: Response = yield* read(service, "movements", `limit=${limit}${query && `&${query}`}${next}`)
    expect([response.status, response.json.message]).toEqual([200, undefined])
    expect(response.json.result.length).toBeLessThanOrEqual(limit)
    found.push(...response.json.result)
    expect(response.json.page).toBe(String(pages++))
    cursor = response.json.cursor
  }
  return { found, pages }
})

/** Writes the opening balances of alice, as of block 0. */
export const writeOpenings = (
  service: Started,
  balances: ReadonlyArray<OpeningBalance>,
): Effect.Effect<boolean, StoreError> => {
  const { database, ref } = service.stores["eth"]!
  const first = { number: 0, parentHash: Rows.blockHash(-1) }
  return Effect.scoped(
    Effect.flatMap(database.chain(ref).proofs, (writer) =>
      writer.writeOpenings(first, [{ wallet: Rows.alice, balances }]),
    ),
  )
}

/** Writes the metadata of tokens. */
export const writeTokens = (
  service: Started,
  tokens: ReadonlyMap<string, TokenMetadata>,
): Effect.Effect<boolean, StoreError> => {
  const { database, ref } = service.stores["eth"]!
  const first = { number: 0, parentHash: Rows.blockHash(-1) }
  return Effect.scoped(Effect.flatMap(database.chain(ref).proofs, (writer) => writer.writeTokens(first, tokens, 0)))
}

/** Writes a comparison of the ledger of alice with the state of the chain. */
export const writeProof = (
  service: Started,
  proof: Pick<WalletProof, "block" | "provedBlock" | "holdings" | "unchecked">,
): Effect.Effect<boolean, StoreError> => {
  const { database, ref } = service.stores["eth"]!
  return Effect.scoped(
    Effect.flatMap(database.chain(ref).proofs, (writer) =>
      writer.writeProof({ wallet: Rows.alice, first: 0, ...proof }),
    ),
  )
}
