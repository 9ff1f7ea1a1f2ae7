/** Measures the CPU time of a page in alternative layouts on Citus nodes, in the implemented layout, and on PostgreSQL. */
import { createHash } from "node:crypto"
import { readdirSync, readFileSync } from "node:fs"
import { PgClient } from "@effect/sql-pg"
import { Effect, Redacted } from "effect"
import { Reactivity } from "effect/reactivity"
import * as Appearances from "../../src/store/postgres/Appearances.ts"
import type { BlockRows } from "../../src/block/BlockRows.ts"
import * as Values from "../../src/store/postgres/Values.ts"
import * as Campaign from "../campaign/Campaign.ts"
import { address, blockOn } from "../store/model.ts"
import * as EmbeddedServer from "../store/postgres/EmbeddedServer.ts"
import * as TestServer from "../store/postgres/TestServer.ts"
import { ref } from "../store/TestDatabase.ts"
import * as TestStore from "../store/TestStore.ts"
import * as Layouts from "./Layouts.ts"
import * as Nodes from "./Nodes.ts"

const [blocks, transactionsOfBlock, wallets, blocksOfAppend] = [150, 100, 150, 10] as const
const bodyBytes = 350
const warmPages = 40
/** Rows of a page of 25, plus one that shows whether another page follows. */
const limit = 26

/** Incompressible bytes as hex. */
const incompressible = (seed: string): string => {
  let text = ""
  for (let part = 0; text.length < bodyBytes; part++)
    text += createHash("sha512").update(`${seed} ${part}`).digest("base64")
  return text.slice(0, bodyBytes)
}

const blockAfter = (parent: BlockRows | undefined, serial: number): BlockRows => {
  const walletOf = (at: number) => address(1 + (Math.imul(at, 7919) % wallets))
  const transactions = Array.from({ length: transactionsOfBlock }, (_, at) => [
    ...new Set([walletOf(serial + at), walletOf(3 * (serial + at) + 1)]),
  ])
  const block = blockOn(parent ?? null, { transactions })
  const rows = block.transactions.map((row) => ({
    ...row,
    internal: null,
    body: JSON.stringify({ text: incompressible(row.hash) }),
  }))
  return { ...block, transactions: rows }
}

const fill = Effect.fnUntraced(function* (url: string) {
  const store = yield* TestStore.open(yield* TestServer.connect(url), ref)
  let head: BlockRows | undefined
  for (let count = 0; count < blocks; count += blocksOfAppend) {
    const batch: Array<BlockRows> = []
    while (batch.length < blocksOfAppend) {
      batch.push(blockAfter(batch.at(-1) ?? head, (count + batch.length) * transactionsOfBlock))
    }
    yield* store.append(head === undefined ? null : { number: head.number, hash: head.hash }, batch)
    head = batch.at(-1)
  }
}, Effect.scoped)

/** Runs statements on one connection until the scope ends. */
const connect = Effect.fnUntraced(function* (url: string) {
  const client = yield* PgClient.make({ url: Redacted.make(url), maxConnections: 1, types: Values.types() }).pipe(
    Effect.provide(Reactivity.layer),
  )
  const connection = yield* client.reserve
  const run: Layouts.Run = (sql, params) => Effect.runPromise(connection.executeValues(sql, params))
  return run
})

const read = (file: string): string => {
  try {
    return readFileSync(file, "utf8")
  } catch {
    return ""
  }
}

/** Parent process id: the field after name and state. */
const parentOf = (pid: string): number => Number(/\) \w (\d+)/.exec(read(`/proc/${pid}/stat`))?.[1])

/** CPU time of all server processes so far; `roots` are the ids of the postmasters. */
const cpuMillis = (roots: ReadonlySet<number>): number => {
  let nanos = 0
  for (const pid of readdirSync("/proc")) {
    if (!/^\d+$/.test(pid) || !(roots.has(Number(pid)) || roots.has(parentOf(pid)))) continue
    nanos += Number(read(`/proc/${pid}/schedstat`).split(" ")[0])
  }
  return nanos / 1e6
}

const checkpointers = "SELECT pid::text FROM pg_stat_activity WHERE backend_type = 'checkpointer'"
const checkpointersOf = {
  PostgreSQL: checkpointers,
  nodes: `SELECT result FROM run_command_on_all_nodes($$${checkpointers}$$)`,
} as const

/** Ids of the postmasters. */
const rootsOf = (run: Layouts.Run, which: keyof typeof checkpointersOf) =>
  Effect.map(
    Effect.promise(() => run(checkpointersOf[which], [])),
    (rows): ReadonlySet<number> => new Set(rows.map(([pid]) => parentOf(String(pid)))),
  )

const placements = "SELECT table_name::text, shardid::text, nodeport FROM citus_shards"
const shardOfKey = "SELECT get_shard_id_for_distribution_column($1::regclass, $2::int8)::text"
const [histories, wide] = ["daybook_test.appearance", "wide.history"] as const

/** Shards of all tables, each with a connection to its node. The shard of each key is determined in advance. */
const shardsOf = Effect.fnUntraced(function* (coordinator: string, run: Layouts.Run, keys: ReadonlyArray<bigint>) {
  const connections = new Map<number, Layouts.Run>()
  const tables = new Map<string, Map<string, Layouts.Shard>>()
  for (const row of yield* Effect.promise(() => run(placements, []))) {
    const [table, id, port] = row as unknown as readonly [string, string, number]
    const url = new URL(coordinator)
    url.port = String(port)
    const connection = connections.get(port) ?? (yield* connect(url.href))
    connections.set(port, connection)
    const shards = tables.get(table) ?? new Map<string, Layouts.Shard>()
    tables.set(table, shards.set(id, { table: `${table}_${id}`, run: connection }))
  }
  const places = new Map<string, string>()
  for (const table of [histories, wide]) {
    for (const key of new Set(keys)) {
      const [[id]] = (yield* Effect.promise(() => run(shardOfKey, [Values.text(table), Values.big(key)]))) as [[string]]
      places.set(`${table} ${key}`, id)
    }
  }
  const all = (table: string) => [...tables.get(table)!.values()]
  return {
    all,
    of: (table, key) => tables.get(table)!.get(places.get(`${table} ${key}`) ?? "") ?? all(table)[0]!,
  } satisfies Layouts.Shards
})

