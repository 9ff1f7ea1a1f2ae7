/**
 * The statements by which snapshots read a chain whose transactions, histories and ledgers are distributed over the nodes of Citus. Each
 * joins the mark of the node whose rows it reads, and its rows end with it: `Marks` compares them.
 *
 * The tables are distributed by what a statement looks up: a history is on one node, and a ledger. There the mark is joined with no row
 * too, which proves that there is none.
 */
import * as Movement from "../../ledger/Movement.ts"
import * as RowId from "../rows/RowId.ts"
import * as Statements from "./Statements.ts"

const proof = "ARRAY[m.serial, m.since]"

/** The mark of each node whose rows a query on several of them gives. As a join it would take a node longer to plan than its rows to read. */
const proofOfEach = (schema: string) => `(SELECT ${proof} FROM ${schema}.mark m)`

/** The mark of a node beside each row of a query that one node runs, or alone. */
const proved = (schema: string, columns: string, query: string, order = "") =>
  `SELECT ${columns}, ${proof} FROM ${schema}.mark m LEFT JOIN (${query}) r ON true ${order}`

const history = (schema: string, order: "ASC" | "DESC") =>
  proved(
    schema,
    "r.id",
    `SELECT id FROM ${schema}.appearance WHERE key = $1 AND id BETWEEN $2 AND $3 ORDER BY id ${order} LIMIT $4`,
    `ORDER BY r.id ${order}`,
  )

const ledger = (schema: string, body: string, order: "ASC" | "DESC", which = "") =>
  proved(
    schema,
    "r.id, r.body, r.checksum",
    `SELECT id, ${body} AS body, checksum FROM ${schema}.ledger
     WHERE wallet = $1 AND id BETWEEN $2 AND $3 ${which} ORDER BY id ${order} LIMIT $4`,
    `ORDER BY r.id ${order}`,
  )

const ofTransactions = `AND id % ${RowId.perBlock} <> ${Movement.blockLevelIndex}`

/** The row id behind a number of others, of a history or a ledger. */
const skip = (schema: string, from: string, order: "ASC" | "DESC") =>
  proved(schema, "r.id", `SELECT id FROM ${schema}.${from} ORDER BY id ${order} LIMIT 1 OFFSET $4`)

const skippedHistory = "appearance WHERE key = $1 AND id BETWEEN $2 AND $3"
const skippedLedger = `ledger WHERE wallet = $1 AND id BETWEEN $2 AND $3 ${ofTransactions}`

const own = (schema: string) => ({
  /** Row ids of a history. Parameters: key, first row id, last row id, limit. */
  pageUp: history(schema, "ASC"),
  pageDown: history(schema, "DESC"),
  /** Parameters: key, first row id, last row id, number of the others. */
  skipUp: skip(schema, skippedHistory, "ASC"),
  skipDown: skip(schema, skippedHistory, "DESC"),
  /** Rows of several nodes: one that is missing is not proved to be so. Parameters: row ids. */
  documentsOf: `SELECT d.id, ${Statements.documentColumns("d")}, ${proofOfEach(schema)} FROM ${schema}.document d
    WHERE d.id = ANY($1::int8[])`,
  /** Parameters: row id. */
  largeDocument: proved(
    schema,
    "r.large_frame, r.large_checksum",
    `SELECT large_frame, large_checksum FROM ${schema}.document WHERE id = $1 AND large_frame IS NOT NULL`,
  ),
  /** Parameters: row id. */
  largeInternal: proved(
    schema,
    "r.large_internal, r.large_internal_checksum",
    `SELECT large_internal, large_internal_checksum FROM ${schema}.document WHERE id = $1 AND large_internal IS NOT NULL`,
  ),
  /** Rows of several nodes, in the order of the arrays. Parameters: wallets, row ids, an array each. */
  findLedger: `SELECT l.wallet, l.id, l.body, l.checksum, ${proofOfEach(schema)}
    FROM unnest($1::bytea[], $2::int8[]) WITH ORDINALITY AS wanted(wallet, id, position)
    JOIN ${schema}.ledger l ON l.wallet = wanted.wallet AND l.id = wanted.id
    ORDER BY wanted.position`,
  /** Rows of a wallet; `NULL` for a longer body. Parameters: wallet, first row id, last row id, limit, bytes of a body. */
  ledgerUp: ledger(schema, Statements.fittingBody, "ASC"),
  ledgerDown: ledger(schema, Statements.fittingBody, "DESC"),
  /** The body of a row that is not longer. Parameters: wallet, row id, bytes of a body. */
  ledgerBody: proved(
    schema,
    "r.body",
    `SELECT body FROM ${schema}.ledger WHERE wallet = $1 AND id = $2 AND octet_length(body) <= $3`,
  ),
  /** Rows of a wallet that belong to transactions. Parameters: wallet, first row id, last row id, limit. */
  ledgerTransactionsUp: ledger(schema, "body", "ASC", ofTransactions),
  ledgerTransactionsDown: ledger(schema, "body", "DESC", ofTransactions),
  /** Parameters: wallet, first row id, last row id, number of the others. */
  ledgerSkipUp: skip(schema, skippedLedger, "ASC"),
  ledgerSkipDown: skip(schema, skippedLedger, "DESC"),
})

/** Statements on one row, which prove that it is not stored. */
const single = (schema: string) => ({
  /** Parameters: row id. */
  document: proved(schema, "r.id", `SELECT id FROM ${schema}.document WHERE id = $1`),
  /** Parameters: wallet, row id. */
  ledger: proved(schema, "r.id", `SELECT id FROM ${schema}.ledger WHERE wallet = $1 AND id = $2`),
})

/** The statements on the schema of a chain, and those whose rows end with a mark. */
export const make = (schema: string) => {
  const [statements, singles] = [own(schema), single(schema)]
  return {
    single: singles,
    sql: {
      ...Statements.make(schema),
      ...statements,
      /** By the blocks, which lie on one node. Parameters: first row id, last row id, and no revision. */
      staleDocuments: `SELECT 1 FROM ${schema}.block WHERE number BETWEEN $1 / ${RowId.perBlock} AND $2 / ${RowId.perBlock}
        AND transactions > 0 AND $3::int4 < 0 LIMIT 1`,
    },
    proved: new Set([...Object.values(statements), ...Object.values(singles)]),
  }
}
