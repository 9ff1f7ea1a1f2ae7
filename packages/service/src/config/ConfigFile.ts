/**
 * Reads the configuration file: found, JSON, and a configuration, or one clear message about what is wrong and where.
 * No message repeats the text of the file, which may hold keys of nodes.
 */
import { readFile } from "node:fs/promises"
import { dirname, resolve } from "node:path"
import * as Effect from "effect/Effect"
import * as Config from "./Config.ts"

/**
 * A configuration and the folder that its paths are relative to.
 */
export interface ConfigFile {
  readonly config: Config.Config
  readonly baseFolder: string
}

const token =
  /\s*(?:([{}[\],:])|("(?:[^"\\\p{Cc}]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*")|(-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null))/uy

/** Where a text stops being JSON: an offset in characters; its length when it only breaks off. Undefined when it is JSON. */
const brokenAt = (text: string): number | undefined => {
  let at = 0
  let start = 0
  const next = (): { readonly kind: string } | undefined => {
    token.lastIndex = at
    const found = token.exec(text)
    start = at + /^\s*/.exec(text.slice(at))![0].length
    if (found === null) return undefined
    start = token.lastIndex - (found[1] ?? found[2] ?? found[3] ?? "").length
    at = token.lastIndex
    return { kind: found[1] ?? (found[2] === undefined ? "literal" : "text") }
  }
  const value = (kind: string | undefined): boolean => {
    if (kind === "text" || kind === "literal") return true
    if (kind !== "{" && kind !== "[") return false
    const close = kind === "{" ? "}" : "]"
    let first = next()?.kind
    if (first === close) return true
    for (;;) {
      if (kind === "{") {
        if (first !== "text" || next()?.kind !== ":") return false
        first = next()?.kind
      }
      if (!value(first)) return false
      const after = next()?.kind
      if (after === close) return true
      if (after !== ",") return false
      first = next()?.kind
    }
  }
  if (!value(next()?.kind)) return start
  const rest = /^\s*/.exec(text.slice(at))![0].length
  return at + rest === text.length ? undefined : at + rest
}

const whereBroken = (text: string): string => {
  const before = text.slice(0, brokenAt(text) ?? text.length)
  const line = before.split("\n").length
  return `line ${line}, column ${before.length - before.lastIndexOf("\n")}`
}

const reasonOf = (cause: unknown): string => {
  const code = typeof cause === "object" && cause !== null && "code" in cause ? String(cause.code) : "unknown"
  switch (code) {
    case "ENOENT":
      return "there is no such file"
    case "EACCES":
    case "EPERM":
      return "it may not be read by this user"
    case "EISDIR":
      return "it is a folder"
    default:
      return `it cannot be read (${code})`
  }
}

/**
 * Reads the configuration of a file.
 *
 * **Errors**
 * - `InvalidConfig`: the file is not there, is not JSON (with line and column), or is not a configuration.
 */
export const read = Effect.fn("ConfigFile.read")(function* (
  path: string,
): Effect.fn.Return<ConfigFile, Config.InvalidConfig> {
  const refuse = (issue: string) => new Config.InvalidConfig({ issues: [`${path}: ${issue}.`] })
  const bytes = yield* Effect.tryPromise({
    try: () => readFile(path, "utf8"),
    catch: (cause) => refuse(reasonOf(cause)),
  })
  const text = bytes.replace(/^\uFEFF/, "")
  const json = yield* Effect.try({
    try: (): unknown => JSON.parse(text),
    catch: () => refuse(`not JSON at ${whereBroken(text)}`),
  })
  const config = yield* Effect.fromResult(Config.decode(json))
  return { config, baseFolder: dirname(resolve(path)) }
})
