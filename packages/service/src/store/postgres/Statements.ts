/**
 * Statements on the tables of a chain's schema. Each names its parameters in order.
 */
import * as Movement from "../../ledger/Movement.ts"
import * as JournalRow from "../rows/JournalRow.ts"
import * as OpeningRow from "../rows/OpeningRow.ts"
import * as RowId from "../rows/RowId.ts"

/** The statements on the schema of a chain; `schema` is a quoted identifier. */
export const make = (schema: string) => ({
  ...ofCheckpoint(schema),
  ...ofJournal(schema),
  ...ofBlocks(schema),
  ...ofDocuments(schema),
  ...ofProjections(schema),
  ...ofLedgers(schema),
  ...ofProofs(schema),
  ...ofIndexer(schema),
  ...ofMarks(schema),
})

/** The statements on the schema of a chain. */
export type Statements = ReturnType<typeof make>

const checkpointColumns = "chain, first, number, hash, timestamp, finalized, watch, serial, change, checksum"
const changeColumns = "change, kind, lowest, highest, hash, serial, mark, checksum"
const blockColumns = "number, hash, parent_hash, timestamp, transactions, facts, checksum"
const projectionColumns = "number, id, kind, revision, next, checksum"
const reconciledColumns = "wallet, first, block, proved, proved_checksum"

const columnsOf = (row: string, columns: string) =>
  columns
    .split(", ")
    .map((name) => `${row}.${name}`)
    .join(", ")

/** Statements on Citus nodes are proved one by one, and need no transaction there, whose start and end would be separate round trips. */
const withoutNodeTransactions = "set_config('citus.select_opens_transaction_block', 'off', true)"

const writeCheckpoint = (schema: string) =>
  `UPDATE ${schema}.checkpoint SET first = $1, number = $2, hash = $3, timestamp = $4, finalized = $5,
    watch = $6, serial = $7, change = $8, checksum = $9`

/** The checkpoint, the numbers of rows by name, whether tables are distributed, and the joined rows (`joinedRows`). */
const snapshotColumns = (schema: string) =>
  `${columnsOf("c", checkpointColumns)},
   ARRAY(SELECT name FROM ${schema}.counter ORDER BY name), ARRAY(SELECT count FROM ${schema}.counter ORDER BY name),
   c.distributed, ${columnsOf("p", reconciledColumns)}, ${columnsOf("j", projectionColumns)}`

/** Rows joined with the checkpoint. Parameters: the wallet, an unused one, the projection. */
const joinedRows = (schema: string) =>
  `LEFT JOIN ${schema}.proof p ON p.wallet = $1 AND p.first = c.first AND p.proved IS NOT NULL
   LEFT JOIN ${schema}.projection j ON j.id = $3`

const ofCheckpoint = (schema: string) => ({
  checkpoint: `SELECT ${checkpointColumns} FROM ${schema}.checkpoint`,
  /**
   * A row for each requested block that is stored, or one: the checkpoint, the numbers of rows by name, whether tables are distributed,
   * what is proved about a wallet, and the block. Limits the statements that follow it. Parameters: the wallet, numbers of blocks, the
   * projection, the limit.
   */
  beginSnapshot: `SELECT ${snapshotColumns(schema)}, ${columnsOf("b", blockColumns)}, set_config('statement_timeout', $4, true),
      CASE WHEN c.distributed THEN ${withoutNodeTransactions} END
    FROM ${schema}.checkpoint c ${joinedRows(schema)}
    LEFT JOIN LATERAL (SELECT * FROM ${schema}.block WHERE number = ANY($2::int8[]) OFFSET 0) b ON true`,
  /** Orders writers; the lock is held until the transaction ends. */
  lockCheckpoint: `SELECT ${checkpointColumns}, distributed, token, ${schema}.clock() FROM ${schema}.checkpoint FOR UPDATE`,
  /** Parameters: first, number, hash, timestamp, finalized, watch, serial, change, checksum. */
  writeCheckpoint: writeCheckpoint(schema),
  /** Parameters: chain, checksum. */
  claim: `INSERT INTO ${schema}.checkpoint (chain, checksum) VALUES ($1, $2) ON CONFLICT (one) DO NOTHING`,
  claimIndexer: `INSERT INTO ${schema}.indexer (one) VALUES (true) ON CONFLICT (one) DO NOTHING`,
})

