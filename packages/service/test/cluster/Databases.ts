/**
 * A PostgreSQL server with a streaming replica, both of which can be killed and restarted. The replica starts from a copy of the data
 * folder made before the first start of the server, so that no base backup is needed.
 */
import { rmSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { freePort } from "@daybook/harness/FreePort"
import { type Cluster, initialisePair, owner } from "../store/postgres/EmbeddedServer.ts"
import * as Member from "./Member.ts"

const settings = ["listen_addresses=127.0.0.1", "unix_socket_directories=", "max_connections=200", "fsync=off"]
const environment = { LC_ALL: "C", TZ: "UTC" }

/** Creates both servers without starting them; `bin` is the folder of their programs, `logs` the folder of their logs. */
export const make = Effect.fnUntraced(function* (logs: string, bin: string | undefined) {
  const clusters = yield* Effect.acquireRelease(
    Effect.promise(() => initialisePair(bin)),
    ({ primary }) => Effect.sync(() => rmSync(primary.folder, { recursive: true, force: true })),
  )
  const ports = { primary: yield* Effect.promise(freePort), replica: yield* Effect.promise(freePort) }
  const memberOf = (name: "primary" | "replica", { bin, data }: Cluster, more: ReadonlyArray<string>) =>
    Member.make({
      name,
      file: join(bin, "postgres"),
      log: join(logs, `${name}.log`),
      env: environment,
      ...owner,
      args: ["-D", data, ...[...settings, `port=${ports[name]}`, ...more].flatMap((setting) => ["-c", setting])],
    })
  const urlOf = (port: number) => `postgres://postgres@127.0.0.1:${port}/postgres`
  const upstream = `primary_conninfo=host=127.0.0.1 port=${ports.primary} user=postgres`
  return {
    primary: memberOf("primary", clusters.primary, ["wal_keep_size=1GB"]),
    replica: memberOf("replica", clusters.standby, [upstream, "hot_standby_feedback=on"]),
    urls: { primary: urlOf(ports.primary), replica: urlOf(ports.replica) },
  }
})
