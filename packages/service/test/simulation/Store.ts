/** The store of a simulated world: a SQLite file in memory, or a schema of a PostgreSQL database. */
import { existsSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"
import * as Disk from "./Disk.ts"
import * as FileRows from "./FileRows.ts"
import * as Server from "./Server.ts"
import type { StoredRows } from "./StoredRows.ts"
import type { VirtualTime } from "./VirtualTime.ts"

export interface Store {
  readonly url: string
  /** Failures that its statements may have. */
  readonly failures: ReadonlyArray<Disk.Failure>
  /** Rows as of the last commit; `undefined` while there are no tables. */
  readonly rows: () => StoredRows | undefined
  /** Reads all rows again. */
  readonly refresh: () => Promise<void>
  /** Reads the store without fault injection. */
  readonly outside: <A>(work: () => A) => A
  /** Enables the fault injection. */
  readonly begin: (disk: Disk.Disk) => void
  readonly close: () => void
}

/** A folder in memory, if the system has one, because a simulation creates many small files. */
const memory = "/dev/shm"
const ofDisk = ["disk full", "disk failed", "locked"] as const

/** A new SQLite file. */
export const sqlite = (): Store => {
  const folder = mkdtempSync(join(existsSync(memory) ? memory : tmpdir(), "daybook-simulation-"))
  const file = FileRows.make(join(folder, "chain-eth.sqlite"))
  return {
    url: `sqlite:${folder}`,
    failures: ofDisk,
    rows: file.open,
    refresh: async () => undefined,
    outside: Disk.outside,
    begin: (disk) => {
      Disk.install()
      Disk.use(disk)
    },
    close: () => {
      Disk.use(null)
      file.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** The emptied database of a server. */
export const postgres = async (server: Server.Server, time: VirtualTime): Promise<Store> => {
  const rows = await Effect.runPromise(server.clear)
  return {
    url: server.url,
    failures: [...ofDisk, "connection lost", "response lost"],
    rows: rows.rows,
    refresh: () => Effect.runPromise(rows.fetch("all")),
    outside: (work) => work(),
    begin: (disk) => {
      Server.install()
      Server.use({ server, rows, time, disk })
    },
    close: () => Server.use(null),
  }
}
