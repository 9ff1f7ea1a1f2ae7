/**
 * Reads the configuration from its file, the flags and the environment. Errors report the line and column of invalid JSON, or the path and
 * line of an invalid value. No message repeats text of the file, which may contain API keys of nodes.
 */
import * as Json from "@daybook/schema/Json"
import { existsSync } from "node:fs"
import { open } from "node:fs/promises"
import { dirname, resolve } from "node:path"
import * as Effect from "effect/Effect"
import * as JsonParser from "jsonc-parser"
import * as Config from "./Config.ts"
import { InvalidConfig } from "./InvalidConfig.ts"
import * as JsonDepth from "./JsonDepth.ts"
import * as JsonLines from "./JsonLines.ts"
import * as Overrides from "./Overrides.ts"
import * as ServedChain from "./ServedChain.ts"
import * as ErrorCode from "./ErrorCode.ts"

/**
 * A configuration, and the folder to which its paths are relative.
 */
export interface ConfigFile {
  readonly config: Config.Config
  readonly baseFolder: string
  /** Path of the file; `null` if there is none. */
  readonly path: string | null
}

/** Default file. */
export const usualPath = "daybook.json"

/** Input from the command line. */
export interface Source extends Overrides.Overrides {
  /** Path of the file, which must exist. Default: `daybook.json` if it exists, or none if flags name chains. */
  readonly path?: string | undefined
}

const strict = { disallowComments: true, allowTrailingComma: false, allowEmptyContent: false } as const

/** Line and column of the first character that is not JSON. */
const locate = (text: string): string => {
  const errors: Array<JsonParser.ParseError> = []
  JsonParser.parse(text, errors, strict)
  const before = text.slice(0, errors[0]?.offset ?? text.length)
  return `line ${before.split("\n").length}, column ${before.length - before.lastIndexOf("\n")}`
}

const invalid = (message: string) => new InvalidConfig({ found: [{ path: "", message }] })

/** A file of this size would list tens of thousands of labels; a larger one would block a service while it is read. */
const maxBytes = 1024 * 1024

/** Reads a file, at most one byte beyond the limit. */
const readBounded = async (path: string): Promise<Buffer> => {
  const file = await open(path)
  try {
    const bytes = Buffer.alloc(maxBytes + 1)
    let length = 0
    while (length < bytes.length) {
      const { bytesRead } = await file.read(bytes, length, bytes.length - length)
      if (bytesRead === 0) break
      length += bytesRead
    }
    return bytes.subarray(0, length)
  } finally {
    await file.close()
  }
}

/** Keys of a configuration are nested at most six deep. Parsing a text and visiting its values uses stack for each level. */
const maxDepth = 100

/** Describes text that is not JSON, in addition to the position of its first invalid character. */
const otherForm = (text: string): string => {
  if (text.trim() === "") return " The file is empty."
  const line = text.split("\n").find((one) => one.trim() !== "" && !one.startsWith("#")) ?? ""
  return /^(---|[\w-]+:(\s|$))/.test(line) ? " Write JSON, not YAML." : ""
}

/** JSON value of a file, and its lines. */
const readJson = Effect.fnUntraced(function* (path: string, remedy: string) {
  const bytes = yield* Effect.tryPromise({
    try: () => readBounded(path),
    catch: (cause) => invalid(`Cannot read the configuration file: ${path} (${ErrorCode.reasonOf(cause)}). ${remedy}`),
  })
  if (bytes.length > maxBytes) {
    return yield* invalid(
      `Configuration file too large: ${path} has more than 1 MiB. Name another file, or shorten it.`,
    )
  }
  const text = bytes.toString().replace(/^\uFEFF/, "")
  if (JsonDepth.isDeeper(text, maxDepth)) {
    return yield* invalid(
      `Invalid JSON in the configuration file: ${path} nests values deeper than ${maxDepth} levels.`,
    )
  }
  const json = Json.parse(text)
  if (json === undefined) {
    return yield* invalid(`Invalid JSON in the configuration file: ${path}, ${locate(text)}.${otherForm(text)}`)
  }
  const lines = JsonLines.make(text)
  const { lineOf, repeated } = lines
  if (repeated === undefined) return { json, lines }
  return yield* invalid(`${path}:${lineOf(repeated)}: Duplicate key: "${repeated}". Remove one of them.`)
})

/** Adds to each issue where its value was given: by a flag, or in a line of the file. */
const withSources = (
  error: InvalidConfig,
  source: Source,
  file: { readonly path: string; readonly lines: JsonLines.JsonLines } | null,
) => {
  const sourceOf = (path: string): string => {
    const flag = Overrides.flagOf(path, source, file?.lines.hasValue(path) === true)
    if (flag !== undefined) return `${flag}: `
    return file === null ? "" : `${file.path}:${file.lines.lineOf(path)}: `
  }
  return new InvalidConfig({
    found: error.found.map(({ message, path }) => ({ path, message: `${sourceOf(path)}${message}` })),
  })
}

/**
 * Reads the configuration of a file with the keys that flags replace, or of flags alone.
 *
 * **Errors**
 * - `InvalidConfig`: the file cannot be read, is not JSON (with line and column), or the configuration is not valid (with the line of
 *   each issue).
 */
export const load = Effect.fn("ConfigFile.load")(function* (
  source: Source,
): Effect.fn.Return<ConfigFile, InvalidConfig> {
  const { nodes = [], path = usualPath } = source
  const isAbsent = source.path === undefined && nodes.length > 0 && !existsSync(path)
  const remedy =
    source.path === undefined ? "Create it, or name a chain and its node with --chain eth=URL." : "Check --config."
  const file = isAbsent ? null : { path, ...(yield* readJson(path, remedy)) }
  const json = Overrides.apply(file === null ? Overrides.defaults() : file.json, source)
  const config = yield* Effect.mapError(Effect.fromResult(Config.decode(json)), (error) =>
    withSources(error, source, file),
  )
  return {
    config,
    baseFolder: file === null ? process.cwd() : dirname(resolve(path)),
    path: file === null ? null : path,
  }
})

/**
 * Reads the configuration of a file.
 *
 * **Errors**
 * - `InvalidConfig`: as for `load`.
 */
export const read = (path: string): Effect.Effect<ConfigFile, InvalidConfig> => load({ path })

/** The database part of a configuration. */
export interface ConfiguredDatabase extends Pick<ConfigFile, "baseFolder">, Pick<Config.Config, "database"> {
  /** The chains; `null` if no file lists them. */
  readonly chains: ReadonlyArray<ServedChain.ServedChain> | null
}

/**
 * The database of a configuration, for commands that need little else: from a flag, from the file, or the default one.
 *
 * **Errors**
 * - `InvalidConfig`: as for `load`.
 */
export const databaseOf = Effect.fn("ConfigFile.databaseOf")(function* ({
  database,
  path,
}: Pick<Source, "database" | "path">): Effect.fn.Return<ConfiguredDatabase, InvalidConfig> {
  const isAbsent = path === undefined && !existsSync(usualPath)
  if (database !== undefined || isAbsent) {
    // As in `load`, which does not need to read the file in this case.
    const baseFolder = path === undefined ? process.cwd() : dirname(resolve(path))
    return { database: database ?? Overrides.usualDatabase(), baseFolder, chains: null }
  }
  const { baseFolder, config } = yield* read(path ?? usualPath)
  return {
    database: config.database,
    baseFolder,
    chains: yield* Effect.fromResult(ServedChain.fromChains(config.chains)),
  }
})
