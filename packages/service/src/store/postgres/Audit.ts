/**
 * Reads a chain's rows range by range while an indexer writes them, and repairs single rows.
 */
import * as Effect from "effect/Effect"
import * as WalletLedger from "../../projection/WalletLedger.ts"
import type { Appearance, Audit, Repairer, StoredBlock } from "../Audit.ts"
import type { BlockRows } from "../../block/BlockRows.ts"
import * as AuditedBlock from "../rows/AuditedBlock.ts"
import { fromHex, toHex } from "../rows/Bytes.ts"
import * as CheckpointRow from "../rows/CheckpointRow.ts"
import type * as Frame from "../rows/Frame.ts"
import * as LedgerDifferences from "../rows/LedgerDifferences.ts"
import * as RowId from "../rows/RowId.ts"
import { StoreError } from "../StoreError.ts"
import * as Appearances from "./Appearances.ts"
import * as BlockReplacement from "./BlockReplacement.ts"
import * as Blocks from "./Blocks.ts"
import type { At, Chain, Reading } from "./Chain.ts"
import * as Checkpoints from "./Checkpoints.ts"
import * as Documents from "./Documents.ts"
import * as Journal from "./Journal.ts"
import * as Ledgers from "./Ledgers.ts"
import * as Issue from "./Issue.ts"
import type { Pools } from "./Pool.ts"
import * as ProjectionCheckpoints from "./ProjectionCheckpoints.ts"
import * as RemovableRows from "./RemovableRows.ts"
import * as Rows from "./Rows.ts"
import * as Values from "./Values.ts"

/** Tables that are searched for orphans, in this order. */
const tables = ["appearance", "ledger", "ledger_block"] as const

type Table = (typeof tables)[number]

/** Differences between the stored ledgers of a range's blocks and what is derived from the blocks; empty if they are not derived yet. */
const ledgerIssues = Effect.fnUntraced(function* (
  at: At,
  from: number,
  to: number,
): Effect.fn.Return<ReadonlyMap<number, ReadonlyArray<string>>, StoreError> {
  const projection = WalletLedger.make(at.chain.ref.id, at.chain.ref.feeRules)
  const state = yield* ProjectionCheckpoints.read(at, projection.id)
  const issues = new Map<number, ReadonlyArray<string>>()
  if (state?.revision !== projection.revision || state.next === null) return issues
  for (let number = from; number <= Math.min(to, state.next - 1); number++) {
    // A damaged row from which the ledger is derived is a separate issue.
    const blocks = yield* Effect.catchIf(
      Rows.read(at, number, number, true),
      (error) => error.damagedBlock !== undefined,
      () => Effect.succeed<ReadonlyArray<BlockRows>>([]),
    )
    for (const block of blocks) {
      // Texts of another form with valid checksums: deriving throws the errors of parsing them.
      const derived = Effect.try({ try: () => projection.ledger(block), catch: () => null })
      const packed = yield* Effect.orElseSucceed(derived, () => null)
      issues.set(number, packed === null ? AuditedBlock.underivable : yield* Ledgers.differences(at, number, packed))
    }
  }
  return issues
})

const blocksOf = Effect.fnUntraced(function* (
  at: At,
  from: number,
  to: number,
): Effect.fn.Return<ReadonlyArray<StoredBlock>, StoreError> {
  const listed = yield* Documents.list(at, from, to)
  const entries = listed.flatMap(([id, row]) =>
    row instanceof StoreError ? [] : row.addresses.map((address) => [Appearances.keyOf(address), id] as const),
  )
  const isPresent = yield* Appearances.present(at, entries)
  const headers = yield* Blocks.range(at, from, to)
  return AuditedBlock.make({
    headers,
    transactions: listed,
    has: (address, id) => isPresent([Appearances.keyOf(address), id]),
    facts: yield* Blocks.factsOf(at, headers),
    ledgerIssues: yield* ledgerIssues(at, from, to),
  })
})