const nodeOfChain = "SELECT nodeport FROM citus_shards WHERE table_name::text = 'one.document'"

const sizes = `SELECT table_name::text, citus_total_relation_size(table_name)::float8 FROM citus_tables
  WHERE table_name::text IN ('daybook_test.appearance', 'daybook_test.document', 'wide.history') ORDER BY 1`

const quantile = (numbers: ReadonlyArray<number>, part: number): number =>
  numbers.toSorted((one, other) => one - other)[Math.floor((numbers.length - 1) * part)]!

/** Starts servers that store the same chain in every layout; returns their readers. */
const prepare = Effect.fnUntraced(function* (
  bin: string,
  keys: ReadonlyArray<bigint>,
  print: Campaign.Output["print"],
) {
  const { url: postgres } = yield* Effect.acquireRelease(
    Effect.promise(() => EmbeddedServer.start(bin)),
    ({ stop }) => Effect.promise(stop),
  )
  const { database } = yield* Nodes.start({ bin, workers: 2 })
  const { url: coordinator } = yield* database("layouts")
  yield* fill(postgres)
  yield* fill(coordinator)
  const [plain, ofNodes] = [yield* connect(postgres), yield* connect(coordinator)]
  for (const { tables = [] } of Layouts.all) {
    for (const sql of tables) yield* Effect.promise(() => ofNodes(sql, []))
  }
  for (const run of [plain, ofNodes]) yield* Effect.promise(() => run("ANALYZE", []))
  for (const [table, bytes] of yield* Effect.promise(() => ofNodes(sizes, []))) {
    print(`${String(table)}: ${(Number(bytes) / (blocks * transactionsOfBlock)).toFixed(0)} bytes a transaction`)
  }
  const node = new URL(coordinator)
  node.port = String((yield* Effect.promise(() => ofNodes(nodeOfChain, [])))[0]![0])
  return {
    urls: { PostgreSQL: postgres, coordinator, node: node.href },
    roots: { PostgreSQL: yield* rootsOf(plain, "PostgreSQL"), nodes: yield* rootsOf(ofNodes, "nodes") },
    shards: yield* shardsOf(coordinator, ofNodes, keys),
  }
})

/** Milliseconds per page, by layout and round. */
const measure = Effect.fnUntraced(function* (
  bin: string,
  { pages, rounds }: { readonly pages: number; readonly rounds: number },
  print: Campaign.Output["print"],
) {
  const keys = Array.from({ length: pages }, (_, turn) => Appearances.keyOf(address(1 + (turn % wallets))))
  const { roots, shards, urls } = yield* prepare(bin, keys, print)
  const readers = yield* Effect.forEach(Layouts.all, (layout) =>
    Effect.map(connect(urls[layout.on]), (run) => ({ layout, run, millis: new Array<number>() })),
  )
  let expected: string | undefined
  for (let round = 0; round < rounds; round++) {
    for (const { layout, millis, run } of readers) {
      const servers = roots[layout.on === "PostgreSQL" ? "PostgreSQL" : "nodes"]
      const readPages = (count: number) =>
        Effect.promise(async () => {
          const pageIds: Array<ReadonlyArray<unknown>> = []
          for (const key of keys.slice(0, count)) pageIds.push(await layout.read(run, { key, limit }, shards))
          return JSON.stringify(pageIds)
        })
      yield* readPages(warmPages)
      const before = cpuMillis(servers)
      const pageRows = yield* readPages(pages)
      millis.push((cpuMillis(servers) - before) / pages)
      expected ??= pageRows
      if (pageRows !== expected) return yield* Effect.die(new Error(`${layout.name}: rows differ from PostgreSQL`))
    }
  }
  return readers
})

Campaign.main({
  name: "citus:layouts",
  about:
    "Measures the CPU time of all servers for a page of 25 rows in several layouts of a chain on Citus nodes, and on PostgreSQL with the same programs, in turns. Fails if the rows of a layout differ.",
  options: {
    bin: [
      process.env["DAYBOOK_TEST_CITUS_BIN"],
      "folder of the programs of a PostgreSQL installation that includes Citus",
    ],
    pages: [300, "pages per round"],
    rounds: [7, "rounds"],
  },
  plan: Effect.fnUntraced(function* ({ bin, ...counts }, { print }) {
    if (bin === undefined) {
      print("Skipped, because Citus is not available. Name the folder of its programs with --bin FOLDER.")
      return { cases: [] }
    }
    const readers = yield* measure(bin, counts, print)
    const base = quantile(readers[0]!.millis, 0.5)
    return {
      columns: ["layout", "ms, median", "least", "of PostgreSQL"],
      cases: readers.map(({ layout, millis }): Campaign.Case => {
        const median = quantile(millis, 0.5)
        const cells = [median.toFixed(2), quantile(millis, 0).toFixed(2), (median / base).toFixed(1)]
        return { name: layout.name, run: () => Effect.succeed(cells) }
      }),
    }
  }),
})
