/**
 * Writes a chain and reads pages through PgBouncer. With session pooling it behaves as the database does. With transaction pooling and
 * without prepared statements, the service rejects it with an error that names the cause, and never returns a wrong page.
 */
import { execFileSync } from "node:child_process"
import { chmodSync, chownSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect, type Scope } from "effect"
import { Eventually } from "@daybook/harness"
import { freePort } from "@daybook/harness/FreePort"
import * as Engine from "../../src/store/Engine.ts"
import type * as Campaign from "../campaign/Campaign.ts"
import * as Member from "../cluster/Member.ts"
import * as Walker from "../replicas/Walker.ts"
import * as World from "../replicas/World.ts"
import { pagesOf } from "../store/pages.ts"
import * as EmbeddedServer from "../store/postgres/EmbeddedServer.ts"
import * as TestServer from "../store/postgres/TestServer.ts"
import { temporaryFolder } from "../store/temporaryFolder.ts"
import { ref } from "../store/TestDatabase.ts"
import * as TestStore from "../store/TestStore.ts"

/** Modes in which PgBouncer assigns a server connection. */
export const modes = ["session", "transaction"] as const
export type Mode = (typeof modes)[number]

const file = "pgbouncer"
/** First minor version that supports prepared statements with transaction pooling. */
const firstThatKeeps = 21
const [readers, steps] = [4, 30] as const
const remedy = "A pooler in front of the database must pool sessions."

/** Version of PgBouncer as text, and its minor version; undefined if it is not installed. */
export const version = (): readonly [text: string, minor: number] | undefined => {
  try {
    const [text = "", minor = "0"] =
      /1\.(\d+)[\d.]*/.exec(execFileSync(file, ["--version"], { encoding: "utf8" })) ?? []
    return [text, Number(minor)]
  } catch {
    return undefined
  }
}

/** Starts PgBouncer for a server; returns the URL of the same database through it. */
const start = Effect.fnUntraced(function* (url: string, mode: Mode, keepsStatements: boolean) {
  const folder = yield* temporaryFolder
  const port = yield* Effect.promise(freePort)
  const { pathname, port: upstream, username } = new URL(url)
  const lines = [
    "[databases]",
    `* = host=127.0.0.1 port=${upstream}`,
    "[pgbouncer]",
    "listen_addr = 127.0.0.1",
    `listen_port = ${port}`,
    "unix_socket_dir =",
    "auth_type = any",
    `pool_mode = ${mode}`,
    "default_pool_size = 50",
    ...(keepsStatements && mode === "transaction" ? ["max_prepared_statements = 200"] : []),
  ]
  const ini = join(folder, "pgbouncer.ini")
  // With this authentication every client uses the server's user.
  writeFileSync(ini, lines.join("\n").replace("port=", `user=${username} port=`))
  const { gid, uid } = EmbeddedServer.owner
  chmodSync(folder, 0o755)
  if (uid !== undefined) chownSync(ini, uid, gid)
  yield* Member.running({ name: file, file, args: [ini], log: join(folder, "log"), ...EmbeddedServer.owner })
  const through = `postgres://${username}@127.0.0.1:${port}${pathname}`
  yield* Eventually.untilEffect(
    Effect.match(TestServer.rowsOf(through, "SELECT 1").pipe(Effect.sandbox), {
      onFailure: () => false,
      onSuccess: () => true,
    }),
    { withinMillis: 20_000, everyMillis: 50, what: "PgBouncer accepts connections" },
  )
  return through
})

/** Writes a chain and reads pages through PgBouncer; returns the cells of its row. */
export const run = Effect.fnUntraced(function* (
  direct: string,
  mode: Mode,
  { fail }: Campaign.Output,
): Effect.fn.Return<Campaign.Cells, unknown, Scope.Scope> {
  const [, minor] = version() ?? ["", 0]
  const isWorking = mode === "session" || minor >= firstThatKeeps
  const url = yield* start(yield* TestServer.blank(direct), mode, minor >= firstThatKeeps)
  const world = World.make(1)
  const failures = new Map<string, number>()
  const note = ({ message }: { readonly message: string }) =>
    Effect.sync(() => void failures.set(message, (failures.get(message) ?? 0) + 1))
  const database = yield* Engine.fromUrl(url, "/nowhere")
  const tally = { ...Walker.tally(), unavailable: failures }
  const pages = pagesOf(database)
  const walk = Walker.walk({ world, tally, limit: 7, first: pages, rest: pages, pauseMillis: 0, maxPages: 5 })
  const work = Effect.gen(function* () {
    const store = yield* TestStore.open(database, ref)
    yield* world.step(store)
    let isOver = false
    const writing = Effect.replicateEffect(world.step(store), steps, { discard: true }).pipe(
      Effect.ensuring(Effect.sync(() => void (isOver = true))),
    )
    const reading = Effect.repeat(walk, { until: () => isOver })
    yield* Effect.all([writing, ...Array.from({ length: readers }, () => reading)], { concurrency: "unbounded" })
  })
  yield* work.pipe(Effect.catch((error) => note(error as Error)))
  for (const message of failures.keys()) {
    if (isWorking ? !message.startsWith("Index changing") : !message.endsWith(remedy)) fail(message)
  }
  if (!isWorking && failures.size === 0) fail("prepared statements were not lost")
  if (isWorking && tally.pages === 0) fail("no page was read")
  Walker.report({ ...tally, unavailable: new Map() }, fail)
  const outcome = isWorking ? "works" : [...failures.keys()].join(" ")
  return [tally.pages, tally.torn, world.counts.appends, outcome]
})