const ofJournal = (schema: string) => ({
  /**
   * Writes the checkpoint and its change, forgets old changes, and notifies listeners once the transaction is committed. Parameters: those
   * of the checkpoint; kind, lowest, highest, hash, mark, checksum; the last change to forget; the name of the schema.
   */
  advance: `WITH written AS (${writeCheckpoint(schema)}),
    added AS (INSERT INTO ${schema}.change (${changeColumns}) VALUES ($8, $10, $11, $12, $13, $7, $14, $15)),
    forgotten AS (DELETE FROM ${schema}.change WHERE change <= $16),
    forgotten_blocks AS (DELETE FROM ${schema}.removed WHERE change <= $16)
    SELECT pg_notify('${JournalRow.channel}', $17) IS NULL`,
  /** Parameters: change. */
  journalBounds: `SELECT (SELECT min(change) FROM ${schema}.change), c.change,
      (SELECT mark FROM ${schema}.change WHERE change = c.change), (SELECT mark FROM ${schema}.change WHERE change = $1)
    FROM ${schema}.checkpoint c`,
  newestChange: `SELECT change FROM ${schema}.checkpoint`,
  /** Changes after one, oldest first. Parameters: change, limit. */
  changesAfter: `SELECT ${changeColumns} FROM ${schema}.change WHERE change > $1 ORDER BY change LIMIT $2`,
  /** The lowest block that was removed since a block was. Parameters: number, hash. */
  lowestReorgedBlock: `SELECT min(lowest) FROM ${schema}.change WHERE kind = ${JournalRow.removeKind}
    AND change >= (SELECT min(change) FROM ${schema}.removed WHERE number = $1 AND hash = $2)`,
  /** Remembers blocks that a change removes. Parameters: change, lowest, limit. */
  rememberRemoved: `INSERT INTO ${schema}.removed (number, hash, change)
    SELECT number, hash, $1 FROM ${schema}.block WHERE number >= $2 ORDER BY number DESC LIMIT $3`,
  /** Forgets blocks below the highest ones. Parameters: how many to keep. */
  forgetRemoved: `DELETE FROM ${schema}.removed WHERE number <=
    (SELECT number FROM ${schema}.removed ORDER BY number DESC LIMIT 1 OFFSET $1)`,
  /** Blocks that a change removed, below a number, highest first. Parameters: change, number, limit. */
  removedBy: `SELECT number, hash FROM ${schema}.removed WHERE change = $1 AND number < $2 ORDER BY number DESC LIMIT $3`,
})

const counted = (schema: string, rows: string, kind: string, sign: "" | "-") =>
  `WITH changed AS (${rows})
   INSERT INTO ${schema}.counter AS c (name, count) SELECT ${kind}, ${sign}count(*) FROM changed GROUP BY 1
   ON CONFLICT (name) DO UPDATE SET count = c.count + excluded.count`