/** Whether the row of an entry names its wallet; a damaged row is a separate issue. */
const isNamed = Effect.fnUntraced(function* (at: At, key: bigint, id: number): Effect.fn.Return<boolean, StoreError> {
  const columns = (yield* Documents.byId(at, [id])).get(id)
  if (columns === undefined) return false
  return yield* Documents.read(at, columns, false).pipe(
    Effect.map(({ addresses }) => addresses.some((address) => Appearances.keyOf(address) === key)),
    Effect.catchIf(
      (error) => error.damagedBlock !== undefined,
      () => Effect.succeed(true),
    ),
  )
})

const beforeAll: Appearance = { table: tables[0], key: toHex(Buffer.alloc(8)), block: -1, index: 0 }

const tableOf = (text: string): Table => tables.find((table) => table === text) ?? tables[0]

/** Whether a block is in the index. */
const isIndexed = ({ first, number }: CheckpointRow.Columns, block: number): boolean =>
  first !== null && number !== null && block >= first && block <= number

const idOf = ({ block, index }: Appearance): number => (block < 0 ? -1 : RowId.make(block, index))

/** Position before the first key: PostgreSQL stores keys as signed numbers. */
const lowestKey = -(2n ** 63n)

const entryOf = (appearance: Appearance): Appearances.Entry =>
  appearance.block < 0 ? [lowestKey, -1] : [Appearances.toBig(fromHex(appearance.key)), idOf(appearance)]

/** Entries of a table after one. */
const entriesAfter = Effect.fnUntraced(function* (
  at: At,
  table: Table,
  after: Appearance,
  limit: number,
): Effect.fn.Return<ReadonlyArray<Appearance>, StoreError> {
  if (table === "ledger_block") {
    const blocks = yield* Ledgers.blocksAfter(at, after.block, limit)
    return blocks.map(([block]) => ({ table, key: "0x", block, index: 0 }))
  }
  if (table === "ledger") {
    const rows = yield* Ledgers.after(at, fromHex(after.block < 0 ? "0x" : after.key), idOf(after), limit)
    return rows.map(([wallet, id, body]) => ({
      table,
      key: toHex(wallet),
      ...RowId.toPosition(id),
      assets: LedgerDifferences.assetsOf(body),
    }))
  }
  const entries = yield* Appearances.after(at, entryOf(after), limit)
  return entries.map(([key, id]) => ({ table, key: toHex(key), ...RowId.toPosition(id) }))
})

/** Whether an entry is orphaned. */
const isOrphaned = (at: At, columns: CheckpointRow.Columns, entry: Appearance): Effect.Effect<boolean, StoreError> => {
  if (entry.table === "ledger_block") return Effect.succeed(!isIndexed(columns, entry.block))
  if (entry.table === "ledger") return Ledgers.isOrphaned(at, fromHex(entry.key), idOf(entry))
  const [key, id] = entryOf(entry)
  return Effect.map(isNamed(at, key, id), (named) => !named)
}

const orphaned = Effect.fnUntraced(function* (at: At, after: Appearance | null, limit: number) {
  const columns = yield* Checkpoints.read(at)
  const from = after ?? beforeAll
  const table = tableOf(from.table)
  const entries = yield* entriesAfter(at, table, from, limit)
  const found = yield* Effect.filter(entries, (entry) => isOrphaned(at, columns, entry))
  const next = tables[tables.indexOf(table) + 1]
  const end = next === undefined ? null : { ...beforeAll, table: next }
  return { orphaned: found, last: entries.length < limit ? end : entries.at(-1)! }
})

const removeEntry = (at: At, entry: Appearance): Effect.Effect<void, StoreError> => {
  if (entry.table === "ledger_block") return Ledgers.removePlaces(at, entry.block)
  if (entry.table === "ledger") return Ledgers.removeRow(at, fromHex(entry.key), idOf(entry))
  return Appearances.remove(at, [entryOf(entry)])
}

const removeOrphaned = Effect.fnUntraced(function* (at: At, appearances: ReadonlyArray<Appearance>) {
  const locked = yield* Checkpoints.lock(at, null)
  const found = yield* Effect.filter(
    appearances.filter(({ block }) => block >= 0),
    (entry) => isOrphaned(at, locked.columns, entry),
  )
  if (found.length === 0) return
  yield* Effect.forEach(found, (entry) => removeEntry(at, entry), { discard: true })
  const numbers = found.map(({ block }) => block)
  yield* Journal.record(at, locked, "clear", Math.min(...numbers), Math.max(...numbers))
})

