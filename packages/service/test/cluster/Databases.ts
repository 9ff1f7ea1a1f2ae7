/**
 * A server of PostgreSQL and a streaming replica of it, which can be killed and started again. The replica begins with a copy of the folder
 * before the server was ever started, so that it needs no backup.
 */
import { execFileSync } from "node:child_process"
import { chmodSync, chownSync, cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"
import { copyPrograms, freePort, owner } from "../store/postgres/EmbeddedServer.ts"
import * as Member from "./Member.ts"

/** Gives a folder and what is in it to the user of the servers. */
const give = (folder: string): void => {
  if (owner.uid === undefined) return
  for (const name of ["", ...readdirSync(folder, { recursive: true, encoding: "utf8" })]) {
    chownSync(join(folder, name), owner.uid, owner.gid)
  }
}

const settings = ["listen_addresses=127.0.0.1", "unix_socket_directories=", "max_connections=200", "fsync=off"]
const environment = { LC_ALL: "C", TZ: "UTC" }

/** A folder with the programs, and with those of both servers. */
const initialise = (bin: string | undefined) => {
  const folder = mkdtempSync(join(tmpdir(), "daybook-postgres-"))
  chmodSync(folder, 0o755)
  if (bin === undefined) copyPrograms(join(folder, "native"))
  const programs = bin ?? join(folder, "native", "bin")
  const [primary, replica] = [join(folder, "primary"), join(folder, "replica")] as const
  mkdirSync(primary)
  give(primary)
  const args = ["-D", primary, "-U", "postgres", "-E", "UTF8", "--auth=trust", "--locale=C", "--no-sync"]
  execFileSync(join(programs, "initdb"), args, { ...owner, cwd: "/", env: environment, stdio: "ignore" })
  cpSync(primary, replica, { recursive: true })
  writeFileSync(join(replica, "standby.signal"), "")
  give(replica)
  chmodSync(replica, 0o700)
  return { folder, programs, primary, replica }
}

/** Makes both servers, which are not started yet; `bin` is a folder with their programs, and `logs` the one of their logs. */
export const make = Effect.fnUntraced(function* (logs: string, bin: string | undefined) {
  const made = yield* Effect.acquireRelease(
    Effect.sync(() => initialise(bin)),
    ({ folder }) => Effect.sync(() => rmSync(folder, { recursive: true, force: true })),
  )
  const ports = { primary: yield* Effect.promise(freePort), replica: yield* Effect.promise(freePort) }
  const memberOf = (name: "primary" | "replica", more: ReadonlyArray<string>) =>
    Member.make({
      name,
      file: join(made.programs, "postgres"),
      log: join(logs, `${name}.log`),
      env: environment,
      ...owner,
      args: ["-D", made[name], ...[...settings, `port=${ports[name]}`, ...more].flatMap((setting) => ["-c", setting])],
    })
  const urlOf = (port: number) => `postgres://postgres@127.0.0.1:${port}/postgres`
  const upstream = `primary_conninfo=host=127.0.0.1 port=${ports.primary} user=postgres`
  return {
    primary: memberOf("primary", ["wal_keep_size=1GB"]),
    replica: memberOf("replica", [upstream, "hot_standby_feedback=on"]),
    urls: { primary: urlOf(ports.primary), replica: urlOf(ports.replica) },
  }
})
