/**
 * The tables of a chain's file and every statement on them. Plain SQL with the chain first in each key, so that another engine
 * can hold several chains in one database and spread `appearance` by address.
 */
import * as RowId from "./RowId.ts"
import * as Migrations from "./Migrations.ts"

/**
 * The file of one chain.
 *
 * `transaction` keeps its addresses beside the body, 20 bytes each, so that an unwind deletes exactly the appearances that the
 * append made. `checkpoint.watch` is a JSON array of the wallets that are indexed, null for all. `block.transactions` is how
 * many rows the block has, null where an older version wrote it. `transaction.id` is the row's place (`RowId`), so that a page
 * finds each of its rows by one number. `unwound.lowest` is the lowest block removed since that block was. The status of the indexer and its lease
 * stand in the checkpoint's row, which exists from the start; its block is null while the index is empty.
 */
export const schema: Migrations.Migrations = {
  applicationId: Migrations.chainId,
  steps: [
    `CREATE TABLE block (
       chain INTEGER NOT NULL,
       number INTEGER NOT NULL,
       hash BLOB NOT NULL,
       parent_hash BLOB NOT NULL,
       timestamp INTEGER NOT NULL,
       PRIMARY KEY (chain, number)
     ) WITHOUT ROWID;
     CREATE INDEX block_timestamp ON block (chain, timestamp, number);
     CREATE TABLE "transaction" (
       chain INTEGER NOT NULL,
       block INTEGER NOT NULL,
       tx_index INTEGER NOT NULL,
       decoder_revision INTEGER NOT NULL,
       hash BLOB NOT NULL,
       addresses BLOB NOT NULL,
       body TEXT NOT NULL,
       internal TEXT,
       PRIMARY KEY (chain, block, tx_index)
     );
     CREATE INDEX transaction_decoder_revision ON "transaction" (chain, decoder_revision, block, tx_index);
     CREATE TABLE appearance (
       chain INTEGER NOT NULL,
       address BLOB NOT NULL,
       block INTEGER NOT NULL,
       tx_index INTEGER NOT NULL,
       PRIMARY KEY (chain, address, block, tx_index)
     ) WITHOUT ROWID;
     CREATE TABLE checkpoint (
       chain INTEGER NOT NULL PRIMARY KEY,
       first INTEGER,
       number INTEGER,
       hash BLOB,
       timestamp INTEGER,
       finalized INTEGER,
       lease_owner TEXT,
       lease_until INTEGER,
       status TEXT
     );
     CREATE TABLE unwound (
       chain INTEGER NOT NULL,
       number INTEGER NOT NULL,
       hash BLOB NOT NULL,
       lowest INTEGER NOT NULL,
       PRIMARY KEY (chain, number, hash)
     ) WITHOUT ROWID;`,
    `ALTER TABLE checkpoint ADD COLUMN watch TEXT;
     ALTER TABLE block ADD COLUMN transactions INTEGER;`,
    `CREATE TABLE document (
       id INTEGER PRIMARY KEY,
       chain INTEGER NOT NULL,
       block INTEGER NOT NULL,
       tx_index INTEGER NOT NULL,
       decoder_revision INTEGER NOT NULL,
       hash BLOB NOT NULL,
       addresses BLOB NOT NULL,
       body TEXT NOT NULL,
       internal TEXT
     );
     INSERT INTO document
       SELECT block * 1048576 + tx_index, chain, block, tx_index, decoder_revision, hash, addresses, body, internal
       FROM "transaction" ORDER BY block, tx_index;
     DROP TABLE "transaction";
     ALTER TABLE document RENAME TO "transaction";
     CREATE INDEX transaction_decoder_revision ON "transaction" (chain, decoder_revision);`,
    `ALTER TABLE checkpoint ADD COLUMN lease_since INTEGER;
     ALTER TABLE checkpoint ADD COLUMN lease_token INTEGER NOT NULL DEFAULT 0;
     ALTER TABLE checkpoint ADD COLUMN status_at INTEGER;
     UPDATE checkpoint SET
       status_at = json_extract(status, '$.updatedAtMillis'),
       status = json_set(json_remove(status, '$.updatedAtMillis'), '$.state', CASE json_extract(status, '$.state')
         WHEN 'following' THEN 'synced' WHEN 'refused' THEN 'misconfigured' ELSE json_extract(status, '$.state') END)
       WHERE json_valid(status);`,
  ],
}

