/**
 * Files that the URL of a PostgreSQL database names by libpq parameters: certificates of the authorities trusted for the server, and the
 * client certificate with its key. They are read when the database is opened.
 */
import { readFileSync } from "node:fs"
import { resolve } from "node:path"
import { createSecureContext } from "node:tls"
import * as Result from "effect/Result"
import { quote } from "@daybook/schema/Issue"
import * as ErrorCode from "./ErrorCode.ts"

/** Contents of the files as PEM; `undefined` for files that are not named. */
export interface DatabaseTls {
  readonly ca: string | undefined
  readonly cert: string | undefined
  readonly key: string | undefined
}

/**
 * Reads the files; `undefined` if a URL names none or disables TLS. Relative paths refer to `baseFolder`.
 *
 * **Errors**
 * - a sentence: a file cannot be read, or certificate and key do not belong together. It names the files and shows nothing else of the URL.
 */
export const read = (url: string, baseFolder: string): Result.Result<DatabaseTls | undefined, string> => {
  const { searchParams } = new URL(url)
  const [ca, cert, key] = ["sslrootcert", "sslcert", "sslkey"].map((name) => searchParams.get(name))
  const paths = [ca, cert, key].filter((path) => path != null)
  if (paths.length === 0 || searchParams.get("sslmode") === "disable") return Result.succeed(undefined)
  const readFile = (path: string | null | undefined) =>
    path == null ? undefined : readFileSync(resolve(baseFolder, path), "utf8")
  return Result.try({
    try: () => {
      const files = { ca: readFile(ca), cert: readFile(cert), key: readFile(key) }
      createSecureContext(files)
      return files
    },
    catch: (cause) =>
      `Cannot use the certificates of "database": ${paths.map((path) => quote(path)).join(", ")} (${ErrorCode.of(cause)}). Give the certificates and the key as PEM.`,
  })
}
