/**
 * Comparisons of the ledgers of wallets with the state of the chain, in a chain's file: one row for each wallet, the last one. Functions
 * named `Unsafe` throw what SQLite throws, and a `StoreError` for a damaged row.
 *
 * Source: decision 0050.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import * as Holding from "../../proof/Holding.ts"
import type { ProofWriter, WalletProof } from "../Proofs.ts"
import type { StoreError } from "../StoreError.ts"
import * as Blocks from "./Blocks.ts"
import { fromHex, toHex } from "./Bytes.ts"
import type { ChainFile } from "./ChainFile.ts"
import * as Checkpoints from "./Checkpoints.ts"
import * as Checksum from "./Checksum.ts"
import type { Connection } from "./Connection.ts"
import * as Openings from "./Openings.ts"
import * as Reconciled from "./Reconciled.ts"
import * as UnreadOpenings from "./UnreadOpenings.ts"

/** Parameters: wallet, first, block, hash, body, checksum. */
const insert = `INSERT OR REPLACE INTO proof (wallet, first, block, hash, body, checksum) VALUES (?, ?, ?, ?, ?, ?)`

/** Parameters: wallet, first. */
const select = `SELECT wallet, first, block, hash, body, checksum FROM proof WHERE wallet = ? AND first = ?`

/** Parameters: lowest block that is removed. */
const remove = `DELETE FROM proof WHERE block >= ?`

type Columns = readonly [
  ...[wallet: Uint8Array, first: number, block: number, hash: Uint8Array, body: string],
  checksum: number,
]

const Block = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))

const Body = Schema.Struct({
  provedBlock: Schema.NullOr(Block),
  holdings: Schema.Array(
    Schema.Struct({
      holding: Schema.Struct({
        standard: Schema.Literals(Holding.standards),
        asset: Schema.String,
        tokenId: Schema.NullOr(Schema.String),
      }),
      block: Block,
      expected: Schema.BigIntFromString,
      found: Schema.NullOr(Schema.BigIntFromString),
      firstBlock: Schema.NullOr(Block),
    }),
  ),
  unchecked: Schema.Array(Schema.String),
})

const encode = Schema.encodeSync(Schema.fromJsonString(Body))
const decode = Schema.decodeUnknownResult(Schema.fromJsonString(Body))

/** The last comparison of a wallet, of an index with this first block; `null` where there is none. */
export const readUnsafe = (connection: Connection, wallet: string, first: number): WalletProof | null => {
  const [row] = connection.valuesUnsafe<Columns>(select, [fromHex(wallet), first])
  if (row === undefined) return null
  const [, , number, hash, text, checksum] = row
  const body = decode(text)
  if (Result.isFailure(body) || Checksum.of(row.slice(0, -1)) !== checksum) {
    throw Checksum.damaged(connection.name, number, "the proof of a wallet does not match its checksum")
  }
  return { wallet, first, block: { number, hash: toHex(hash) }, ...body.success }
}

/**
 * Removes the proofs of blocks from `lowest` on, whose rows are removed or made again: wallets may appear in other blocks then. Where the
 * index is emptied, openings are removed too.
 */
export const unwindUnsafe = (connection: Connection, lowest: number, isEmpty: boolean): void => {
  connection.rowsUnsafe(remove, [isEmpty ? 0 : lowest])
  Reconciled.unwindUnsafe(connection, isEmpty ? 0 : lowest)
  if (isEmpty) Openings.clearUnsafe(connection)
  else UnreadOpenings.unwindUnsafe(connection, lowest)
}

/** The stored blocks with these numbers, where the index begins with the first. */
const hasUnsafe = ({ connection, ref }: ChainFile, first: number) => {
  const { checkpoint, layoutFrom } = Checkpoints.readUnsafe(connection, ref.id)
  return (number: number) =>
    checkpoint?.first === first ? Blocks.findUnsafe(connection, ref.id, number, layoutFrom) : null
}

const writeProofUnsafe = (file: ChainFile, proof: WalletProof): boolean => {
  const { block, first, wallet, ...body } = proof
  const stored = hasUnsafe(file, first)(block.number)
  if (stored?.hash !== block.hash) return false
  const values = [fromHex(wallet), first, block.number, fromHex(block.hash), encode(body)]
  file.connection.rowsUnsafe(insert, [...values, Checksum.of(values)])
  Reconciled.writeUnsafe(file.connection, proof)
  return true
}

/** Opens a chain's file for writing openings and proofs until the scope ends. */
export const writer = (
  open: Effect.Effect<ChainFile, StoreError, Scope.Scope>,
): Effect.Effect<ProofWriter, StoreError, Scope.Scope> =>
  Effect.map(open, (file): ProofWriter => {
    const write = <A>(work: () => A) => file.transaction(file.connection.attempt(work))
    return {
      writeOpenings: (first, openings, next) =>
        write(() => {
          if (hasUnsafe(file, first.number)(first.number)?.parentHash !== first.parentHash) return false
          Openings.insertUnsafe(file.connection, first.number, openings)
          if (next !== undefined) UnreadOpenings.advanceUnsafe(file.connection, first.number, next)
          return true
        }),
      writeProof: (proof) => write(() => writeProofUnsafe(file, proof)),
    }
  })
