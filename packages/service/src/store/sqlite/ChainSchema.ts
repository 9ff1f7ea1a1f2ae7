/**
 * The tables of a chain's file, and the steps that migrate older ones. A step that was released is never edited.
 */
import * as Changes from "./Changes.ts"
import * as Checkpoints from "./Checkpoints.ts"
import * as Facts from "./Facts.ts"
import * as Gaps from "./Gaps.ts"
import * as Ledgers from "./Ledgers.ts"
import * as Migrations from "./Migrations.ts"
import * as Openings from "./Openings.ts"
import * as ProjectionCheckpoints from "./ProjectionCheckpoints.ts"
import * as Reconciled from "./Reconciled.ts"
import * as Statements from "./Statements.ts"
import * as Tokens from "./Tokens.ts"

/** The steps from this version on copy no rows. */
export const firstQuick = 3

/**
 * The file of one chain.
 *
 * `document` holds a transaction: its texts (see `Frame`), and the columns that these do not repeat; long texts lie in `large_document` and
 * `large_internal`. `history` holds the transactions of each wallet (see `Histories`). Blocks below `checkpoint.layout_from` lie in
 * `transaction` and `appearance` instead, as version 5 wrote them. Rows have a checksum (see `Checksum`).
 *
 * `checkpoint.watch` is a JSON array of the wallets that are indexed, null for all. `block.transactions` is how
 * many rows the block has, null where an older version wrote it. `document.id` is the row id (`RowId`), so that a page finds each
 * of its rows by one number. `unwound.lowest` is the lowest block removed since that block was. The checkpoint's row also
 * holds the lease and the status; it exists from the start, and its block is null while the index is empty. `projection.next` is the
 * first block that is not derived yet; `entry` holds the rows of projections with bodies of their own.
 *
 * `gap` holds what blocks lack (see `Gaps`), `facts` what documents do not state (see `Facts`). `change` is the log of changes of blocks
 * (see `Changes`), `ledger` roles and movements of wallets (see `Ledgers`), `opening` what
 * they held before the first block, `proof` and `reconciled` their last comparison with the chain (see `Openings`, `Proofs` and `Reconciled`), `token` how tokens describe themselves (see `Tokens`); `copying` has a row while the file is an unfinished copy of another one (see `Backup`).
 *
 * The column `chain` is redundant: a file holds one chain. Source: decision 0027.
 */
export const schema: Migrations.Migrations = {
  applicationId: Migrations.chainId,
  finish: (connection) => {
    ProjectionCheckpoints.sealUnsafe(connection)
    for (const [chain] of connection.valuesUnsafe<readonly [number]>(Statements.chains, [])) {
      Checkpoints.sealUnsafe(connection, chain)
      Changes.beginUnsafe(connection, chain)
    }
    Reconciled.fillUnsafe(connection)
  },
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
     ALTER TABLE checkpoint ADD COLUMN serial INTEGER NOT NULL DEFAULT 0;
     UPDATE checkpoint SET
       status_at = json_extract(status, '$.updatedAtMillis'),
       status = json_set(json_remove(status, '$.updatedAtMillis'), '$.state', CASE json_extract(status, '$.state')
         WHEN 'following' THEN 'synced' WHEN 'refused' THEN 'misconfigured' ELSE json_extract(status, '$.state') END)
       WHERE json_valid(status);
     CREATE TABLE projection (
       number INTEGER PRIMARY KEY,
       id TEXT NOT NULL UNIQUE,
       kind TEXT NOT NULL,
       revision INTEGER NOT NULL,
       next INTEGER
     );
     CREATE TABLE entry (
       projection INTEGER NOT NULL,
       id INTEGER NOT NULL,
       key BLOB NOT NULL,
       body TEXT NOT NULL,
       PRIMARY KEY (projection, id)
     ) WITHOUT ROWID;
     CREATE INDEX entry_key ON entry (projection, key, id);
     INSERT INTO projection (id, kind, revision, next)
       SELECT 'wallet_transactions', 'appearances', 1, number + 1 FROM checkpoint WHERE number IS NOT NULL;
     INSERT INTO projection (id, kind, revision, next)
       SELECT 'decoded_documents', 'documents', revision, number + 1 FROM checkpoint,
         (SELECT min(decoder_revision) AS revision, max(decoder_revision) AS last FROM "transaction")
       WHERE number IS NOT NULL AND revision = last;
     DROP INDEX transaction_decoder_revision;`,
    Gaps.migration,
    `CREATE TABLE document (
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
     CREATE TABLE history_copy (key BLOB NOT NULL, id INTEGER NOT NULL, PRIMARY KEY (key, id)) WITHOUT ROWID;
     ALTER TABLE block ADD COLUMN checksum INTEGER;
     ALTER TABLE projection ADD COLUMN checksum INTEGER;
     ALTER TABLE checkpoint ADD COLUMN layout_from INTEGER;
     ALTER TABLE checkpoint ADD COLUMN checksum INTEGER;
     UPDATE checkpoint SET layout_from = number + 1 WHERE number IS NOT NULL;`,
    Facts.migration,
    Changes.migration,
    Ledgers.migration,
    Openings.migration,
    Reconciled.migration,
    Tokens.migration,
    Tokens.searchMigration,
  ],
}
