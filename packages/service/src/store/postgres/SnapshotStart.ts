/**
 * The first statement of a snapshot: the checkpoint, and beside it what most pages read next, so that a page takes few round trips.
 */
import * as Effect from "effect/Effect"
import { type Checkpoint, gapKinds } from "../../block/BlockRows.ts"
import type { ExpectedReads, GapCounts } from "../ChainReader.ts"
import type * as BlockRow from "../rows/BlockRow.ts"
import { fromHex } from "../rows/Bytes.ts"
import type * as ReconciledRow from "../rows/ReconciledRow.ts"
import type { StoreError } from "../StoreError.ts"
import * as Blocks from "./Blocks.ts"
import type { At } from "./Chain.ts"
import * as CheckpointRow from "../rows/CheckpointRow.ts"
import * as Checkpoints from "./Checkpoints.ts"
import * as Marks from "./Marks.ts"
import { toSetting } from "./Pool.ts"
import * as Values from "./Values.ts"

/** One committed state of a chain, and what is known of it. */
export interface State extends At {
  readonly serial: number
  /** `null` while the index is empty. */
  readonly checkpoint: Checkpoint | null
  readonly gapCounts: GapCounts
  /** The wallet whose last proved block was read, and its row. */
  readonly reconciled: { readonly wallet: string | undefined; readonly row: ReconciledRow.Columns | undefined }
  /** Rows of blocks that were read, `null` for those that are not stored. */
  readonly blocks: Map<number, BlockRow.StoredHeader | null>
}

type Row = readonly [
  ...CheckpointRow.Row,
  setting: string,
  counted: ReadonlyArray<string>,
  counts: ReadonlyArray<number>,
  isDistributed: boolean,
  nodeSetting: string | null,
  ...Array<unknown>,
]

const [reconciledAt, blockAt] = [15, 20] as const

/** Columns of a row that another one is joined with; undefined where there is none. */
const joined = <Columns extends ReadonlyArray<unknown>>(row: Row, from: number, to?: number): Columns | undefined =>
  // Sound: those are the columns that the statement names there.
  row[from] === null ? undefined : (row.slice(from, to) as unknown as Columns)

const nothing: ReadonlyArray<number> = []

/** Begins a snapshot: its statements see the state of this one, and may take so long on the server. */
export const read = Effect.fnUntraced(function* (
  at: At,
  statementMillis: number,
  { blocks: numbers = nothing, wallet }: ExpectedReads = {},
): Effect.fn.Return<State, StoreError> {
  const { chain, session } = at
  const rows = yield* session.rows<Row>(chain.sql.beginSnapshot, [
    Values.text(toSetting(statementMillis)),
    Values.bytes(wallet === undefined ? null : fromHex(wallet)),
    Values.bigs(numbers),
  ])
  const [row] = rows
  const columns = yield* Checkpoints.fromRow(chain, row)
  // Sound: without a row there is no checkpoint.
  const [counted, counts, isDistributed] = [row![11], row![12], row![13]]
  const countOf = (name: string) => counts[counted.indexOf(name)] ?? 0
  const blocks = new Map<number, BlockRow.StoredHeader | null>(numbers.map((number) => [number, null]))
  for (const one of rows) Blocks.know(blocks, joined<BlockRow.Columns>(one, blockAt))
  const { serial } = columns
  const { sql } = chain.distributed
  return {
    ...(isDistributed
      ? { chain: { ...chain, sql, isDistributed }, session: Marks.proving(chain, session, serial) }
      : at),
    serial,
    checkpoint: CheckpointRow.toCheckpoint(columns),
    // Sound: the keys are the kinds.
    gapCounts: Object.fromEntries(gapKinds.map((kind) => [kind, countOf(kind)])) as GapCounts,
    reconciled: { wallet, row: joined<ReconciledRow.Columns>(row!, reconciledAt, blockAt) },
    blocks,
  }
})
