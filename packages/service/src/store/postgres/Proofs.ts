/**
 * Last comparison of each wallet's ledger with the state of the chain, one row per wallet.
 *
 * Source: decision 0050.
 */
import * as Effect from "effect/Effect"
import type { ProofWriter, WalletProof } from "../Proofs.ts"
import { fromHex } from "../rows/Bytes.ts"
import * as ProofRow from "../rows/ProofRow.ts"
import * as ReconciledRow from "../rows/ReconciledRow.ts"
import type { LeaseLost, StoreError } from "../StoreError.ts"
import * as Blocks from "./Blocks.ts"
import type { At, Chain } from "./Chain.ts"
import * as Checkpoints from "./Checkpoints.ts"
import * as Openings from "./Openings.ts"
import type { Pools } from "./Pool.ts"
import type { State } from "./SnapshotStart.ts"
import * as Tokens from "./Tokens.ts"
import * as Values from "./Values.ts"

type StoredRow = readonly [
  ...[wallet: Uint8Array, first: number, block: number, hash: Uint8Array, body: Uint8Array],
  checksum: number,
]

/** The last comparison of a wallet, for an index with this first block; `null` if there is none. */
export const read = Effect.fnUntraced(function* (
  { chain: { sql }, session }: At,
  wallet: string,
  first: number,
): Effect.fn.Return<WalletProof | null, StoreError> {
  const [row] = yield* session.rows<StoredRow>(sql.proof, [Values.bytes(fromHex(wallet)), Values.big(first)])
  if (row === undefined) return null
  const [key, begin, block, hash, body, checksum] = row
  return ProofRow.read([key, begin, block, hash, Buffer.from(body).toString(), checksum])
})

/** The last proved block of a wallet, for an index with this first block; `null` if there is none. */
export const reconciledTo = Effect.fnUntraced(function* (
  { chain: { sql }, expected, reconciled, session }: State,
  wallet: string,
  first: number,
): Effect.fn.Return<number | null, StoreError> {
  const [row] =
    wallet === expected.wallet
      ? [reconciled]
      : yield* session.rows<ReconciledRow.Columns>(sql.reconciled, [Values.bytes(fromHex(wallet)), Values.big(first)])
  return row === undefined ? null : ReconciledRow.read(row)
})

/**
 * Removes the proofs of blocks from `lowest` on, whose rows are removed or re-created: wallets may then appear in other blocks. If the
 * index is emptied, openings are removed too.
 */
export const unwind = (at: At, lowest: number, isEmpty: boolean): Effect.Effect<void, StoreError> =>
  at.session
    .rows(at.chain.sql.deleteProofs, [Values.big(isEmpty ? 0 : lowest)])
    .pipe(
      Effect.andThen(Tokens.unwind(at, lowest, isEmpty)),
      Effect.andThen(isEmpty ? Openings.clear(at) : Openings.unwind(at, lowest)),
    )

/** The stored block with a number, if the index begins with the first; the checkpoint is locked. */
const find = Effect.fnUntraced(function* (
  at: At,
  first: number,
  number: number,
): Effect.fn.Return<{ readonly hash: string; readonly parentHash: string } | null, StoreError | LeaseLost> {
  const { columns } = yield* Checkpoints.lock(at, null)
  return columns.first === first ? yield* Blocks.find(at, number) : null
})

const writeProof = Effect.fnUntraced(function* (at: At, proof: WalletProof) {
  const stored = yield* find(at, proof.first, proof.block.number)
  if (stored?.hash !== proof.block.hash) return false
  const [wallet, first, block, hash, body, checksum] = ProofRow.make(proof)
  const [, , , proved, provedChecksum] = ReconciledRow.make(proof) ?? [null, null, null, null, null]
  yield* at.session.rows(at.chain.sql.writeProof, [
    Values.bytes(wallet),
    Values.big(first),
    Values.big(block),
    Values.bytes(hash),
    Values.bytes(Buffer.from(body)),
    Values.int(checksum),
    Values.big(proved),
    Values.int(provedChecksum),
  ])
  return true
})

/** Writes openings and proofs of a chain. */
export const writer = ({ writing }: Pools, chain: Chain): ProofWriter => {
  const write = <A>(work: (at: At) => Effect.Effect<A, StoreError | LeaseLost>): Effect.Effect<A, StoreError> =>
    // These writes do not compare a token.
    Effect.catchTag(
      writing.transaction((session) => work({ chain, session })),
      "LeaseLost",
      Effect.die,
    )
  return {
    writeOpenings: (first, openings, next) =>
      write(
        Effect.fnUntraced(function* (at) {
          const stored = yield* find(at, first.number, first.number)
          if (stored?.parentHash !== first.parentHash) return false
          yield* Openings.insert(at, first.number, openings)
          if (next !== undefined) yield* Openings.advance(at, first.number, next)
          return true
        }),
      ),
    writeTokens: (first, tokens, next) =>
      write(
        Effect.fnUntraced(function* (at) {
          const stored = yield* find(at, first.number, first.number)
          if (stored?.parentHash !== first.parentHash) return false
          yield* Tokens.insert(at, tokens)
          yield* Tokens.advance(at, first.number, next)
          return true
        }),
      ),
    writeProof: (proof) => write((at) => writeProof(at, proof)),
  }
}
