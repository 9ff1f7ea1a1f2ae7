/**
 * Alternative layouts of a chain on Citus nodes, compared with the implemented one: their tables, filled from those of a chain, and the
 * statements that read a page.
 */
import * as DistributedStatements from "../../src/store/postgres/DistributedStatements.ts"
import * as Statements from "../../src/store/postgres/Statements.ts"
import * as Values from "../../src/store/postgres/Values.ts"

/** Runs a statement; returns its rows. */
export type Run = (sql: string, params: ReadonlyArray<Values.Value>) => Promise<ReadonlyArray<ReadonlyArray<unknown>>>

/** Query of a page: a history and the number of rows. */
export interface Page {
  readonly key: bigint
  readonly limit: number
}

/** A shard: its table, and a connection to its node. */
export interface Shard {
  readonly table: string
  readonly run: Run
}

/** Shards of a table: the one with the rows of a key, and all of them. */
export interface Shards {
  readonly of: (table: string, key: bigint) => Shard
  readonly all: (table: string) => ReadonlyArray<Shard>
}

export interface Layout {
  readonly name: string
  /** The server that the reader connects to. */
  readonly on: "PostgreSQL" | "coordinator" | "node"
  /** Statements on the coordinator that create its tables. */
  readonly tables?: ReadonlyArray<string>
  /** Reads the row ids of a page, newest first, with its checkpoint and its transactions. */
  readonly read: (run: Run, page: Page, shards: Shards) => Promise<ReadonlyArray<unknown>>
}

const schema = "daybook_test"
const [undistributed, distributed] = [Statements.make(schema), DistributedStatements.make(schema).sql]
const serialAt = 7
const maxId = Number.MAX_SAFE_INTEGER
const documentColumns = Statements.documentColumns("d")

const snapshotParams = [Values.bytes(null), Values.bigs([]), Values.text("transactions")]
const begin = (run: Run) => run(undistributed.beginSnapshot, [...snapshotParams, Values.text("10s")])
const pageParams = ({ key, limit }: Page) => [key, 0, maxId, limit].map(Values.big)

const idsOf = (rows: ReadonlyArray<ReadonlyArray<unknown>>, at = 0): ReadonlyArray<number> =>
  // Sound: the column contains row ids, or null in rows of another kind.
  rows.map((row) => row[at] as number | null).filter((id) => id !== null)

const inTransaction =
  (read: Layout["read"]): Layout["read"] =>
  async (run, page, shards) => {
    await run("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", [])
    const ids = await read(run, page, shards)
    await run("ROLLBACK", [])
    return ids
  }

/** Statements of the implemented layout. */
const built: Layout["read"] = async (run, page) => {
  const serial = Values.big((await begin(run))[0]![serialAt] as number)
  const ids = idsOf(await run(distributed.pageDown, [...pageParams(page), serial]))
  await run(distributed.documentsOf, [Values.bigs(ids), serial])
  return ids
}

/** Distribution values whose hashes belong to the first and the second of two shards. */
const parts = [1, 2] as const
const partOf = (id: string) => `1 + ${id} % 2`

/** Transactions distributed over a fixed number of shards, each named by a statement, so that its plan is cached. */
const inParts: Layout["read"] = async (run, page) => {
  const serial = Values.big((await begin(run))[0]![serialAt] as number)
  const ids = idsOf(await run(distributed.pageDown, [...pageParams(page), serial]))
  for (const part of parts) {
    const partIds = Values.bigs(ids.filter((id) => 1 + (id % parts.length) === part))
    await run(
      `SELECT d.id, ${documentColumns} FROM parts.document d
       WHERE part = $1 AND id = ANY($2::int8[]) AND ${schema}.proved($3)`,
      [Values.int(part), partIds, serial],
    )
  }
  return ids
}

/** The same tables, read from the nodes by shard name without the coordinator. */
const onNodes: Layout["read"] = async (run, page, shards) => {
  const serial = Values.big((await begin(run))[0]![serialAt] as number)
  const history = shards.of(`${schema}.appearance`, page.key)
  const sql = distributed.pageDown.replace(`${schema}.appearance`, history.table)
  const ids = idsOf(await history.run(sql, [...pageParams(page), serial]))
  for (const { run: ofNode, table } of shards.all(`${schema}.document`)) {
    const documents = distributed.documentsOf.replace(`${schema}.document`, table)
    await ofNode(documents, [Values.bigs(ids), serial])
  }
  return ids
}