const row = `t.block, t.tx_index, t.body, t.decoder_revision, t.internal`

const page = (internal: "t.internal" | "NULL") => `SELECT a.block, a.tx_index, t.body, t.decoder_revision, ${internal}
  FROM appearance a
  JOIN "transaction" t ON t.id = a.block * ${RowId.ofBlock} + a.tx_index
  WHERE a.chain = ? AND a.address = ?`

const up = `AND (a.block, a.tx_index) > (?, ?) AND a.block <= ? ORDER BY a.block, a.tx_index LIMIT ?`
const down = `AND (a.block, a.tx_index) < (?, ?) AND a.block >= ? ORDER BY a.block DESC, a.tx_index DESC LIMIT ?`

/** Rows of a wallet above a place, up to a block. Parameters: chain, address, place (block, index), last block, limit. */
export const pageUp = `${page("NULL")} ${up}`

/** Rows of a wallet below a place, down to a block. Parameters: chain, address, place (block, index), first block, limit. */
export const pageDown = `${page("NULL")} ${down}`

/** `pageUp` with internal transactions. */
export const pageUpInternal = `${page("t.internal")} ${up}`

/** `pageDown` with internal transactions. */
export const pageDownInternal = `${page("t.internal")} ${down}`

/** Parameters: chain. */
export const checkpoint = `SELECT first, number, hash, timestamp, finalized, watch FROM checkpoint WHERE chain = ?`

/** Parameters: chain, number. */
export const block = `SELECT number, hash, timestamp FROM block WHERE chain = ? AND number = ?`

/** Parameters: chain, from, to. */
export const headers = `SELECT number, hash FROM block WHERE chain = ? AND number BETWEEN ? AND ? ORDER BY number`

/** Parameters: chain, timestamp. */
export const firstAtOrAfter = `SELECT number FROM block WHERE chain = ? AND timestamp >= ?
  ORDER BY timestamp, number LIMIT 1`

/** Parameters: chain, timestamp. */
export const lastAtOrBefore = `SELECT number FROM block WHERE chain = ? AND timestamp <= ?
  ORDER BY timestamp DESC, number DESC LIMIT 1`

/** Parameters: chain, number, hash. */
export const lowestReorgedBlock = `SELECT lowest FROM unwound WHERE chain = ? AND number = ? AND hash = ?`

/** Parameters: chain. */
export const status = `SELECT status, status_at AS writtenAt FROM checkpoint WHERE chain = ?`

/** The next revision above one. Parameters: chain, revision. */
export const nextRevision = `SELECT decoder_revision AS revision FROM "transaction"
  WHERE chain = ? AND decoder_revision > ? ORDER BY decoder_revision LIMIT 1`

/** Rows of a revision. Parameters: chain, revision, limit. */
export const ofRevision = `SELECT ${row}, b.hash FROM "transaction" t
  JOIN block b ON b.chain = t.chain AND b.number = t.block
  WHERE t.chain = ? AND t.decoder_revision = ? ORDER BY t.id LIMIT ?`

/** A chain in the file that is not the given one. Parameters: chain. */
export const otherChain = `SELECT chain FROM checkpoint WHERE chain <> ? LIMIT 1`

/** Parameters: chain. */
export const claim = `INSERT INTO checkpoint (chain) VALUES (?) ON CONFLICT (chain) DO NOTHING`

/** Parameters: chain. */
export const watch = `SELECT number, watch FROM checkpoint WHERE chain = ?`

/** Parameters: watch, chain. */
export const setWatch = `UPDATE checkpoint SET watch = ? WHERE chain = ?`

/** Parameters: chain, number, hash, parent hash, timestamp, number of transactions. */
export const insertBlock = `INSERT INTO block (chain, number, hash, parent_hash, timestamp, transactions)
  VALUES (?, ?, ?, ?, ?, ?)`

