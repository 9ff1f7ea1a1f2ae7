/**
 * Last comparison of each wallet's ledger with the state of the chain, in a chain's file, one row per wallet. A damaged row counts as
 * missing. Functions named `Unsafe` throw what SQLite throws.
 *
 * Source: decision 0050.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { FirstBlock, ProofWriter, WalletProof } from "../Proofs.ts"
import * as ProofRow from "../rows/ProofRow.ts"
import type { StoreError } from "../StoreError.ts"
import * as Blocks from "./Blocks.ts"
import { fromHex } from "../rows/Bytes.ts"
import type { ChainFile } from "./ChainFile.ts"
import * as Checkpoints from "./Checkpoints.ts"
import type { Connection } from "./Connection.ts"
import * as Openings from "./Openings.ts"
import * as Reconciled from "./Reconciled.ts"
import * as Tokens from "./Tokens.ts"
import * as UnreadOpenings from "./UnreadOpenings.ts"

/** Parameters: wallet, first, block, hash, body, checksum. */
const insert = `INSERT OR REPLACE INTO proof (wallet, first, block, hash, body, checksum) VALUES (?, ?, ?, ?, ?, ?)`

/** Parameters: wallet, first. */
const select = `SELECT wallet, first, block, hash, body, checksum FROM proof WHERE wallet = ? AND first = ?`

/** Parameters: lowest removed block. */
const remove = `DELETE FROM proof WHERE block >= ?`

/** The last comparison of a wallet, for an index with this first block; `null` if there is none. */
export const readUnsafe = (connection: Connection, wallet: string, first: number): WalletProof | null => {
  const [row] = connection.valuesUnsafe<ProofRow.Columns>(select, [fromHex(wallet), first])
  return row === undefined ? null : ProofRow.read(row)
}

/**
 * Removes the proofs of blocks from `lowest` on, whose rows are removed or re-created: wallets may then appear in other blocks. If the
 * index is emptied, openings are removed too.
 */
export const unwindUnsafe = (connection: Connection, lowest: number, isEmpty: boolean): void => {
  connection.rowsUnsafe(remove, [isEmpty ? 0 : lowest])
  Reconciled.unwindUnsafe(connection, isEmpty ? 0 : lowest)
  Tokens.unwindUnsafe(connection, lowest, isEmpty)
  if (isEmpty) Openings.clearUnsafe(connection)
  else UnreadOpenings.unwindUnsafe(connection, lowest)
}

/** The stored blocks with these numbers, if the index begins with the first. */
const hasUnsafe = ({ connection, ref }: ChainFile, first: number) => {
  const columns = Checkpoints.readUnsafe(connection, ref.id)
  return (number: number) => (columns.first === first ? Blocks.findUnsafe(connection, ref.id, number) : null)
}

const writeProofUnsafe = (file: ChainFile, proof: WalletProof): boolean => {
  const stored = hasUnsafe(file, proof.first)(proof.block.number)
  if (stored?.hash !== proof.block.hash) return false
  file.connection.rowsUnsafe(insert, ProofRow.make(proof))
  Reconciled.writeUnsafe(file.connection, proof)
  return true
}

/** Opens a chain's file for writing openings and proofs until the scope ends. */
export const writer = (
  open: Effect.Effect<ChainFile, StoreError, Scope.Scope>,
): Effect.Effect<ProofWriter, StoreError, Scope.Scope> =>
  Effect.map(open, (file): ProofWriter => {
    const write = <A>(work: () => A) => file.transaction(file.connection.attempt(work))
    const isFirst = ({ number, parentHash }: FirstBlock) => hasUnsafe(file, number)(number)?.parentHash === parentHash
    return {
      writeOpenings: (first, openings, next) =>
        write(() => {
          if (!isFirst(first)) return false
          Openings.insertUnsafe(file.connection, first.number, openings)
          if (next !== undefined) UnreadOpenings.advanceUnsafe(file.connection, first.number, next)
          return true
        }),
      writeTokens: (first, tokens, next) =>
        write(() => {
          if (!isFirst(first)) return false
          Tokens.insertUnsafe(file.connection, tokens)
          Tokens.advanceUnsafe(file.connection, first.number, next)
          return true
        }),
      writeProof: (proof) => write(() => writeProofUnsafe(file, proof)),
    }
  })