const ofBlocks = (schema: string) => ({
  /** Parameters: from, to. */
  headers: `SELECT number, hash FROM ${schema}.block WHERE number BETWEEN $1 AND $2 ORDER BY number`,
  /** Parameters: from, to. */
  blocks: `SELECT ${blockColumns} FROM ${schema}.block WHERE number BETWEEN $1 AND $2 ORDER BY number`,
  /** Parameters: numbers. */
  blocksOf: `SELECT ${blockColumns} FROM unnest($1::int8[]) AS wanted(id)
    CROSS JOIN LATERAL (SELECT * FROM ${schema}.block WHERE number = wanted.id OFFSET 0) b`,
  /** Parameters: timestamp. */
  firstAtOrAfter: `SELECT number FROM ${schema}.block WHERE timestamp >= $1 ORDER BY timestamp, number LIMIT 1`,
  /** Parameters: timestamp. */
  lastAtOrBefore: `SELECT number FROM ${schema}.block WHERE timestamp <= $1
    ORDER BY timestamp DESC, number DESC LIMIT 1`,
  /** Parameters: from, limit. */
  blockCounts: `SELECT number, transactions FROM ${schema}.block WHERE number >= $1 ORDER BY number LIMIT $2`,
  /** Parameters: the columns of blocks, an array each. */
  insertBlocks: `INSERT INTO ${schema}.block (${blockColumns}) SELECT * FROM
    unnest($1::int8[], $2::bytea[], $3::bytea[], $4::int8[], $5::int4[], $6::int4[], $7::int4[])`,
  /** Parameters: from, to. */
  deleteBlocks: `DELETE FROM ${schema}.block WHERE number BETWEEN $1 AND $2`,
  /** Parameters: blocks, dictionaries, sizes, frames, an array each. */
  insertFacts: `INSERT INTO ${schema}.facts (block, dictionary, size, frame)
    SELECT * FROM unnest($1::int8[], $2::int4[], $3::int4[], $4::bytea[])`,
  /** Parameters: from, to. */
  deleteFacts: `DELETE FROM ${schema}.facts WHERE block BETWEEN $1 AND $2`,
  /** Parameters: from, to. */
  facts: `SELECT block, dictionary, size, frame FROM ${schema}.facts WHERE block BETWEEN $1 AND $2 ORDER BY block`,
  /** Parameters: blocks, positions, kinds, transactions, reasons, an array each. */
  insertGaps: counted(
    schema,
    `INSERT INTO ${schema}.gap (block, position, kind, transaction, reason)
     SELECT * FROM unnest($1::int8[], $2::int4[], $3::text[], $4::bytea[], $5::bytea[]) RETURNING kind`,
    "kind",
    "",
  ),
  /** Parameters: from, to. */
  deleteGaps: counted(schema, `DELETE FROM ${schema}.gap WHERE block BETWEEN $1 AND $2 RETURNING kind`, "kind", "-"),
  /** Parameters: from, to, limit. */
  gaps: `SELECT block, kind, transaction, reason FROM ${schema}.gap WHERE block BETWEEN $1 AND $2
    ORDER BY block, position LIMIT $3`,
  /** Parameter: last block. */
  lastTraceGap: `SELECT block FROM ${schema}.gap WHERE kind = 'trace' AND block <= $1 ORDER BY block DESC LIMIT 1`,
})

/** Columns of a transaction except its row id. */
export const documentColumns = (row: string) =>
  columnsOf(row, "revision, form, size, internal_size, hash, addresses, frame, checksum")

/** Row ids of a range; `which` restricts them. */
export const documentIds = (schema: string, which = "") =>
  `SELECT id FROM ${schema}.document WHERE id BETWEEN $1 AND $2 ${which}`

/** Rows of a range, up to a limit; `which` restricts them. */
export const documentsIn = (schema: string, order: "ASC" | "DESC", which = "") =>
  `SELECT d.id, ${documentColumns("d")} FROM ${schema}.document d WHERE d.id BETWEEN $1 AND $2 ${which}
   ORDER BY d.id ${order} LIMIT $3`

const apartColumns = "large_frame, large_checksum, large_internal, large_internal_checksum"

/**
 * Rows of a page are in the order of the appearance index; each is found by its row id, whatever the planner expects. Its parameters are
 * the first ones, or follow others.
 */
const page = (schema: string, order: "ASC" | "DESC", before = 0) => {
  const [key, first, last, limit, withBlock] = [1, 2, 3, 4, 5].map((at) => `$${before + at}`)
  return `SELECT a.id, ${documentColumns("d")}, ${columnsOf("b", blockColumns)}
   FROM (SELECT id, row_number() OVER (ORDER BY id ${order}) AS position FROM ${schema}.appearance
     WHERE key = ${key} AND id BETWEEN ${first} AND ${last} ORDER BY id ${order} LIMIT ${limit}) a
   LEFT JOIN LATERAL (SELECT * FROM ${schema}.document WHERE id = a.id OFFSET 0) d ON true
   LEFT JOIN LATERAL (SELECT * FROM ${schema}.block WHERE a.position = ${withBlock} AND number = a.id / ${RowId.perBlock} OFFSET 0) b
     ON true
   ORDER BY a.id ${order}`
}

