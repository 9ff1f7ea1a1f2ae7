/**
 * Reads the rows of a chain's schema in a PostgreSQL database. They are fetched after each commit while no other statement runs, so that
 * the model compares one state. Documents are fetched only for blocks that were not fetched before.
 */
import type { PgClient } from "@effect/sql-pg"
import { Effect } from "effect"
import * as StoredRows from "./StoredRows.ts"

export interface ServerRows {
  /** Rows as of the last fetch; `undefined` while the schema has no tables. */
  readonly rows: () => StoredRows.StoredRows | undefined
  /** Fetches changed rows, or all rows. */
  readonly fetch: (mode: "new" | "all") => Effect.Effect<void>
}

type Gap = readonly [block: number, kind: string, transaction: string]

/** Lists of a schema in one state. */
interface Lists extends StoredRows.CheckpointRow {
  readonly block_list: string | null
  readonly facts_list: string | null
  readonly ledger_block_list: string | null
  readonly document_list: string | null
  readonly appearance_list: string | null
  readonly ledger_lists: ReadonlyArray<readonly [block: number, rows: string]> | null
  readonly gap_list: ReadonlyArray<Gap> | null
  readonly derived: readonly [revision: number, next: number | null] | null
}

/** Texts of the fetched blocks. */
interface Texts {
  readonly documents: Map<number, ReadonlyArray<StoredRows.StoredRow>>
  readonly facts: Map<number, StoredRows.StoredFacts>
}

interface DocumentRow {
  readonly id: number
  readonly form: number
  readonly size: number
  readonly internal_size: number | null
  readonly frame: Uint8Array | null
}

interface LedgerRow {
  readonly id: number
  readonly wallet: string
  readonly body: Uint8Array
}

const bits = 20
const place = `(id >> ${bits}) || ':' || (id & 1048575)`
const hex = (column: string) => `'0x' || encode(${column}, 'hex')`

const listsOf = (schema: string) => {
  const list = (item: string, table: string, order: string) =>
    `(SELECT string_agg((${item})::text, ' ' ORDER BY ${order}) FROM ${schema}.${table}) AS ${table}_list`
  const count = (table: string) => `(SELECT count(*)::float8 FROM ${schema}.${table})`
  return `SELECT first::float8, number::float8, ${hex("hash")} AS hash, timestamp::float8, finalized::float8,
    ${count("block")} AS blocks, ${count("document")} AS transactions,
    (SELECT coalesce(max(xmin::text::float8), 0) FROM ${schema}.document) AS newest,
    ${count("appearance")} AS appearances, ${count("ledger")} AS ledger,
    (SELECT coalesce(sum(revision * 1000000.0 + coalesce(next, 0)), 0)::float8 FROM ${schema}.projection) AS projections,
    ${list(`number || ':' || ${hex("hash")} || ':' || ${hex("parent_hash")} || ':' || timestamp`, "block", "number")},
    ${list("block", "facts", "block")},
    ${list("block", "ledger_block", "block")},
    ${list(place, "document", "id")},
    ${list(`${place} || ':' || encode(int8send(key), 'hex')`, "appearance", "id, int8send(key)")},
    (SELECT json_agg(json_build_array(block, rows)) FROM (SELECT id >> ${bits} AS block,
      string_agg((id & 1048575) || ':' || ${hex("wallet")}, ' ' ORDER BY id, wallet) AS rows
      FROM ${schema}.ledger GROUP BY 1) l) AS ledger_lists,
    (SELECT json_agg(json_build_array(block, kind, ${hex("transaction")})) FROM ${schema}.gap) AS gap_list,
    (SELECT json_build_array(revision, next) FROM ${schema}.projection WHERE id = 'wallet_ledger') AS derived
  FROM ${schema}.checkpoint`
}

const words = (list: string | null): ReadonlyArray<string> => (list ?? "").split(" ").filter(Boolean)

const numberOf = (line: string): number => Number(line.split(":", 1)[0])

/** Reads the rows of a schema that may not exist yet. */
export const make = (client: PgClient.PgClient, schema: string): ServerRows => {
  const toRow = StoredRows.documentReader()
  const toFacts = StoredRows.factsReader()
  const statement = listsOf(schema)
  const all = <Row extends object>(sql: string) => Effect.orDie(client.unsafe<Row>(sql))
  const texts: Texts = { documents: new Map(), facts: new Map() }
  let hasTables = false
  let lists: Lists | undefined
  let movements: ReadonlyArray<StoredRows.StoredLedgerRow> = []
  /** Blocks whose texts have been fetched. */
  let known: ReadonlySet<string> = new Set()

  const fetchTexts = Effect.fnUntraced(function* (blocks: ReadonlyArray<number>) {
    if (blocks.length === 0) return
    for (const block of blocks) {
      texts.documents.set(block, [])
      texts.facts.delete(block)
    }
    const numbers = blocks.join(", ")
    const documents = yield* all<DocumentRow>(
      `SELECT id::float8, form, size, internal_size, frame FROM ${schema}.document WHERE id >> ${bits} IN (${numbers}) ORDER BY id`,
    )
    for (const { form, frame, id, internal_size, size } of documents) {
      const row = toRow([id, form, size, internal_size, frame])
      texts.documents.set(row.block, [...(texts.documents.get(row.block) ?? []), row])
    }
    const facts = yield* all<{ readonly block: number; readonly frame: Uint8Array }>(
      `SELECT block::float8, frame FROM ${schema}.facts WHERE block IN (${numbers})`,
    )
    for (const { block, frame } of facts) texts.facts.set(block, toFacts(frame))
  })

  const fetch = Effect.fnUntraced(function* (mode: "new" | "all") {
    if (!hasTables) {
      const found = yield* all<{ readonly name: string | null }>(
        `SELECT to_regclass('${schema}.document')::text AS name`,
      )
      hasTables = found[0]?.name != null
      if (!hasTables) return
    }
    lists = (yield* all<Lists>(statement))[0]
    const lines = words(lists?.block_list ?? null)
    yield* fetchTexts(lines.filter((line) => mode === "all" || !known.has(line)).map(numberOf))
    known = new Set(lines)
    if (mode === "new") return
    const rows = yield* all<LedgerRow>(`SELECT id::float8, ${hex("wallet")} AS wallet, body FROM ${schema}.ledger`)
    movements = rows.map(({ body, id, wallet }) => ({ ...StoredRows.positionOf(id), wallet, body }))
  })

  const gaps = (kind: string): ReadonlyArray<Gap> => (lists?.gap_list ?? []).filter(([, own]) => own === kind)
  const rows: StoredRows.StoredRows = {
    checkpoint: () => lists,
    blocks: () => lists?.block_list ?? "",
    factBlocks: () => lists?.facts_list ?? "",
    ledgerBlocks: () => lists?.ledger_block_list ?? "",
    positions: () => lists?.document_list ?? "",
    histories: () => [lists?.appearance_list ?? ""],
    ledger: () => new Map(lists?.ledger_lists ?? []),
    movements: () => movements,
    derived: () => lists?.derived ?? null,
    untraced: (block) => gaps("trace").flatMap(([own, , transaction]) => (own === block ? [transaction] : [])),
    missing: () => gaps("receipt").map(([block, , transaction]) => [block, transaction] as const),
    // Sound: a block without facts is missing from their list, which is compared first.
    factsOf: (block) => texts.facts.get(block)!,
    ofBlock: (block) => texts.documents.get(block) ?? [],
  }
  return { rows: () => (hasTables ? rows : undefined), fetch }
}
