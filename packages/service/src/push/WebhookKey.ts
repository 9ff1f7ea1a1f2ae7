/**
 * The key that encrypts the secrets of webhooks: that of the configuration, or a random one beside a SQLite database, in a file that its owner
 * alone may read.
 *
 * Source: decision 0073.
 */
import { randomBytes } from "node:crypto"
import { readFileSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { quote } from "@daybook/schema/Issue"
import * as Effect from "effect/Effect"
import type { Config } from "../config/Config.ts"
import * as DatabaseUrl from "../config/DatabaseUrl.ts"
import { InvalidConfig } from "../config/InvalidConfig.ts"

/** The settings of webhooks, with the key in use. */
export type Settings = NonNullable<Config["webhooks"]> & { readonly key: string }

/** Name of the file in the folder of the database. */
export const fileName = "webhooks.key"

const keyBytes = 32

const form = /^[\w+/=-]{32,1000}\n?$/

const codeOf = (cause: unknown): string =>
  typeof cause === "object" && cause !== null && "code" in cause ? String(cause.code) : "unreadable"

const invalid = (received: string) => {
  const message = `Invalid configuration "webhooks.key": ${received} Set "webhooks": { "key": "\${WEBHOOK_KEY}" }, a text of 32 characters or more.`
  return new InvalidConfig({ found: [{ path: "webhooks.key", message }] })
}

/** The key in a file, which is made where there is none. Of two processes that make it, both read what the first one wrote. */
const keyIn = (folder: string): string => {
  const file = join(folder, fileName)
  try {
    writeFileSync(file, `${randomBytes(keyBytes).toString("base64url")}\n`, { flag: "wx", mode: 0o600 })
  } catch (cause) {
    if (codeOf(cause) !== "EEXIST") throw cause
  }
  return readFileSync(file, "utf8")
}

/**
 * The settings of a configuration with webhooks, whose database is open.
 *
 * **Errors**
 * - `InvalidConfig`: no key is configured, and none can be read or made in the folder of the database.
 */
export const settingsOf = Effect.fnUntraced(function* (
  settings: NonNullable<Config["webhooks"]>,
  database: Config["database"],
  baseFolder: string,
): Effect.fn.Return<Settings, InvalidConfig> {
  if (settings.key !== undefined) return { ...settings, key: settings.key }
  // Sound: `Config.decode` asks for a key beside any other database.
  const { location } = DatabaseUrl.schemeOf(typeof database === "string" ? database : database.url)!
  const path = resolve(baseFolder, location)
  const text = yield* Effect.try({
    try: () => keyIn(path),
    catch: (cause) => invalid(`${quote(join(path, fileName))} cannot be read or made (${codeOf(cause)}).`),
  })
  if (!form.test(text)) return yield* invalid(`${quote(join(path, fileName))} holds no key.`)
  return { ...settings, key: text.trimEnd() }
})