/** Parameters: place, chain, block, index, revision, hash, addresses, body, internal. */
export const insertTransaction = `INSERT INTO "transaction"
  (id, chain, block, tx_index, decoder_revision, hash, addresses, body, internal) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`

/** Parameters: chain, address, block, index. */
export const insertAppearance = `INSERT INTO appearance (chain, address, block, tx_index) VALUES (?, ?, ?, ?)`

/** Parameters: first, number, hash, timestamp, chain. */
export const moveCheckpoint = `UPDATE checkpoint SET first = ?, number = ?, hash = ?, timestamp = ? WHERE chain = ?`

/** Parameters: first place, place after the last. */
export const addressesOf = `SELECT block, tx_index AS "index", addresses FROM "transaction" WHERE id >= ? AND id < ?`

/** Parameters: chain, address, block, index. */
export const deleteAppearance = `DELETE FROM appearance WHERE chain = ? AND address = ? AND block = ? AND tx_index = ?`

/** Parameters: first place to go. */
export const deleteTransactions = `DELETE FROM "transaction" WHERE id >= ?`

/** Parameters: chain, first block to go. */
export const deleteBlocks = `DELETE FROM block WHERE chain = ? AND number >= ?`

/** Lowers what earlier unwinds remember. Parameters: lowest, chain, lowest, lowest. */
export const lowerUnwound = `UPDATE unwound SET lowest = ? WHERE chain = ? AND number > ? AND lowest > ?`

/** Remembers blocks that go; one that was removed before keeps its entry. Parameters: lowest, chain, lowest, limit. */
export const rememberUnwound = `INSERT INTO unwound (chain, number, hash, lowest)
  SELECT chain, number, hash, ? FROM block WHERE chain = ? AND number >= ? ORDER BY number DESC LIMIT ?
  ON CONFLICT (chain, number, hash) DO NOTHING`

/** Forgets what is below the highest ones. Parameters: chain, chain, how many to keep. */
export const forgetUnwound = `DELETE FROM unwound WHERE chain = ? AND number <=
  (SELECT number FROM unwound WHERE chain = ? ORDER BY number DESC LIMIT 1 OFFSET ?)`

/** Parameters: number, chain, number. */
export const finalize = `UPDATE checkpoint SET finalized = ? WHERE chain = ? AND (finalized IS NULL OR finalized < ?)`

/** Takes the mark down to a block, when the chain went deeper than what was final. Parameters: number, number, chain. */
export const unfinalize = `UPDATE checkpoint SET finalized = CASE WHEN finalized > ? THEN ? ELSE finalized END
  WHERE chain = ?`

/** One row when the token is the current one. Parameters: chain, token. */
export const isCurrentToken = `SELECT 1 FROM checkpoint WHERE chain = ? AND lease_token = ?`

/** Takes a free, expired or future lease, or one's own. Parameters: owner, now, until, chain, owner, now, now. */
export const acquireLease = `UPDATE checkpoint SET lease_owner = ?, lease_since = ?, lease_until = ?,
  lease_token = lease_token + 1
  WHERE chain = ? AND (lease_owner IS NULL OR lease_owner = ? OR lease_until <= ? OR lease_since > ?)
  RETURNING lease_token AS token`

/** Parameters: now, until, chain, token. */
export const renewLease = `UPDATE checkpoint SET lease_since = ?, lease_until = ?
  WHERE chain = ? AND lease_token = ? AND lease_owner IS NOT NULL RETURNING chain`

/** Parameters: chain, token. */
export const releaseLease = `UPDATE checkpoint SET lease_owner = NULL, lease_since = NULL, lease_until = NULL
  WHERE chain = ? AND lease_token = ?`

/** Parameters: status, now, chain, token. */
export const writeStatus = `UPDATE checkpoint SET status = ?, status_at = ?
  WHERE chain = ? AND lease_token = ? RETURNING chain`

/** Parameters: body, revision, place, chain, block, block hash. */
export const updateDecoded = `UPDATE "transaction" SET body = ?, decoder_revision = ?
  WHERE id = ?
  AND EXISTS (SELECT 1 FROM block WHERE chain = ? AND number = ? AND hash = ?)`
