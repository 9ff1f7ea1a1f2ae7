/**
 * The tables of a chain's schema, and the steps that migrate released versions. A step that was released is never edited.
 *
 * `document` holds a transaction as the SQLite engine does; long texts are in its columns `large_…`, which a page reads only when it has
 * room. `appearance` holds the transactions of each wallet. `checkpoint` has the index's range and the fencing token that writes compare;
 * `indexer` has the lease and the status, so that an indexer's heartbeat never waits for its own append. `counter` counts rows. `clock` is
 * the clock of leases and statuses, in milliseconds. `checkpoint.distributed` states that the transactions, histories and ledgers are
 * distributed over nodes.
 *
 * Source: decision 0051.
 */
import * as JournalRow from "../rows/JournalRow.ts"
import * as Marks from "./Marks.ts"
import type * as Migrations from "./Migrations.ts"

/** The checkpoint and the indexer. */
const indexTables = (name: string): ReadonlyArray<string> => [
  `CREATE TABLE ${name}.checkpoint (
         one bool PRIMARY KEY DEFAULT true CHECK (one),
         chain int8 NOT NULL,
         first int8,
         number int8,
         hash bytea,
         timestamp int8,
         finalized int8,
         watch text,
         serial int8 NOT NULL DEFAULT 0,
         change int8 NOT NULL DEFAULT 0,
         token int8 NOT NULL DEFAULT 0,
         distributed bool NOT NULL DEFAULT false,
         checksum int4 NOT NULL
       ) WITH (fillfactor = 50)`,
  `CREATE TABLE ${name}.indexer (
         one bool PRIMARY KEY DEFAULT true CHECK (one),
         lease_owner text,
         lease_since int8,
         lease_until int8,
         token int8 NOT NULL DEFAULT 0,
         status text,
         status_at int8
       ) WITH (fillfactor = 50)`,
]

/** Blocks, the journal, and the removed blocks that it remembers. */
const blockTables = (name: string): ReadonlyArray<string> => [
  `CREATE TABLE ${name}.block (
         number int8 PRIMARY KEY,
         hash bytea NOT NULL,
         parent_hash bytea NOT NULL,
         timestamp int8 NOT NULL,
         transactions int4 NOT NULL,
         facts int4,
         checksum int4 NOT NULL
       )`,
  `CREATE INDEX block_timestamp ON ${name}.block (timestamp, number)`,
  `CREATE TABLE ${name}.change (
         change int8 PRIMARY KEY,
         kind int4 NOT NULL,
         lowest int8 NOT NULL,
         highest int8 NOT NULL,
         hash bytea,
         serial int8 NOT NULL,
         mark int8 NOT NULL,
         checksum int4 NOT NULL
       )`,
  `CREATE INDEX change_removed ON ${name}.change (change, lowest) WHERE kind = ${JournalRow.removeKind}`,
  `CREATE TABLE ${name}.removed (
         number int8 NOT NULL,
         hash bytea NOT NULL,
         change int8 NOT NULL,
         PRIMARY KEY (number, hash, change)
       )`,
  `CREATE INDEX removed_change ON ${name}.removed (change, number)`,
]

/** Transactions, and what blocks contain besides them. */
const transactionTables = (name: string): ReadonlyArray<string> => [
  `CREATE TABLE ${name}.document (
         id int8 PRIMARY KEY,
         revision int4 NOT NULL,
         form int4 NOT NULL,
         size int4 NOT NULL,
         internal_size int4,
         checksum int4 NOT NULL,
         large_checksum int4,
         large_internal_checksum int4,
         hash bytea,
         addresses bytea,
         frame bytea,
         large_frame bytea,
         large_internal bytea
       ) WITH (toast_tuple_target = 8160)`,
  // Frames are already compressed.
  ...["frame", "large_frame", "large_internal"].map(
    (column) => `ALTER TABLE ${name}.document ALTER COLUMN ${column} SET STORAGE EXTERNAL`,
  ),
  `CREATE TABLE ${name}.appearance (key int8 NOT NULL, id int8 NOT NULL, PRIMARY KEY (key, id))`,
  `CREATE TABLE ${name}.facts (
         block int8 PRIMARY KEY,
         dictionary int4 NOT NULL,
         size int4 NOT NULL,
         frame bytea NOT NULL
       )`,
  `ALTER TABLE ${name}.facts ALTER COLUMN frame SET STORAGE EXTERNAL`,
  `CREATE TABLE ${name}.gap (
         block int8 NOT NULL,
         position int4 NOT NULL,
         kind text NOT NULL,
         transaction bytea,
         reason bytea NOT NULL,
         PRIMARY KEY (block, position)
       )`,
]

