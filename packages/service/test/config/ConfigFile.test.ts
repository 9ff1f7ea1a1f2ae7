import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { expect } from "vitest"
import * as ConfigFile from "../../src/config/ConfigFile.ts"
import { folder } from "../server/service.ts"

const whole = `{
  "listen": { "host": "127.0.0.1", "port": 8080 },
  "database": "sqlite:data",
  "chains": { "eth": { "rpc": ["http://127.0.0.1:8545/secret"] } }
}`

const issue = Effect.fnUntraced(function* (text: string) {
  const path = join(yield* folder, "daybook.json")
  writeFileSync(path, text)
  const error = yield* Effect.flip(ConfigFile.read(path))
  return error.message.replace(path, "FILE")
})

describe("ConfigFile", () => {
  describe("read", () => {
    it.live("gives the configuration and the folder that its paths are relative to", () =>
      Effect.gen(function* () {
        const base = yield* folder
        writeFileSync(join(base, "daybook.json"), `\uFEFF${whole}`)

        const { baseFolder, config } = yield* ConfigFile.read(join(base, "daybook.json"))

        expect([baseFolder, config.listen.port]).toEqual([base, 8080])
      }),
    )

    it.live("says that there is no such file, or that it is a folder", () =>
      Effect.gen(function* () {
        const base = yield* folder
        const missing = yield* Effect.flip(ConfigFile.read(join(base, "nothing.json")))
        const isFolder = yield* Effect.flip(ConfigFile.read(base))
        expect(missing.message).toBe(`The configuration cannot be used: ${base}/nothing.json: there is no such file.`)
        expect(isFolder.message).toBe(`The configuration cannot be used: ${base}: it is a folder.`)
      }),
    )

    it.live("says at which line and column it stops being JSON, and repeats none of it", () =>
      Effect.gen(function* () {
        const cases: ReadonlyArray<readonly [text: string, line: number, column: number]> = [
          ["", 1, 1],
          ["  \n ", 2, 2],
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
        for (const [text, line, column] of cases) {
          const where = `The configuration cannot be used: FILE: not JSON at line ${line}, column ${column}.`
          expect([text, yield* issue(text)]).toEqual([text, where])
        }
      }),
    )

    it.live("says what is wrong with a configuration", () =>
      Effect.gen(function* () {
        expect(yield* issue(`{ "listen": 5 }`)).toBe(
          `The configuration cannot be used: "listen" is 5; accepted: object. "database" is missing. "chains" is missing.`,
        )
      }),
    )
  })
})