const partTables = [
  "CREATE SCHEMA parts",
  `CREATE TABLE parts.document AS SELECT 0::int4 AS part, d.* FROM ${schema}.document d LIMIT 0`,
  "ALTER TABLE parts.document ADD PRIMARY KEY (part, id)",
  "SELECT create_distributed_table('parts.document', 'part', shard_count := 2, colocate_with := 'none')",
  `INSERT INTO parts.document SELECT (${partOf("id")})::int4, d.* FROM ${schema}.document d`,
]

const colocatedRows = (more: string) => `SELECT id, ${documentColumns}${more} FROM wide.history d
  WHERE key = $1 AND id BETWEEN $2 AND $3`
const pageEnd = "ORDER BY id DESC LIMIT $4"

/** Transactions colocated with each history that refers to them. */
const colocated: Layout["read"] = async (run, page) => {
  const serial = Values.big((await begin(run))[0]![serialAt] as number)
  return idsOf(await run(`${colocatedRows("")} AND ${schema}.proved($5) ${pageEnd}`, [...pageParams(page), serial]))
}

/** The colocated layout, read from the node of the history by shard name. */
const colocatedOnNode: Layout["read"] = async (run, page, shards) => {
  const serial = Values.big((await begin(run))[0]![serialAt] as number)
  const { run: ofNode, table } = shards.of("wide.history", page.key)
  const sql = `${colocatedRows("")} AND ${schema}.proved($5) ${pageEnd}`.replace("wide.history", table)
  return idsOf(await ofNode(sql, [...pageParams(page), serial]))
}

const colocatedTables = [
  "CREATE SCHEMA wide",
  `CREATE TABLE wide.history AS SELECT 0::int8 AS key, d.* FROM ${schema}.document d LIMIT 0`,
  "ALTER TABLE wide.history ADD PRIMARY KEY (key, id)",
  "SELECT create_distributed_table('wide.history', 'key', shard_count := 32, colocate_with := 'none')",
  "SET citus.enable_repartition_joins = on",
  `INSERT INTO wide.history SELECT a.key, d.* FROM ${schema}.appearance a JOIN ${schema}.document d ON d.id = a.id`,
  `CREATE TABLE wide.state AS SELECT c.*, ARRAY(SELECT name FROM ${schema}.counter) AS counted,
    ARRAY(SELECT count FROM ${schema}.counter) AS counts FROM ${schema}.checkpoint c`,
  "SELECT create_reference_table('wide.state')",
  `DO $do$ BEGIN EXECUTE format('CREATE FUNCTION wide.head() RETURNS text LANGUAGE sql STABLE AS
    ''SELECT s::text FROM wide.%I s''', (SELECT 'state_' || shardid FROM pg_dist_shard WHERE logicalrelid = 'wide.state'::regclass));
   END $do$`,
]

const columnTypes = `id int8, revision int4, form int4, size int4, internal_size int4, hash bytea, addresses bytea, frame bytea,
  checksum int4`

/** Creates a function that runs on the node with the rows of its first argument. */
const functionOn = (name: string, parameters: string, result: string, table: string, query: string) => [
  `CREATE FUNCTION ${name}(${parameters}) RETURNS ${result} LANGUAGE plpgsql STABLE AS
   $do$ #variable_conflict use_column
   BEGIN RETURN QUERY ${query}; END $do$`,
  `SELECT create_distributed_function(oid::regprocedure, '$1', colocate_with := '${table}', force_delegation := true)
   FROM pg_proc WHERE oid = '${name}'::regproc`,
]

const pageParameters = "int8, int8, int8, int8, int8"
const provedPageEnd = `AND ${schema}.proved($5) ${pageEnd}`

/** Functions that read pages of the colocated layout. */
const colocatedFunctions = [
  ...functionOn(
    "wide.page",
    pageParameters,
    `TABLE (${columnTypes})`,
    "wide.history",
    `${colocatedRows("")} ${provedPageEnd}`,
  ),
  ...functionOn(
    "wide.whole",
    "int8, int8, int8, int8",
    `TABLE (${columnTypes}, head text)`,
    "wide.history",
    `${colocatedRows(", wide.head()")} ${pageEnd}`,
  ),
]

const partOfDocuments = `SELECT d.id, ${documentColumns} FROM parts.document d
  WHERE part = $1 AND id = ANY($2) AND ${schema}.proved($3)`

