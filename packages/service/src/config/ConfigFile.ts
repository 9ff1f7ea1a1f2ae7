/**
 * Reads the configuration file. Errors name the line and column of invalid JSON or the path of an invalid value; no message
 * repeats the text of the file, which may contain the API keys of nodes.
 */
import * as Json from "@daybook/schema/Json"
import { readFile } from "node:fs/promises"
import { dirname, resolve } from "node:path"
import * as Effect from "effect/Effect"
import * as JsonParser from "jsonc-parser"
import * as Config from "./Config.ts"
import { InvalidConfig } from "./InvalidConfig.ts"

/**
 * A configuration and the folder that its paths are relative to.
 */
export interface ConfigFile {
  readonly config: Config.Config
  readonly baseFolder: string
}

const strict = { disallowComments: true, allowTrailingComma: false, allowEmptyContent: false } as const

/** Line and column of the first character that is not JSON. */
const locate = (text: string): string => {
  const errors: Array<JsonParser.ParseError> = []
  JsonParser.parse(text, errors, strict)
  const before = text.slice(0, errors[0]?.offset ?? text.length)
  return `line ${before.split("\n").length}, column ${before.length - before.lastIndexOf("\n")}`
}

const reasonOf = (cause: unknown): string => {
  const code = typeof cause === "object" && cause !== null && "code" in cause ? String(cause.code) : "unknown"
  switch (code) {
    case "ENOENT":
      return "no such file"
    case "EACCES":
    case "EPERM":
      return "permission denied"
    case "EISDIR":
      return "it is a directory"
    default:
      return code
  }
}

const invalid = (issue: string) => new InvalidConfig({ issues: [issue] })

/**
 * Reads the configuration of a file.
 *
 * **Errors**
 * - `InvalidConfig`: the file cannot be read, is not JSON (with line and column), or is not a valid configuration.
 */
export const read = Effect.fn("ConfigFile.read")(function* (path: string): Effect.fn.Return<ConfigFile, InvalidConfig> {
  const bytes = yield* Effect.tryPromise({
    try: () => readFile(path, "utf8"),
    catch: (cause) => invalid(`Cannot read the configuration file: ${path} (${reasonOf(cause)}). Check --config.`),
  })
  const text = bytes.replace(/^\uFEFF/, "")
  const json = Json.parse(text)
  if (json === undefined) return yield* invalid(`Invalid JSON in the configuration file: ${path}, ${locate(text)}.`)
  const config = yield* Effect.fromResult(Config.decode(json))
  return { config, baseFolder: dirname(resolve(path)) }
})
