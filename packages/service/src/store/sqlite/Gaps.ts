/**
 * Gaps of stored blocks in a chain's file, and their number. Throws what SQLite throws, so call it inside a transaction.
 *
 * Triggers maintain the number of gaps of each kind, so that the status of a chain with millions of gaps is read at once.
 */
import { type BlockGap, type BlockRows, type Gap, gapKinds } from "../../block/BlockRows.ts"
import type { GapCounts, GapQuery } from "../ChainReader.ts"
import { fromHex, toHex } from "../rows/Bytes.ts"
import type { Connection, Params } from "./Connection.ts"
import * as Statements from "./Statements.ts"

/** The tables of a chain's file. */
export const tables = `CREATE TABLE gap (
    block INTEGER NOT NULL,
    position INTEGER NOT NULL,
    kind TEXT NOT NULL,
    "transaction" BLOB,
    reason TEXT NOT NULL,
    PRIMARY KEY (block, position)
  ) WITHOUT ROWID;
  CREATE TABLE gap_count (kind TEXT NOT NULL PRIMARY KEY, gaps INTEGER NOT NULL) WITHOUT ROWID;
  CREATE TRIGGER gap_inserted AFTER INSERT ON gap BEGIN
    INSERT INTO gap_count (kind, gaps) VALUES (new.kind, 1) ON CONFLICT (kind) DO UPDATE SET gaps = gaps + 1;
  END;
  CREATE TRIGGER gap_deleted AFTER DELETE ON gap BEGIN
    UPDATE gap_count SET gaps = gaps - 1 WHERE kind = old.kind;
    DELETE FROM gap_count WHERE kind = old.kind AND gaps = 0;
  END;`

/** Finds transactions without a trace among any number of other gaps. */
export const traceIndex = `CREATE INDEX gap_trace ON gap (block) WHERE kind = 'trace';`

/** Inserts the gaps of a block that has none stored. */
export const insertUnsafe = (connection: Connection, { gaps = [], number }: BlockRows): void =>
  connection.manyUnsafe(
    Statements.insertGap,
    gaps.map(({ kind, reason, transaction }, position): Params => [
      number,
      position,
      kind,
      transaction === undefined ? null : fromHex(transaction),
      reason,
    ]),
  )

/** Removes the gaps of a range of blocks, inclusive. */
export const deleteUnsafe = (connection: Connection, from: number, to: number): void =>
  void connection.rowsUnsafe(Statements.deleteGaps, [from, to])

type GapColumns = readonly [block: number, kind: BlockGap["kind"], transaction: Uint8Array | null, reason: string]

/** Gaps in a range of blocks, by block. */
export const listUnsafe = (connection: Connection, { from, limit, to }: GapQuery): ReadonlyArray<Gap> =>
  connection.valuesUnsafe<GapColumns>(Statements.gaps, [from, to, limit]).map(([block, kind, transaction, reason]) => ({
    block,
    transaction: transaction === null ? undefined : toHex(transaction),
    kind,
    reason,
  }))

/** Highest block up to a number with a gap of kind `trace`; `null` if there is none. */
export const lastTraceUnsafe = (connection: Connection, to: number): number | null =>
  connection.valuesUnsafe<readonly [block: number]>(Statements.lastTraceGap, [to])[0]?.[0] ?? null

/** Counts as JSON if there are no gaps. */
export const noCounts = "{}"

const none = Object.fromEntries(gapKinds.map((kind) => [kind, 0])) as GapCounts

/** Number of gaps of each kind, from the nonzero counts as JSON. */
export const countsOf = (json: string): GapCounts =>
  json === noCounts ? none : { ...none, ...(JSON.parse(json) as Partial<GapCounts>) }
