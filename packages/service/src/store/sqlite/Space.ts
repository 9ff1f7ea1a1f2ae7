/**
 * The disk space of a chain's file. A file that this version made gives free pages back in steps; one of an earlier version is written
 * anew once, by `VACUUM`.
 */
import * as Effect from "effect/Effect"
import type { Space as Interface } from "../Space.ts"
import type { ChainFile } from "./ChainFile.ts"
import type { Connection } from "./Connection.ts"
import type { WithFile } from "./Leases.ts"
import type { ChainRef } from "../ChainRef.ts"

const incremental = 2

const pragma = (connection: Connection, name: "page_size" | "page_count" | "freelist_count" | "auto_vacuum") =>
  connection.valuesUnsafe<readonly [number]>(`PRAGMA ${name}`, [])[0]![0]

const useUnsafe = ({ connection }: ChainFile) => {
  const pageBytes = pragma(connection, "page_size")
  return {
    bytes: pragma(connection, "page_count") * pageBytes,
    freeBytes: pragma(connection, "freelist_count") * pageBytes,
    isIncremental: pragma(connection, "auto_vacuum") === incremental,
  }
}

const releaseUnsafe = ({ connection }: ChainFile, maxBytes: number): void => {
  const pages = Math.max(1, Math.floor(maxBytes / pragma(connection, "page_size")))
  connection.scriptUnsafe(`PRAGMA incremental_vacuum(${pages})`)
}

/** The space of a chain; `withFile` opens its file for writing. */
export const make = (withFile: WithFile, chain: ChainRef): Interface => {
  const attempt = <A>(work: (file: ChainFile) => A) =>
    withFile(chain, (file) => file.connection.attempt(() => work(file)))
  return {
    use: attempt(useUnsafe),
    release: (maxBytes) =>
      withFile(chain, (file) => file.transaction(file.connection.attempt(() => releaseUnsafe(file, maxBytes)))),
    rebuild: Effect.asVoid(
      attempt(({ connection }) => connection.scriptUnsafe(`PRAGMA auto_vacuum=${incremental}; VACUUM`)),
    ),
  }
}