/** Columns without values. */
const nulls = (columns: string): string => columns.replaceAll(/[^,]+/g, " NULL")

const documentRow = "id, revision, form, size, internal_size, hash, addresses, frame, checksum"
const snapshotRow = `${checkpointColumns}, counted, counts, distributed, ${reconciledColumns}, ${projectionColumns}`
const emptyPageRow = `NULL::int8, NULL::int4, NULL::int4, NULL::int4, NULL::int4, NULL::bytea, NULL::bytea, NULL::bytea, NULL::int4,
  NULL::int8, NULL::bytea, NULL::bytea, NULL::int8, NULL::int4, NULL::int4, NULL::int4`

/** A snapshot and its page as one statement, which sees one state by itself. */
const snapshotWithPage = (schema: string, order: "ASC" | "DESC") =>
  `SELECT ${snapshotColumns(schema)}, ${emptyPageRow} FROM ${schema}.checkpoint c ${joinedRows(schema)}
   UNION ALL SELECT ${nulls(snapshotRow)}, ${nulls(documentRow)}, ${columnsOf("b", blockColumns)}
     FROM ${schema}.block b WHERE number = ANY($2::int8[])
   UNION ALL SELECT ${nulls(snapshotRow)}, page.* FROM (${page(schema, order, 3)}) page`

const ofDocuments = (schema: string) => ({
  /** Parameters: the columns of rows, an array each. */
  insertDocuments: `INSERT INTO ${schema}.document
    (id, revision, form, size, internal_size, hash, addresses, frame, checksum) SELECT * FROM
    unnest($1::int8[], $2::int4[], $3::int4[], $4::int4[], $5::int4[], $6::bytea[], $7::bytea[], $8::bytea[], $9::int4[])`,
  /** Like `insertDocuments`, with the frames that are stored apart and their checksums. */
  insertLargeDocuments: `INSERT INTO ${schema}.document
    (id, revision, form, size, internal_size, hash, addresses, frame, checksum, ${apartColumns}) SELECT * FROM
    unnest($1::int8[], $2::int4[], $3::int4[], $4::int4[], $5::int4[], $6::bytea[], $7::bytea[], $8::bytea[], $9::int4[],
      $10::bytea[], $11::int4[], $12::bytea[], $13::int4[])`,
  /** Rows of a range. Parameters: first row id, last row id. */
  documents: `SELECT d.id, ${documentColumns("d")} FROM ${schema}.document d WHERE d.id BETWEEN $1 AND $2 ORDER BY d.id`,
  /** Row ids of a range. Parameters: first row id, last row id. */
  documentIds: documentIds(schema),
  /** Rows of a range, up to a limit. Parameters: first row id, last row id, limit. */
  documentsUp: documentsIn(schema, "ASC"),
  documentsDown: documentsIn(schema, "DESC"),
  /** Parameters: row ids. */
  documentsOf: `SELECT d.id, ${documentColumns("d")} FROM ${schema}.document d WHERE d.id = ANY($1::int8[])`,
  /** Parameters: row id. */
  largeDocument: `SELECT large_frame, large_checksum FROM ${schema}.document WHERE id = $1 AND large_frame IS NOT NULL`,
  /** Parameters: row id. */
  largeInternal: `SELECT large_internal, large_internal_checksum FROM ${schema}.document
    WHERE id = $1 AND large_internal IS NOT NULL`,
  /** One row if a document of a range has another revision. Parameters: first row id, last row id, revision. */
  staleDocuments: `SELECT 1 FROM ${schema}.document WHERE id BETWEEN $1 AND $2 AND revision <> $3 LIMIT 1`,
  /** Parameters: first row id, last row id. */
  deleteDocuments: `DELETE FROM ${schema}.document WHERE id BETWEEN $1 AND $2`,
  /** Parameters: row ids. */
  deleteDocumentsOf: `DELETE FROM ${schema}.document WHERE id = ANY($1::int8[])`,
  /** Parameters: keys, row ids, an array each. */
  insertAppearances: `INSERT INTO ${schema}.appearance (key, id) SELECT * FROM unnest($1::int8[], $2::int8[])`,
  /** Parameters: keys, row ids, an array each. */
  deleteAppearances: `DELETE FROM ${schema}.appearance a USING unnest($1::int8[], $2::int8[]) AS gone(key, id)
    WHERE a.key = gone.key AND a.id = gone.id`,
  /** Searches the whole table. Parameters: first row id, last row id. */
  deleteAppearancesOf: `DELETE FROM ${schema}.appearance WHERE id BETWEEN $1 AND $2`,
  /** Array positions, from 1, of those that are stored. Parameters: keys, row ids, an array each. */
  findAppearances: `SELECT wanted.position FROM unnest($1::int8[], $2::int8[]) WITH ORDINALITY AS wanted(key, id, position)
    JOIN ${schema}.appearance a ON a.key = wanted.key AND a.id = wanted.id`,
  /** Parameters: key, row id, limit. */
  appearancesAfter: `SELECT int8send(key), id FROM ${schema}.appearance WHERE (key, id) > ($1, $2)
    ORDER BY key, id LIMIT $3`,
  /**
   * Appearances of a key with their rows, and the block of one of them. Parameters: key, first row id, last row id, limit, which row has its
   * block.
   */
  pageUp: page(schema, "ASC"),
  pageDown: page(schema, "DESC"),
  /**
   * A row with the checkpoint and its joined rows, a row for each requested block that is stored, and the rows of a page, in any order.
   * Parameters: the wallet, numbers of blocks, the projection, and those of the page.
   */
  snapshotWithPageUp: snapshotWithPage(schema, "ASC"),
  snapshotWithPageDown: snapshotWithPage(schema, "DESC"),
  /** The appearance after a number of others. Parameters: key, first row id, last row id, number of the others. */
  skipUp: `SELECT id FROM ${schema}.appearance WHERE key = $1 AND id BETWEEN $2 AND $3 ORDER BY id LIMIT 1 OFFSET $4`,
  skipDown: `SELECT id FROM ${schema}.appearance WHERE key = $1 AND id BETWEEN $2 AND $3 ORDER BY id DESC LIMIT 1 OFFSET $4`,
})

