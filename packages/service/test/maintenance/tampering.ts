/** Changes single rows of the ledgers in a chain's file, and evaluates whether verification reported each change and its position. */
import { Effect } from "effect"
import * as LedgerCodec from "../../src/ledger/LedgerCodec.ts"
import * as IntegrityIssue from "../../src/maintenance/IntegrityIssue.ts"
import * as Verify from "../../src/maintenance/Verify.ts"
import type { Audit } from "../../src/store/Audit.ts"
import * as Checksum from "../../src/store/rows/Checksum.ts"
import type { Connection } from "../../src/store/sqlite/Connection.ts"
import type * as Ledgers from "../../src/store/sqlite/Ledgers.ts"
import * as RowId from "../../src/store/rows/RowId.ts"
import type { Seeded } from "../store/model.ts"

type Row = Ledgers.Columns

/** A change of one row. */
export interface Tampering {
  readonly name: string
  /** The changed row; `null` if the row is removed. */
  readonly after: Row | null
  /** The original row; `null` if the change adds one. */
  readonly before: Row | null
}

const sealed = ([wallet, id, body]: readonly [Uint8Array, number, Uint8Array]): Row =>
  [wallet, id, body, Checksum.fromValues([wallet, id, body])] as unknown as Row

const flipped = (bytes: Uint8Array, numbers: Seeded): Uint8Array => {
  const changed = Uint8Array.from(bytes)
  const at = numbers.below(changed.length)
  changed[at] = changed[at]! ^ (1 << numbers.below(8))
  return changed
}

const isPresent = (rows: ReadonlyArray<Row>, [wallet, id]: Row): boolean =>
  rows.some((row) => row[1] === id && Buffer.compare(row[0], wallet) === 0)

/** A random change to one of the rows. */
const pick = (rows: ReadonlyArray<Row>, numbers: Seeded): Tampering => {
  const before = numbers.pick(rows)
  const other = numbers.pick(rows)
  const [wallet, id, body, checksum] = before
  const elsewhere = id + (1 + numbers.below(3)) * numbers.pick([1, RowId.perBlock])
  const doubled: ReadonlyArray<readonly [string, Row]> = [
    ["duplicated at another position", [wallet, elsewhere, body, checksum]],
    ["duplicated at another position, with a valid checksum", sealed([wallet, elsewhere, body])],
    ["duplicated for another wallet", sealed([other[0], id, body])],
    ["duplicated for a wallet without a ledger", sealed([flipped(wallet, numbers), id, body])],
  ]
  const changed: ReadonlyArray<readonly [string, Row]> = [
    ["one bit of its body", [wallet, id, flipped(body, numbers), checksum]],
    ["one bit of its body, with a valid checksum", sealed([wallet, id, flipped(body, numbers)])],
    ["its checksum", [wallet, id, body, checksum ^ (1 << numbers.below(31))]],
    ["its body, replaced by that of another row", sealed([wallet, id, other[2]])],
    ["moved to another position", sealed([wallet, elsewhere, body])],
    ["moved to another wallet", sealed([flipped(wallet, numbers), id, body])],
  ]
  for (;;) {
    const kind = numbers.below(3)
    if (kind === 0) return { name: "removed", before, after: null }
    const [name, after] = numbers.pick(kind === 1 ? doubled : changed)
    const isOther = after[1] !== id || Buffer.compare(after[0], wallet) !== 0
    if (isOther && isPresent(rows, after)) continue
    if (!isOther && Buffer.compare(after[2], body) === 0 && after[3] === checksum) continue
    return { name, after, before: kind === 1 ? null : before }
  }
}

const remove = (connection: Connection, [wallet, id]: Row): void =>
  void connection.rowsUnsafe("DELETE FROM ledger WHERE wallet = ? AND id = ?", [wallet, id])

const insert = (connection: Connection, row: Row): void =>
  void connection.rowsUnsafe("INSERT INTO ledger (wallet, id, body, checksum) VALUES (?, ?, ?, ?)", row)

const apply = (connection: Connection, { after, before }: Tampering): void => {
  if (before !== null) remove(connection, before)
  if (after !== null) insert(connection, after)
}

const revert = (connection: Connection, { after, before }: Tampering): void => {
  if (after !== null) remove(connection, after)
  if (before !== null) insert(connection, before)
}

/** All rows of the ledgers. */
const rowsOf = (connection: Connection): ReadonlyArray<Row> =>
  connection.valuesUnsafe<Row>("SELECT wallet, id, body, checksum FROM ledger ORDER BY wallet, id", [])

const hex = (bytes: Uint8Array): string => `0x${Buffer.from(bytes).toString("hex")}`

/** Fields of a finding: block, wallet and assets. */
interface Place {
  readonly block: number
  readonly wallet: string
  readonly assets: ReadonlyArray<string>
}

const locationOf = ([wallet, id, body]: Row): Place => {
  const address = hex(wallet)
  const assets = new Set(LedgerCodec.decodeBody(address, body).movements.map(({ asset }) => asset))
  return { block: RowId.toPosition(id).block, wallet: address, assets: [...assets] }
}

/** Positions at which a change must be reported: those of the original and of the changed row. */
const locationsOf = ({ after, before }: Tampering): ReadonlyArray<Place> => {
  if (before === null) return [locationOf(after!)]
  const isMoved = after !== null && (after[1] !== before[1] || Buffer.compare(after[0], before[0]) !== 0)
  return isMoved ? [locationOf(before), locationOf(after)] : [locationOf(before)]
}

/** Findings of a verification, as printed. */
export const found = ({ issues, orphaned }: Verify.Verified) => [
  ...issues.map(({ block, what }) => ({ block, text: what })),
  ...orphaned.map((appearance) => ({ block: appearance.block, text: IntegrityIssue.ofOrphan(appearance) })),
]

/** Whether verification reported a change with its block, wallet and assets, and no other block. */
const evaluate = (tampering: Tampering, verified: Verify.Verified) => {
  const places = locationsOf(tampering)
  const reported = found(verified)
  const isNamed = ({ assets, block, wallet }: Place) =>
    reported.some((issue) => issue.block === block && [wallet, ...assets].every((part) => issue.text.includes(part)))
  return {
    isFound: reported.length > 0,
    isLocated: places.every(isNamed) && reported.every(({ block }) => places.some((place) => place.block === block)),
  }
}

/** Tampers with rows sequentially and verifies after each; returns the changes that were not reported, or reported elsewhere. */
export const run = Effect.fnUntraced(function* (connection: Connection, audit: Audit, numbers: Seeded, cases: number) {
  const rows = rowsOf(connection)
  const kinds = new Map<string, number>()
  const missed: Array<{ readonly name: string; readonly reported: unknown }> = []
  for (let at = 0; at < cases; at++) {
    const tampering = pick(rows, numbers)
    apply(connection, tampering)
    const verified = yield* Verify.run(audit)
    revert(connection, tampering)
    const { isFound, isLocated } = evaluate(tampering, verified)
    kinds.set(tampering.name, (kinds.get(tampering.name) ?? 0) + 1)
    if (!isFound || !isLocated) missed.push({ name: tampering.name, reported: found(verified) })
  }
  return { rows: rows.length, kinds, missed }
})