const repairerOf = ({ writing }: Pools, chain: Chain, codec: Frame.Codec): Repairer => {
  // Writes of a repairer do not compare a token.
  const write = <A, E>(work: (at: At) => Effect.Effect<A, E>) =>
    writing.transaction((session) => work({ chain, session }))
  const withoutLease = <A, E extends { readonly _tag: string }>(effect: Effect.Effect<A, E>) =>
    Effect.catchIf(
      effect,
      (error): error is Extract<E, { readonly _tag: "LeaseLost" }> => error._tag === "LeaseLost",
      Effect.die,
    )
  return {
    removeRows: (rows) => withoutLease(write((at) => RemovableRows.remove(at, rows))),
    removeOrphaned: (appearances) => withoutLease(write((at) => removeOrphaned(at, appearances))),
    replace: (rows) =>
      withoutLease(
        write((at) =>
          Effect.flatMap(Checkpoints.lock(at, null), (locked) =>
            BlockReplacement.replace(at, locked, WalletLedger.make(chain.ref.id, chain.ref.feeRules), rows, codec),
          ),
        ),
      ),
  }
}

/** Schema of `amcheck`, and whether the user may call it; only superusers may until it is granted. */
const amcheck = `SELECT n.name, CASE WHEN has_schema_privilege(n.oid, 'USAGE')
    THEN has_function_privilege(n.name || '.bt_index_check(regclass, boolean)', 'EXECUTE') ELSE false END
  FROM pg_extension e JOIN (SELECT oid, quote_ident(nspname)::text AS name FROM pg_namespace) n ON n.oid = e.extnamespace
  WHERE e.extname = 'amcheck'`
const checkIndexes = `SELECT c.relname::text FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
  JOIN pg_am m ON m.oid = c.relam WHERE n.nspname = $1 AND c.relkind = 'i' AND m.amname = 'btree'`
const checkIndex = (extension: string): string =>
  `SELECT ${extension}.bt_index_check(($1::text || '.' || quote_ident($2::text))::regclass, true) IS NULL`

/** Issues that `amcheck` finds in the indexes, if the extension is installed and the user may call it. */
const engineIssues = Effect.fnUntraced(function* ({ chain: { name: label, schema }, session }: At) {
  const [installed] = yield* session.rows<readonly [schema: string, isAllowed: boolean]>(amcheck, [])
  if (installed === undefined) return []
  const [extension, isAllowed] = installed
  if (!isAllowed) {
    yield* Effect.logWarning(
      `Indexes of ${label} are not checked: the user may not call amcheck. Run GRANT USAGE ON SCHEMA ${extension} and GRANT EXECUTE ON FUNCTION ${extension}.bt_index_check(regclass, boolean) to the user.`,
    )
    return []
  }
  const indexes = yield* session.rows<readonly [name: string]>(checkIndexes, [Values.text(schema)])
  const found: Array<string> = []
  for (const [name] of indexes) {
    const checked = session.rows(checkIndex(extension), [Values.text(schema), Values.text(name)])
    yield* Effect.catchIf(checked, Issue.isDamage, ({ message }) =>
      Effect.sync(() => void found.push(`index ${name}: ${message}`)),
    )
  }
  return found
})

/** Audit of a chain; `made` creates its schema. */
export const make = (
  pools: Pools,
  chain: Chain,
  {
    codec,
    made,
    reading,
  }: {
    readonly codec: Frame.Codec
    readonly made: Effect.Effect<void, StoreError>
    readonly reading: Reading
  },
): Audit => ({
  engineIssues: Effect.suspend(() => engineIssues({ chain, session: pools.reading.unbounded })),
  range: (from, to) =>
    reading(
      Effect.fnUntraced(function* (at) {
        const checkpoint = CheckpointRow.toCheckpoint(yield* Checkpoints.read(at))
        return { checkpoint, blocks: yield* blocksOf(at, from, to) }
      }),
    ),
  orphanedAppearances: (after, limit) => reading((at) => orphaned(at, after, limit)),
  removableRows: (after, limit) => reading((at) => RemovableRows.after(at, after, limit)),
  repairer: Effect.as(made, repairerOf(pools, chain, codec)),
})