const entries = (schema: string) =>
  `SELECT e.id, CASE WHEN octet_length(e.body) <= $1 THEN e.body END, p.revision, octet_length(e.body)
   FROM ${schema}.projection p JOIN ${schema}.entry e ON e.projection = p.number
   WHERE p.id = $2 AND e.key = $3 AND e.id BETWEEN $4 AND $5`

const ofProjections = (schema: string) => ({
  /** Parameters: projection. */
  projection: `SELECT ${projectionColumns} FROM ${schema}.projection WHERE id = $1`,
  allProjections: `SELECT ${projectionColumns} FROM ${schema}.projection ORDER BY number`,
  /** Parameters: number, projection, kind, revision, next block, checksum. */
  writeProjection: `INSERT INTO ${schema}.projection (${projectionColumns}) VALUES ($1, $2, $3, $4, $5, $6)
    ON CONFLICT (number) DO UPDATE SET kind = excluded.kind, revision = excluded.revision, next = excluded.next,
      checksum = excluded.checksum`,
  /** Parameters: numbers of projections, row ids, keys, bodies, an array each. */
  insertEntries: `INSERT INTO ${schema}.entry (projection, id, key, body)
    SELECT * FROM unnest($1::int4[], $2::int8[], $3::bytea[], $4::bytea[])`,
  /** Parameters: first row id. */
  deleteEntries: `DELETE FROM ${schema}.entry
    WHERE projection IN (SELECT number FROM ${schema}.projection) AND id >= $1`,
  /** Parameters: number of the projection, first row id, last row id. */
  deleteEntriesOf: `DELETE FROM ${schema}.entry WHERE projection = $1 AND id BETWEEN $2 AND $3`,
  /** Parameters: projection, row id. */
  entryText: `SELECT e.body FROM ${schema}.projection p JOIN ${schema}.entry e ON e.projection = p.number
    WHERE p.id = $1 AND e.id = $2`,
  /** Entries of a key. Parameters: inline bound, projection, key, first row id, last row id, limit. */
  entriesUp: `${entries(schema)} ORDER BY e.id LIMIT $6`,
  entriesDown: `${entries(schema)} ORDER BY e.id DESC LIMIT $6`,
})