/** What is derived from blocks. */
const derivedTables = (name: string): ReadonlyArray<string> => [
  `CREATE TABLE ${name}.counter (name text PRIMARY KEY, count int8 NOT NULL) WITH (fillfactor = 50)`,
  `CREATE TABLE ${name}.projection (
         number int4 PRIMARY KEY,
         id text NOT NULL UNIQUE,
         kind text NOT NULL,
         revision int4 NOT NULL,
         next int8,
         checksum int4 NOT NULL
       ) WITH (fillfactor = 50)`,
  `CREATE TABLE ${name}.entry (
         projection int4 NOT NULL,
         id int8 NOT NULL,
         key bytea NOT NULL,
         body bytea NOT NULL,
         PRIMARY KEY (projection, id)
       )`,
  `CREATE INDEX entry_key ON ${name}.entry (projection, key, id)`,
  `CREATE TABLE ${name}.ledger (
         id int8 NOT NULL,
         checksum int4 NOT NULL,
         wallet bytea NOT NULL,
         body bytea NOT NULL,
         PRIMARY KEY (wallet, id)
       )`,
  `CREATE TABLE ${name}.ledger_block (block int8 PRIMARY KEY, places bytea NOT NULL, checksum int4 NOT NULL)`,
  `CREATE FUNCTION ${name}.clock() RETURNS int8 LANGUAGE sql VOLATILE
         AS $$ SELECT (extract(epoch FROM clock_timestamp()) * 1000)::int8 $$`,
]

/** Wallet holdings before the first block, and comparisons of ledgers with the chain. */
const proofTables = (name: string): ReadonlyArray<string> => [
  `CREATE TABLE ${name}.opening (
     first int8 NOT NULL,
     checksum int4 NOT NULL,
     wallet bytea NOT NULL,
     holding bytea NOT NULL,
     amount bytea NOT NULL,
     PRIMARY KEY (wallet, holding)
   )`,
  `CREATE TABLE ${name}.opening_progress (
     one bool PRIMARY KEY DEFAULT true CHECK (one),
     first int8 NOT NULL,
     next int8 NOT NULL
   )`,
  `CREATE TABLE ${name}.proof (
     wallet bytea PRIMARY KEY,
     first int8 NOT NULL,
     block int8 NOT NULL,
     hash bytea NOT NULL,
     body bytea NOT NULL,
     checksum int4 NOT NULL,
     proved int8,
     proved_checksum int4
   )`,
]

/** Self-descriptions of tokens, and how far blocks were examined for them. */
const tokenTables = (name: string): ReadonlyArray<string> => [
  `CREATE TABLE ${name}.token (
     address bytea PRIMARY KEY,
     block int8 NOT NULL,
     name text,
     symbol text,
     decimals int4,
     checksum int4 NOT NULL
   )`,
  `CREATE TABLE ${name}.token_progress (
     one bool PRIMARY KEY DEFAULT true CHECK (one),
     first int8 NOT NULL,
     next int8 NOT NULL
   )`,
]

/** Search for tokens by symbol and name; letters are folded as SQLite does. */
const tokenSearch = (name: string): ReadonlyArray<string> =>
  ["symbol", "name"].map(
    (column) => `CREATE INDEX token_${column} ON ${name}.token ((lower(${column} COLLATE "C")), block)`,
  )

/** Finds transactions without a trace among any number of other gaps. */
const traceGaps = (name: string): ReadonlyArray<string> => [
  `CREATE INDEX gap_trace ON ${name}.gap (block) WHERE kind = 'trace'`,
]

/** Tables that are appended to and rarely changed. */
const appendedTables = ["block", "document", "appearance", "ledger", "ledger_block", "facts"]

/**
 * Index-only scans read the heap for pages that were never vacuumed. By default, at a fifth of the table, a table of three billion rows
 * would be vacuumed after 600 million inserts.
 */
const vacuuming = (name: string): ReadonlyArray<string> =>
  appendedTables.map(
    (table) => `ALTER TABLE ${name}.${table}
      SET (autovacuum_vacuum_insert_scale_factor = 0, autovacuum_vacuum_insert_threshold = 2000000)`,
  )

const tables = [indexTables, blockTables, transactionTables, derivedTables, proofTables, tokenTables, vacuuming]

/** Schema of one chain. */
export const schema: Migrations.Schema = {
  holds: "the index of a chain",
  firstVersion: 7,
  steps: [(name) => tables.flatMap((make) => make(name)), tokenSearch, traceGaps],
  created: Marks.distribute,
}
