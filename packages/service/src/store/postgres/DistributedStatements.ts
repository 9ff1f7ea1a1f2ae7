/**
 * Statements with which snapshots read a chain whose transactions, histories and ledgers are distributed over Citus nodes. Each compares
 * the mark of every node that it reads (`Marks`). Its last parameter is the serial of the snapshot.
 *
 * Tables are distributed by what a statement looks up: each history is on one node, and so is each ledger. A statement on one table and one
 * value of its distribution column is planned once per connection, which is why the mark is compared by a function rather than a join.
 */
import * as Movement from "../../ledger/Movement.ts"
import * as RowId from "../rows/RowId.ts"
import * as Statements from "./Statements.ts"

/** Proves what a statement reads from a node. */
const proved = (schema: string, serial: string) => `${schema}.proved(${serial})`

const history = (schema: string, order: "ASC" | "DESC") =>
  `SELECT id FROM ${schema}.appearance WHERE key = $1 AND id BETWEEN $2 AND $3 AND ${proved(schema, "$5")}
   ORDER BY id ${order} LIMIT $4`

const ofTransactions = `AND id % ${RowId.perBlock} <> ${Movement.blockLevelIndex}`

const ledger = (schema: string, columns: string, serial: string, order: "ASC" | "DESC", which = "") =>
  `SELECT ${columns} FROM ${schema}.ledger WHERE wallet = $1 AND id BETWEEN $2 AND $3 ${which}
   AND ${proved(schema, serial)} ORDER BY id ${order} LIMIT $4`

const fittingLedger = (schema: string, order: "ASC" | "DESC") =>
  ledger(schema, `id, ${Statements.fittingBody}, checksum`, "$6", order)

const ledgerOfTransactions = (schema: string, order: "ASC" | "DESC") =>
  ledger(schema, "id, body, checksum", "$5", order, ofTransactions)

/** The row id after a number of others, in a history or a ledger. */
const skip = (schema: string, from: string, order: "ASC" | "DESC") =>
  `SELECT id FROM ${schema}.${from} AND ${proved(schema, "$5")} ORDER BY id ${order} LIMIT 1 OFFSET $4`

const skippedHistory = "appearance WHERE key = $1 AND id BETWEEN $2 AND $3"
const skippedLedger = `ledger WHERE wallet = $1 AND id BETWEEN $2 AND $3 ${ofTransactions}`

const own = (schema: string) => ({
  /** Row ids of a history. Parameters: key, first row id, last row id, limit. */
  pageUp: history(schema, "ASC"),
  pageDown: history(schema, "DESC"),
  /** Parameters: key, first row id, last row id, number of the others. */
  skipUp: skip(schema, skippedHistory, "ASC"),
  skipDown: skip(schema, skippedHistory, "DESC"),
  /** Rows from several nodes. Parameters: first row id, last row id, limit. */
  documentIds: Statements.documentIds(schema, `AND ${proved(schema, "$3")}`),
  documentsUp: Statements.documentsIn(schema, "ASC", `AND ${proved(schema, "$4")}`),
  documentsDown: Statements.documentsIn(schema, "DESC", `AND ${proved(schema, "$4")}`),
  /** Rows from several nodes. Parameters: row ids. */
  documentsOf: `SELECT d.id, ${Statements.documentColumns("d")} FROM ${schema}.document d
    WHERE d.id = ANY($1::int8[]) AND ${proved(schema, "$2")}`,
  /** Parameters: row id. */
  largeDocument: `SELECT large_frame, large_checksum FROM ${schema}.document
    WHERE id = $1 AND large_frame IS NOT NULL AND ${proved(schema, "$2")}`,
  /** Parameters: row id. */
  largeInternal: `SELECT large_internal, large_internal_checksum FROM ${schema}.document
    WHERE id = $1 AND large_internal IS NOT NULL AND ${proved(schema, "$2")}`,
  /** Rows from several nodes, in the order of the arrays. Parameters: wallets, row ids, an array each. */
  findLedger: `SELECT l.wallet, l.id, l.body, l.checksum
    FROM unnest($1::bytea[], $2::int8[]) WITH ORDINALITY AS wanted(wallet, id, position)
    JOIN ${schema}.ledger l ON l.wallet = wanted.wallet AND l.id = wanted.id
    WHERE ${proved(schema, "$3")} ORDER BY wanted.position`,
  /** Rows of a wallet; `NULL` for a longer body. Parameters: wallet, first row id, last row id, limit, maximum length of a body. */
  ledgerUp: fittingLedger(schema, "ASC"),
  ledgerDown: fittingLedger(schema, "DESC"),
  /** Body of a row unless it is longer. Parameters: wallet, row id, maximum length of a body. */
  ledgerBody: `SELECT body FROM ${schema}.ledger
    WHERE wallet = $1 AND id = $2 AND octet_length(body) <= $3 AND ${proved(schema, "$4")}`,
  /** Rows of a wallet that belong to transactions. Parameters: wallet, first row id, last row id, limit. */
  ledgerTransactionsUp: ledgerOfTransactions(schema, "ASC"),
  ledgerTransactionsDown: ledgerOfTransactions(schema, "DESC"),
  /** Parameters: wallet, first row id, last row id, number of the others. */
  ledgerSkipUp: skip(schema, skippedLedger, "ASC"),
  ledgerSkipDown: skip(schema, skippedLedger, "DESC"),
})

/** Statements on the schema of a chain, and those that are proved. */
export const make = (schema: string) => {
  const statements = own(schema)
  return {
    sql: {
      ...Statements.make(schema),
      ...statements,
      /** By the blocks, which are on one node. Parameters: first row id, last row id, and no revision. */
      staleDocuments: `SELECT 1 FROM ${schema}.block WHERE number BETWEEN $1 / ${RowId.perBlock} AND $2 / ${RowId.perBlock}
        AND transactions > 0 AND $3::int4 < 0 LIMIT 1`,
    },
    proved: new Set(Object.values(statements)),
  }
}
