import { mkdirSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import * as FileIssue from "../../../src/store/sqlite/FileIssue.ts"
import { temporaryFolder } from "../temporaryFolder.ts"

describe("FileIssue", () => {
  describe("find", () => {
    it.effect("names the obstructing part of a path, and the system's code", () =>
      Effect.gen(function* () {
        const base = yield* temporaryFolder
        const at = (name: string) => join(base, name)
        writeFileSync(at("file"), "")
        mkdirSync(at("folder"))
        symlinkSync(at("circle"), at("circle"))

        expect(FileIssue.find(at("none/db"), false)).toEqual({ path: at("none"), code: "ENOENT" })
        expect(FileIssue.find(at("file/db"), false)).toEqual({ path: at("file"), code: "ENOTDIR" })
        expect(FileIssue.find(at("folder"), true)).toEqual({ path: at("folder"), code: "EISDIR" })
        expect(FileIssue.find(at("db"), true)).toEqual({ path: at("db"), code: "ENOENT" })
        expect(FileIssue.find(at("circle/db"), true)).toEqual({ path: at("circle"), code: "ELOOP" })
        expect(FileIssue.find(at("db"), false)).toBeUndefined()
        expect(FileIssue.find(at("file"), false)).toBeUndefined()
      }),
    )
  })

  describe("describe", () => {
    it("describes a code, and returns only the code if it is unknown", () => {
      expect(FileIssue.describe("EROFS")).toBe("EROFS, read-only file system")
      expect(FileIssue.describe("EWHAT")).toBe("EWHAT")
    })
  })
})
