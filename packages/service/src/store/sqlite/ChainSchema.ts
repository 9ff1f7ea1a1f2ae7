/**
 * Tables of a chain's file, and the steps that migrate released versions. A released step is never edited.
 */
import * as Facts from "./Facts.ts"
import * as Gaps from "./Gaps.ts"
import * as KeyRangeStatements from "./KeyRangeStatements.ts"
import * as Journal from "./Journal.ts"
import * as Ledgers from "./Ledgers.ts"
import * as Migrations from "./Migrations.ts"
import * as Openings from "./Openings.ts"
import * as Reconciled from "./Reconciled.ts"
import * as Tokens from "./Tokens.ts"

/** Blocks and the checkpoint. */
const index = `CREATE TABLE block (
    chain INTEGER NOT NULL,
    number INTEGER NOT NULL,
    hash BLOB NOT NULL,
    parent_hash BLOB NOT NULL,
    timestamp INTEGER NOT NULL,
    transactions INTEGER NOT NULL,
    facts INTEGER,
    checksum INTEGER NOT NULL,
    PRIMARY KEY (chain, number)
  ) WITHOUT ROWID;
  CREATE INDEX block_timestamp ON block (chain, timestamp, number);
  CREATE TABLE checkpoint (
    chain INTEGER NOT NULL PRIMARY KEY,
    first INTEGER,
    number INTEGER,
    hash BLOB,
    timestamp INTEGER,
    finalized INTEGER,
    watch TEXT,
    serial INTEGER NOT NULL DEFAULT 0,
    change INTEGER NOT NULL DEFAULT 0,
    checksum INTEGER NOT NULL,
    lease_owner TEXT,
    lease_since INTEGER,
    lease_until INTEGER,
    lease_token INTEGER NOT NULL DEFAULT 0,
    status TEXT,
    status_at INTEGER
  );`

/** Transactions and the histories of wallets. */
const transactions = `CREATE TABLE document (
    id INTEGER PRIMARY KEY,
    revision INTEGER NOT NULL,
    form INTEGER NOT NULL,
    size INTEGER NOT NULL,
    internal_size INTEGER,
    hash BLOB,
    addresses BLOB,
    frame BLOB,
    checksum INTEGER NOT NULL
  );
  CREATE TABLE large_document (id INTEGER PRIMARY KEY, frame BLOB NOT NULL, checksum INTEGER NOT NULL);
  CREATE TABLE large_internal (id INTEGER PRIMARY KEY, frame BLOB NOT NULL, checksum INTEGER NOT NULL);
  CREATE TABLE history (key BLOB NOT NULL, id INTEGER NOT NULL, PRIMARY KEY (key, id)) WITHOUT ROWID;
  CREATE TABLE history_copy (key BLOB NOT NULL, id INTEGER NOT NULL, PRIMARY KEY (key, id)) WITHOUT ROWID;`

/** Projections, with the rows of those that have their own bodies. */
const projections = `CREATE TABLE projection (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    kind TEXT NOT NULL,
    revision INTEGER NOT NULL,
    next INTEGER,
    checksum INTEGER
  );
  CREATE TABLE entry (
    projection INTEGER NOT NULL,
    id INTEGER NOT NULL,
    key BLOB NOT NULL,
    body TEXT NOT NULL,
    PRIMARY KEY (projection, id)
  ) WITHOUT ROWID;
  CREATE INDEX entry_key ON entry (projection, key, id);`

const tables = [index, transactions, projections, Gaps.tables, Facts.table, Journal.tables, Ledgers.tables]

/**
 * The file of one chain.
 *
 * `document` holds a transaction: its texts (see `Frame`), and the columns that these do not repeat; long texts lie in `large_document` and
 * `large_internal`. `history` holds the transactions of each wallet (see `Histories`). Rows have a checksum (see `Checksum`).
 *
 * `checkpoint.watch` is a JSON array of the wallets that are indexed, null for all. `document.id` is the row id (`RowId`), so that a
 * page finds each of its rows by one number. `checkpoint.change` is the newest one of the journal. The checkpoint's row
 * also holds the lease and the status; it exists from the start, and its block is null while the index is empty. `projection.next` is
 * the first block that is not derived yet.
 *
 * `copying` has a row while the file is an unfinished copy of another one (see `Backup`). The modules named like the other tables
 * describe them.
 *
 * The column `chain` is redundant: a file holds one chain. Source: decision 0027.
 */
export const schema: Migrations.Migrations = {
  applicationId: Migrations.chainId,
  firstVersion: 16,
  steps: [
    [...tables, Openings.tables, Reconciled.table, Tokens.tables].join("\n"),
    Tokens.searchIndexes,
    KeyRangeStatements.migration,
    Gaps.traceIndex,
  ],
}
