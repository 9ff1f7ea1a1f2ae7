/**
 * Disk space of a chain's file, whose free pages are released in steps.
 */
import type { Space as Interface } from "../Space.ts"
import type { ChainFile } from "./ChainFile.ts"
import type { Connection } from "./Connection.ts"
import type { WithFile } from "./Leases.ts"
import type { ChainRef } from "../ChainRef.ts"

const pragma = (connection: Connection, name: "page_size" | "page_count" | "freelist_count") =>
  connection.valuesUnsafe<readonly [number]>(`PRAGMA ${name}`, [])[0]![0]

const useUnsafe = ({ connection }: ChainFile) => {
  const pageBytes = pragma(connection, "page_size")
  return {
    bytes: pragma(connection, "page_count") * pageBytes,
    freeBytes: pragma(connection, "freelist_count") * pageBytes,
  }
}

const releaseUnsafe = ({ connection }: ChainFile, maxBytes: number): void => {
  const pages = Math.max(1, Math.floor(maxBytes / pragma(connection, "page_size")))
  connection.scriptUnsafe(`PRAGMA incremental_vacuum(${pages})`)
}

/** Space of a chain; `withFile` opens its file for writing. */
export const make = (withFile: WithFile, chain: ChainRef): Interface => {
  const attempt = <A>(work: (file: ChainFile) => A) =>
    withFile(chain, (file) => file.connection.attempt(() => work(file)))
  return {
    use: attempt(useUnsafe),
    release: (maxBytes) =>
      withFile(chain, (file) => file.transaction(file.connection.attempt(() => releaseUnsafe(file, maxBytes)))),
  }
}