/** Without the wallet, which a query names. */
const ledgerRows = (schema: string, body: string) =>
  `SELECT id, ${body}, checksum FROM ${schema}.ledger WHERE wallet = $1 AND id BETWEEN $2 AND $3`

/** A body that is not too long; its maximum length is the fifth parameter. */
export const fittingBody = "CASE WHEN octet_length(body) <= $5 THEN body END"

const ofTransactions = `AND id % ${RowId.perBlock} <> ${Movement.blockLevelIndex}`

const ofLedgers = (schema: string) => ({
  /** Parameters: wallets, row ids, bodies, checksums, an array each. */
  insertLedger: `INSERT INTO ${schema}.ledger (wallet, id, body, checksum)
    SELECT * FROM unnest($1::bytea[], $2::int8[], $3::bytea[], $4::int4[])
    ON CONFLICT (wallet, id) DO UPDATE SET body = excluded.body, checksum = excluded.checksum`,
  /** Parameters: wallets, row ids, an array each. */
  deleteLedger: `DELETE FROM ${schema}.ledger l USING unnest($1::bytea[], $2::int8[]) AS gone(wallet, id)
    WHERE l.wallet = gone.wallet AND l.id = gone.id`,
  /** Searches the whole table. Parameters: first row id, last row id. */
  deleteLedgerOf: `DELETE FROM ${schema}.ledger WHERE id BETWEEN $1 AND $2`,
  /** Rows in the order of the arrays. Parameters: wallets, row ids, an array each. */
  findLedger: `SELECT l.wallet, l.id, l.body, l.checksum
    FROM unnest($1::bytea[], $2::int8[]) WITH ORDINALITY AS wanted(wallet, id, position)
    JOIN ${schema}.ledger l ON l.wallet = wanted.wallet AND l.id = wanted.id ORDER BY wanted.position`,
  /** Parameters: blocks, places, checksums, an array each. */
  insertPlaces: `INSERT INTO ${schema}.ledger_block (block, places, checksum)
    SELECT * FROM unnest($1::int8[], $2::bytea[], $3::int4[])
    ON CONFLICT (block) DO UPDATE SET places = excluded.places, checksum = excluded.checksum`,
  /** Rows of all wallets. Parameters: wallet, row id, limit. */
  ledgerAfter: `SELECT wallet, id, body, checksum FROM ${schema}.ledger WHERE (wallet, id) > ($1, $2)
    ORDER BY wallet, id LIMIT $3`,
  /** Parameters: block, limit. */
  placesAfter: `SELECT block FROM ${schema}.ledger_block WHERE block > $1 ORDER BY block LIMIT $2`,
  /** Parameters: from, to. */
  places: `SELECT block, places, checksum FROM ${schema}.ledger_block WHERE block BETWEEN $1 AND $2 ORDER BY block`,
  /** Parameters: from, to. */
  deletePlaces: `DELETE FROM ${schema}.ledger_block WHERE block BETWEEN $1 AND $2`,
  /** Rows of a wallet; `NULL` for a longer body. Parameters: wallet, first row id, last row id, limit, maximum length of a body. */
  ledgerUp: `${ledgerRows(schema, fittingBody)} ORDER BY id LIMIT $4`,
  ledgerDown: `${ledgerRows(schema, fittingBody)} ORDER BY id DESC LIMIT $4`,
  /** Body of a row; `NULL` if it is longer. Parameters: wallet, row id, maximum length of a body. */
  ledgerBody: `SELECT CASE WHEN octet_length(body) <= $3 THEN body END FROM ${schema}.ledger WHERE wallet = $1 AND id = $2`,
  /** Rows of a wallet that belong to transactions. Parameters: wallet, first row id, last row id, limit. */
  ledgerTransactionsUp: `${ledgerRows(schema, "body")} ${ofTransactions} ORDER BY id LIMIT $4`,
  ledgerTransactionsDown: `${ledgerRows(schema, "body")} ${ofTransactions} ORDER BY id DESC LIMIT $4`,
  /** The row of a transaction after a number of others. Parameters: wallet, first row id, last row id, number of the others. */
  ledgerSkipUp: `SELECT id FROM ${schema}.ledger WHERE wallet = $1 AND id BETWEEN $2 AND $3 ${ofTransactions}
    ORDER BY id LIMIT 1 OFFSET $4`,
  ledgerSkipDown: `SELECT id FROM ${schema}.ledger WHERE wallet = $1 AND id BETWEEN $2 AND $3 ${ofTransactions}
    ORDER BY id DESC LIMIT 1 OFFSET $4`,
})

