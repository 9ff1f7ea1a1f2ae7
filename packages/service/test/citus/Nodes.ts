/**
 * A Citus coordinator and nodes on free ports of this machine until the scope ends, each with a standby that receives its writes through
 * a proxy.
 */
import { rmSync } from "node:fs"
import { Effect } from "effect"
import { freePort } from "@daybook/harness/FreePort"
import * as Proxy from "../replicas/Proxy.ts"
import * as EmbeddedServer from "../store/postgres/EmbeddedServer.ts"
import * as TestServer from "../store/postgres/TestServer.ts"

export interface Options {
  /** Folder with the programs of a PostgreSQL installation that includes Citus. */
  readonly bin: string
  readonly workers: number
  /** Replication delay of standbys. Default: no standbys. */
  readonly delayMillis?: number
}

/** A server with its standby, if any. */
export interface Node {
  readonly url: string
  readonly standby: EmbeddedServer.RunningServer | undefined
  /** Suspends replication to the standby. */
  readonly hold: () => void
  /** Kills the server as in a crash. */
  readonly kill: () => Promise<void>
  /** Restarts the server on its port. */
  readonly restart: () => Promise<void>
}

export interface Cluster {
  readonly coordinator: Node
  readonly workers: ReadonlyArray<Node>
  /** Creates a database on every node. */
  readonly database: (name: string) => Effect.Effect<Database>
}

export interface Database {
  readonly url: string
  /** URL of the coordinator's standby, which reads from the standbys of the nodes. */
  readonly standbyUrl: string
}

const settings = [
  "shared_preload_libraries=citus",
  "citus.node_conninfo=sslmode=disable",
  "citus.recover_2pc_interval=2s",
  "wal_level=logical",
  "wal_keep_size=1GB",
  "max_prepared_transactions=200",
]

export const portOf = (url: string): number => Number(new URL(url).port)

const named = (url: string, database: string): string => {
  const changed = new URL(url)
  changed.pathname = `/${database}`
  return changed.href
}

/** Starts a server and its standby. */
const startNode = async ({ bin, delayMillis }: Options, ofStandby: ReadonlyArray<string>) => {
  const folders = await EmbeddedServer.initialisePair(bin)
  const port = await freePort()
  const launch = () => EmbeddedServer.launch(folders.primary, port, settings)
  let server = await launch()
  const link = await Proxy.start(port)
  const standby =
    delayMillis === undefined
      ? undefined
      : await EmbeddedServer.launch(folders.standby, await freePort(), [
          ...settings,
          `primary_conninfo=host=127.0.0.1 port=${link.port} user=postgres`,
          `recovery_min_apply_delay=${delayMillis}ms`,
          ...ofStandby,
        ])
  const node: Node = {
    url: server.url,
    standby,
    hold: link.hold,
    kill: () => server.kill(),
    restart: async () => {
      server = await launch()
    },
  }
  return {
    node,
    stop: async () => {
      await standby?.stop()
      link.stop()
      await server.stop()
      rmSync(folders.primary.folder, { recursive: true, force: true })
    },
  }
}

const node = (options: Options, ...ofStandby: ReadonlyArray<string>) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.promise(() => startNode(options, ofStandby)),
      ({ stop }) => Effect.promise(stop),
    ),
    (started) => started.node,
  )

const address = (url: string): string => `'127.0.0.1', ${portOf(url)}`

const makeDatabase = Effect.fnUntraced(function* (coordinator: Node, workers: ReadonlyArray<Node>, name: string) {
  for (const node of [coordinator, ...workers]) {
    yield* TestServer.rowsOf(node.url, `CREATE DATABASE "${name}"`)
    yield* TestServer.rowsOf(named(node.url, name), "CREATE EXTENSION citus")
  }
  const url = named(coordinator.url, name)
  yield* TestServer.rowsOf(url, `SELECT citus_set_coordinator_host(${address(url)}) IS NULL`)
  for (const node of workers) yield* TestServer.rowsOf(url, `SELECT citus_add_node(${address(node.url)})`)
  for (const { standby, url: primaryUrl } of [coordinator, ...workers]) {
    if (standby === undefined) continue
    yield* TestServer.rowsOf(url, `SELECT citus_add_secondary_node(${address(standby.url)}, ${address(primaryUrl)})`)
  }
  return { url, standbyUrl: named((coordinator.standby ?? coordinator).url, name) }
})

export const start = Effect.fnUntraced(function* (options: Options) {
  const coordinator = yield* node(options, "citus.use_secondary_nodes=always")
  const workers = yield* Effect.forEach(Array.from({ length: options.workers }), () => node(options))
  const database = (name: string) => makeDatabase(coordinator, workers, name)
  return { coordinator, workers, database } satisfies Cluster
})
