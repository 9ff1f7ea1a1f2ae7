/**
 * The key that encrypts webhook secrets: from the configuration, or a random one next to a SQLite database, in a file that only its owner
 * may read.
 *
 * Source: decision 0073.
 */
import { randomBytes } from "node:crypto"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { Config } from "../config/Config.ts"
import * as DatabaseUrl from "../config/DatabaseUrl.ts"
import { InvalidConfig } from "../config/InvalidConfig.ts"
import * as SecretFile from "../config/SecretFile.ts"

/** The settings of webhooks, with the key in use. */
export type Settings = NonNullable<Config["webhooks"]> & { readonly key: string }

/** Name of the file in the folder of the database. */
const fileName = "webhooks.key"

const keyBytes = 32

const form = /^[\w+/=-]{32,1000}\n?$/

const invalid = (received: string) => {
  const message = `Invalid configuration "webhooks.key": ${received} Set "webhooks": { "key": "\${WEBHOOK_KEY}" }, text of at least 32 characters.`
  return new InvalidConfig({ found: [{ path: "webhooks.key", message }] })
}

/** Contents of the file, which is created if missing. If several processes create it, all of them read what the first one wrote. */
const textIn = (file: string): Result.Result<SecretFile.SecretText, string> => {
  const made = SecretFile.make(file, `${randomBytes(keyBytes).toString("base64url")}\n`)
  return Result.isFailure(made) && made.failure !== "EEXIST" ? Result.fail(made.failure) : SecretFile.read(file)
}

/** The key in the text of a file. */
const keyIn = (
  file: string,
  found: Result.Result<SecretFile.SecretText, string>,
): Result.Result<string, InvalidConfig> => {
  if (Result.isFailure(found)) return Result.fail(invalid(`${file} cannot be read or created (${found.failure}).`))
  const { isOpen, text } = found.success
  if (isOpen) return Result.fail(invalid(`${file} is readable by others. Run "chmod 600" on the file.`))
  return form.test(text) ? Result.succeed(text.trimEnd()) : Result.fail(invalid(`${file} holds no key.`))
}

/** The key file of a database. */
const fileOf = (database: Config["database"], baseFolder: string): string =>
  // Sound: `Config.decode` requires a key for any other database.
  join(DatabaseUrl.folderOf(database, baseFolder)!, fileName)

/**
 * Reads the settings of a configuration with webhooks, once its database is open.
 *
 * **Errors**
 * - `InvalidConfig`: no key is configured, and none can be read or created in the folder of the database.
 */
export const settingsOf = Effect.fnUntraced(function* (
  settings: NonNullable<Config["webhooks"]>,
  database: Config["database"],
  baseFolder: string,
): Effect.fn.Return<Settings, InvalidConfig> {
  if (settings.key !== undefined) return { ...settings, key: settings.key }
  const file = fileOf(database, baseFolder)
  return { ...settings, key: yield* Effect.fromResult(keyIn(file, textIn(file))) }
})

/** Error codes of a file that the service would create, or that only the service may read. */
const unknown: ReadonlySet<string> = new Set(["EACCES", "ENOENT", "ENOTDIR"])

/**
 * Checks the key file if it exists and this process may read it. Creates none.
 *
 * **Errors**
 * - `InvalidConfig`: the service would reject it.
 */
export const check = (
  { key }: NonNullable<Config["webhooks"]>,
  database: Config["database"],
  baseFolder: string,
): Result.Result<unknown, InvalidConfig> => {
  if (key !== undefined) return Result.succeed(key)
  const file = fileOf(database, baseFolder)
  const found = SecretFile.read(file)
  return Result.isFailure(found) && unknown.has(found.failure) ? Result.succeed(null) : keyIn(file, found)
}