const findTokens = (schema: string, column: "symbol" | "name") => {
  const text = `lower(${column} COLLATE "C")`
  return `SELECT address, block, name, symbol, decimals, checksum FROM ${schema}.token
    WHERE ${text} >= $1 AND ${text} < $2 ORDER BY ${text}, block, address LIMIT $3`
}

/** Parameters: wallet, first, limit. */
const openingMovements = (schema: string) =>
  `FROM (SELECT holding, amount, checksum FROM ${schema}.opening
    WHERE wallet = $1 AND first = $2 ORDER BY holding LIMIT $3) openings WHERE ${OpeningRow.isMovement((hex) => `'\\x${hex}'::bytea`)}`

const ofProofs = (schema: string) => ({
  /** Parameters: wallets, holdings, first blocks, amounts, checksums, an array each. */
  insertOpenings: `INSERT INTO ${schema}.opening (wallet, holding, first, amount, checksum)
    SELECT * FROM unnest($1::bytea[], $2::bytea[], $3::int8[], $4::bytea[], $5::int4[])
    ON CONFLICT (wallet, holding) DO UPDATE
    SET first = excluded.first, amount = excluded.amount, checksum = excluded.checksum`,
  /** Parameters: wallet, first, key, limit. */
  openings: `SELECT holding, amount, checksum FROM ${schema}.opening
    WHERE wallet = $1 AND first = $2 AND holding > $3 ORDER BY holding LIMIT $4`,
  /** Parameters: wallet, first, limit of all, limit, offset. */
  openingRange: `SELECT holding, amount, checksum ${openingMovements(schema)} ORDER BY holding LIMIT $4 OFFSET $5`,
  /** Parameters: wallet, first, limit of all. */
  countOpenings: `SELECT count(*)::int4 ${openingMovements(schema)}`,
  /** Parameters: wallet, holding, first. */
  hasOpening: `SELECT 1 FROM ${schema}.opening WHERE wallet = $1 AND holding = $2 AND first = $3`,
  clearOpenings: `DELETE FROM ${schema}.opening`,
  clearProgress: `DELETE FROM ${schema}.opening_progress`,
  /** Parameters: first. */
  progress: `SELECT next FROM ${schema}.opening_progress WHERE first = $1`,
  /** Parameters: first, next. */
  advanceProgress: `INSERT INTO ${schema}.opening_progress (first, next) VALUES ($1, $2)
    ON CONFLICT (one) DO UPDATE SET first = excluded.first, next = excluded.next`,
  /** Parameters: lowest. */
  unwindProgress: `UPDATE ${schema}.opening_progress SET next = $1 WHERE next > $1`,
  /** Parameters: wallet, first. */
  proof: `SELECT wallet, first, block, hash, body, checksum FROM ${schema}.proof WHERE wallet = $1 AND first = $2`,
  /** What pages report about a proof, without the rest. Parameters: wallet, first. */
  reconciled: `SELECT ${reconciledColumns} FROM ${schema}.proof
    WHERE wallet = $1 AND first = $2 AND proved IS NOT NULL`,
  /** Parameters: wallet, first, block, hash, body, checksum, proved block and its checksum. */
  writeProof: `INSERT INTO ${schema}.proof (wallet, first, block, hash, body, checksum, proved, proved_checksum)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
    ON CONFLICT (wallet) DO UPDATE SET first = excluded.first, block = excluded.block, hash = excluded.hash,
    body = excluded.body, checksum = excluded.checksum, proved = excluded.proved,
    proved_checksum = excluded.proved_checksum`,
  /** Parameters: addresses, in an array. */
  tokens: `SELECT address, block, name, symbol, decimals, checksum FROM ${schema}.token WHERE address = ANY($1::bytea[])`,
  /** Parameters: first text, upper bound of the texts, limit. */
  tokensBySymbol: findTokens(schema, "symbol"),
  tokensByName: findTokens(schema, "name"),
  /** Parameters: addresses, in an array. */
  knownTokens: `SELECT address FROM ${schema}.token WHERE address = ANY($1::bytea[])`,
  /** Parameters: addresses, blocks, names, symbols, decimals, checksums, an array each. */
  insertTokens: `INSERT INTO ${schema}.token (address, block, name, symbol, decimals, checksum)
    SELECT * FROM unnest($1::bytea[], $2::int8[], $3::text[], $4::text[], $5::int4[], $6::int4[]) ON CONFLICT DO NOTHING`,
  clearTokens: `DELETE FROM ${schema}.token`,
  clearTokenProgress: `DELETE FROM ${schema}.token_progress`,
  /** Parameters: first. */
  tokenProgress: `SELECT next FROM ${schema}.token_progress WHERE first = $1`,
  /** Parameters: first, next. */
  advanceTokens: `INSERT INTO ${schema}.token_progress (first, next) VALUES ($1, $2)
    ON CONFLICT (one) DO UPDATE SET first = excluded.first, next = excluded.next`,
  /** Parameters: lowest. */
  unwindTokens: `UPDATE ${schema}.token_progress SET next = $1 WHERE next > $1`,
  /** Parameters: lowest removed block. */
  deleteProofs: `DELETE FROM ${schema}.proof WHERE block >= $1`,
})