/** Functions that read histories, and transactions distributed over shards. */
const partFunctions = [
  ...functionOn("parts.history", pageParameters, "SETOF int8", `${schema}.appearance`, distributed.pageDown),
  ...functionOn("parts.documents", "int4, int8[], int8", `TABLE (${columnTypes})`, "parts.document", partOfDocuments),
]

const inPartsByFunctions: Layout["read"] = async (run, page) => {
  const serial = Values.big((await begin(run))[0]![serialAt] as number)
  const ids = idsOf(await run("SELECT * FROM parts.history($1, $2, $3, $4, $5)", [...pageParams(page), serial]))
  for (const part of parts) {
    const partIds = Values.bigs(ids.filter((id) => 1 + (id % parts.length) === part))
    await run("SELECT * FROM parts.documents($1, $2, $3)", [Values.int(part), partIds, serial])
  }
  return ids
}

const colocatedByFunction: Layout["read"] = async (run, page) => {
  const serial = Values.big((await begin(run))[0]![serialAt] as number)
  return idsOf(await run("SELECT * FROM wide.page($1, $2, $3, $4, $5)", [...pageParams(page), serial]))
}

/** Tables that a page reads; all others would be colocated with them. */
const copied = ["checkpoint", "counter", "proof", "projection", "block", "appearance", "document"]

const singleNodeTables = [
  "SET citus.enable_schema_based_sharding = on",
  "CREATE SCHEMA one",
  ...copied.flatMap((table) => [
    `CREATE TABLE one.${table} (LIKE ${schema}.${table} INCLUDING DEFAULTS INCLUDING INDEXES)`,
    `INSERT INTO one.${table} SELECT * FROM ${schema}.${table}`,
  ]),
  "RESET citus.enable_schema_based_sharding",
]

const nextAt = 24
/** Reads a page in one statement. */
const single =
  (statements: Statements.Statements): Layout["read"] =>
  async (run, page) => {
    const params = [...snapshotParams, ...pageParams(page), Values.big(page.limit)]
    const ids = idsOf(await run(statements.snapshotWithPageDown, params), nextAt)
    return ids.toSorted((one, other) => other - one)
  }
const one = Statements.make("one")

/** Reads a page in one statement from the shards of a chain that is on one node. */
const singleOnNode: Layout["read"] = async (_, page, shards) => {
  const tableOf = (table: string) => shards.of(table, page.key)
  const sql = one.snapshotWithPageDown.replaceAll(/\bone\.\w+/g, (table) => tableOf(table).table)
  const params = [...snapshotParams, ...pageParams(page), Values.big(page.limit)]
  const ids = idsOf(await tableOf("one.document").run(sql, params), nextAt)
  return ids.toSorted((first, other) => other - first)
}

const coordinator = "coordinator"

export const all: ReadonlyArray<Layout> = [
  { name: "PostgreSQL, one statement", on: "PostgreSQL", read: single(undistributed) },
  { name: "transactions by row id, as implemented", on: coordinator, read: inTransaction(built) },
  { name: "by row id, without a transaction", on: coordinator, read: built },
  { name: "by row id, read on the nodes as shards", on: coordinator, read: onNodes },
  {
    name: "in two shards, one statement each",
    on: coordinator,
    tables: [...partTables, ...partFunctions],
    read: inTransaction(inParts),
  },
  {
    name: "colocated with each history",
    on: coordinator,
    tables: [...colocatedTables, ...colocatedFunctions],
    read: inTransaction(colocated),
  },
  {
    name: "colocated with each history, with the checkpoint on each node: one statement",
    on: coordinator,
    read: async (run, page) => idsOf(await run(`${colocatedRows(", wide.head()")} ${pageEnd}`, pageParams(page))),
  },
  { name: "in two shards, by functions of the nodes", on: coordinator, read: inTransaction(inPartsByFunctions) },
  {
    name: "colocated with each history, by a function of its node",
    on: coordinator,
    read: inTransaction(colocatedByFunction),
  },
  {
    name: "colocated with each history and the checkpoint, by a function of its node: one statement",
    on: coordinator,
    read: async (run, page) => idsOf(await run("SELECT * FROM wide.whole($1, $2, $3, $4)", pageParams(page))),
  },
  { name: "colocated with each history, read on its node as a shard", on: coordinator, read: colocatedOnNode },
  { name: "a chain on one node, one statement", on: coordinator, tables: singleNodeTables, read: single(one) },
  { name: "a chain on one node, read there", on: "node", read: single(one) },
  { name: "a chain on one node, read there as shards", on: "node", read: singleOnNode },
]
