import { writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { expect } from "vitest"
import * as ConfigFile from "../../src/config/ConfigFile.ts"
import { temporaryFolder } from "../store/temporaryFolder.ts"

const whole = `{
  "listen": { "host": "127.0.0.1", "port": 8080 },
  "database": "sqlite:data",
  "chains": { "eth": { "rpc": ["http://127.0.0.1:8545/secret"] } }
}`

const issueOf = Effect.fnUntraced(function* (text: string) {
  const path = join(yield* temporaryFolder, "daybook.json")
  writeFileSync(path, text)
  const error = yield* Effect.flip(ConfigFile.read(path))
  return error.message.replaceAll(path, "FILE")
})

const notJson: ReadonlyArray<readonly [text: string, line: number, column: number]> = [
  ["nothing", 1, 1],
  [`{ "a": 1, }`, 1, 11],
  [`{\n  "a": 1\n  "secret": 2\n}`, 3, 3],
  [`{\n  "a": "secret\n"}`, 2, 8],
  [`{ "a": [1, 2,, 3] }`, 1, 14],
  [`{ "a": 01 }`, 1, 9],
  [`{ 'a': 1 }`, 1, 3],
  [`{ "a": { "b": true }`, 1, 21],
  [`{} {}`, 1, 4],
  [`{ "a": "\\x" }`, 1, 8],
  [`// secret\n{}`, 1, 1],
  [`{ "a" 1 }`, 1, 7],
  ["[".repeat(10), 1, 11],
]

describe("ConfigFile.read", () => {
  it.live("read: returns the configuration and the folder to which its paths are relative", () =>
    Effect.gen(function* () {
      const base = yield* temporaryFolder
      writeFileSync(join(base, "daybook.json"), `\uFEFF${whole}`)

      const { baseFolder, config } = yield* ConfigFile.read(join(base, "daybook.json"))

      expect([baseFolder, config.listen]).toEqual([base, { host: "127.0.0.1", port: 8080 }])
    }),
  )

  it.live.each([
    ["", "line 1, column 1. The file is empty."],
    ["  \n ", "line 2, column 2. The file is empty."],
    ["# secret\nlisten: secret\n", "line 1, column 1. Write JSON, not YAML."],
    ["---\nlisten:\n  - secret\n", "line 1, column 1. Write JSON, not YAML."],
  ] as const)("read: reports that %j is not JSON, and what it is instead", ([text, rest]) =>
    Effect.gen(function* () {
      expect(yield* issueOf(text)).toBe(`Invalid JSON in the configuration file: FILE, ${rest}`)
    }),
  )

  it.live("read: rejects a file larger than 1 MiB before parsing it, and one that is nested too deeply", () =>
    Effect.gen(function* () {
      const large = yield* issueOf(`${" ".repeat(1024 * 1024)}{`)
      const fitting = yield* issueOf(`${" ".repeat(1024 * 1024 - 1)}{`)
      const deep = yield* Effect.forEach([`${"[".repeat(500_000)}${"]".repeat(500_000)}`, '{"a":'.repeat(101)], issueOf)

      expect(large).toBe("Configuration file too large: FILE has more than 1 MiB. Name another file, or shorten it.")
      expect(fitting).toBe("Invalid JSON in the configuration file: FILE, line 1, column 1048577.")
      const nested = "Invalid JSON in the configuration file: FILE nests values deeper than 100 levels."
      expect(deep).toEqual([nested, nested])
    }),
  )

  it.live("read: reports a missing file and a directory", () =>
    Effect.gen(function* () {
      const base = yield* temporaryFolder
      const missing = yield* Effect.flip(ConfigFile.read(join(base, "nothing.json")))
      const directory = yield* Effect.flip(ConfigFile.read(base))

      expect(missing.message).toBe(
        `Cannot read the configuration file: ${base}/nothing.json (no such file). Check --config.`,
      )
      expect(directory.message).toBe(`Cannot read the configuration file: ${base} (it is a directory). Check --config.`)
    }),
  )

  it.live.each(notJson)("read: reports where %j stops being JSON, and quotes none of it", ([text, line, column]) =>
    Effect.gen(function* () {
      expect(yield* issueOf(text)).toBe(`Invalid JSON in the configuration file: FILE, line ${line}, column ${column}.`)
    }),
  )

  it.live.each([
    [`{\n"listen": "127.0.0.1:1",\n"listen": "0.0.0.0:1",\n"a": 1\n}`, 3, "listen"],
    [`{ "chains": { "eth": {},\n"base": { "rpc": 1,\n"r\\u0070c": 1 } } }`, 3, "chains.base.rpc"],
    [`{ "a": [{ "b": 1 }, { "b": 1,\n"b": { "c": 1, "c": 2 } }],\n"a": 1, "secret": "secret" }`, 2, "a[1].b"],
  ] as const)("read: names the line of a duplicate key: %j, line %i, %s", ([text, line, key]) =>
    Effect.gen(function* () {
      expect(yield* issueOf(text)).toBe(`FILE:${line}: Duplicate key: "${key}". Remove one of them.`)
    }),
  )

  it.live("read: reports the issues of a configuration that is JSON", () =>
    Effect.gen(function* () {
      expect(yield* issueOf(`{ "listen": 5 }`)).toBe(
        [
          'FILE:1: Invalid configuration "listen": expected a string or an object, received 5.',
          'FILE:1: Invalid configuration "database": expected a string or an object, received nothing.',
          'FILE:1: Invalid configuration "chains": expected an object, received nothing.',
        ].join(" "),
      )
    }),
  )

  it.effect("databaseOf: resolves the folder of a flag relative to the file, as load does", () =>
    Effect.gen(function* () {
      const given = { path: "conf/daybook.json", database: "sqlite:data" }
      const { baseFolder } = yield* ConfigFile.databaseOf(given)
      const { baseFolder: working } = yield* ConfigFile.databaseOf({ database: "sqlite:data" })

      expect([baseFolder, working]).toEqual([resolve("conf"), process.cwd()])
    }),
  )
})