const ofIndexer = (schema: string) => ({
  /**
   * Takes a lease that is free, expired, in the future, or already one's own; waits for a write with the previous token. Parameters: owner,
   * time.
   */
  acquireLease: `WITH taken AS (
      UPDATE ${schema}.indexer SET lease_owner = $1, lease_since = ${schema}.clock(), lease_until = ${schema}.clock() + $2,
        token = token + 1
      WHERE lease_owner IS NULL OR lease_owner = $1 OR lease_until <= ${schema}.clock() OR lease_since > ${schema}.clock()
      RETURNING token)
    UPDATE ${schema}.checkpoint SET token = taken.token FROM taken RETURNING taken.token`,
  /** Parameters: token, time. */
  renewLease: `UPDATE ${schema}.indexer SET lease_since = ${schema}.clock(), lease_until = ${schema}.clock() + $2
    WHERE token = $1 AND lease_owner IS NOT NULL RETURNING 1`,
  /** Parameters: token. */
  releaseLease: `UPDATE ${schema}.indexer SET lease_owner = NULL, lease_since = NULL, lease_until = NULL WHERE token = $1`,
  /** Parameters: token, status. */
  writeStatus: `UPDATE ${schema}.indexer SET status = $2, status_at = ${schema}.clock() WHERE token = $1 RETURNING 1`,
  /** The status and its age. */
  status: `SELECT status, ${schema}.clock() - status_at FROM ${schema}.indexer`,
})

/** For chains whose tables are distributed over Citus nodes. */
const ofMarks = (schema: string) => ({
  /** A write's changes on a node form one transaction there. */
  oneConnection: "SELECT set_config('citus.multi_shard_modify_mode', 'sequential', true)",
  /** Fails on a node whose mark has another serial. Parameters: serial. */
  lockMarks: `UPDATE ${schema}.mark SET serial = CASE WHEN serial = $1 THEN serial ELSE 1 / (serial - serial) END`,
  /** Parameters: serial, whether the write only adds rows above the head. */
  moveMarks: `UPDATE ${schema}.mark SET serial = $1, since = CASE WHEN $2::bool THEN since ELSE $1 END`,
})
