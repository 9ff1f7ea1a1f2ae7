/** Files that an export replaces, and what it writes to in place. */
import { execFileSync } from "node:child_process"
import {
  closeSync,
  constants,
  existsSync,
  lstatSync,
  openSync,
  readFileSync,
  readSync,
  readdirSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import * as ExportOutput from "../../src/cli/ExportOutput.ts"
import { daybook, timeout } from "./daybook.ts"
import { temporaryFolder } from "../store/temporaryFolder.ts"

const exportText = (path: string, text: string) => ExportOutput.toFile(path, (write) => write(text))

const exportFailure = (path: string) =>
  ExportOutput.toFile(path, (write) => Effect.andThen(write("half"), Effect.fail("cut"))).pipe(Effect.flip)

const text = (path: string): string => readFileSync(path, "utf8")

describe("ExportOutput.toFile", () => {
  it.effect("leaves an existing file with the suffix .part unchanged, and does not follow a link of that name", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const [target, part, other] = [join(folder, "a.csv"), join(folder, "a.csv.part"), join(folder, "other")]
      writeFileSync(other, "other")
      for (const make of [() => writeFileSync(part, "other"), () => symlinkSync(other, part)]) {
        make()
        yield* exportText(target, "whole")
        const failure = yield* exportFailure(target)

        expect(failure).toBe("cut")
        expect([text(target), text(part), text(other)]).toEqual(["whole", "other", "other"])
        expect(readdirSync(folder).toSorted()).toEqual(["a.csv", "a.csv.part", "other"])
        expect(lstatSync(target).isSymbolicLink()).toBe(false)
        unlinkSync(part)
      }
    }),
  )

  it.effect("writes two exports to the same file separately, and the last one to finish replaces the other", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const target = join(folder, "a.csv")
      const begun = yield* Deferred.make<void>()
      const mayEnd = yield* Deferred.make<void>()
      const first = yield* ExportOutput.toFile(target, (write) =>
        Effect.gen(function* () {
          yield* write("first, ")
          yield* Deferred.succeed(begun, undefined)
          yield* Deferred.await(mayEnd)
          yield* write("whole")
        }),
      ).pipe(Effect.forkChild)
      yield* Deferred.await(begun)
      yield* exportText(target, "second")
      const between = text(target)
      yield* Deferred.succeed(mayEnd, undefined)
      yield* Fiber.join(first)

      expect([between, text(target)]).toEqual(["second", "first, whole"])
      expect(readdirSync(folder)).toEqual(["a.csv"])
    }),
  )

  it.effect("replaces the target of a link, even one that does not exist yet, and keeps the link", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const [target, link] = [join(folder, "a.csv"), join(folder, "link.csv")]
      symlinkSync(target, link)
      for (const written of ["new", "replaced"]) {
        yield* exportText(link, written)

        expect([text(target), lstatSync(link).isSymbolicLink()]).toEqual([written, true])
      }
    }),
  )

  it.effect("writes in place if the folder does not permit the name of a temporary file", () =>
    Effect.gen(function* () {
      const target = join(yield* temporaryFolder, "a".repeat(252))
      writeFileSync(target, "a longer text than the export")
      yield* exportText(target, "whole")

      expect(text(target)).toBe("whole")
    }),
  )

  it.effect.skipIf(!existsSync("/proc/self/fd"))("writes to a pipe that has no name in the file system", () =>
    Effect.gen(function* () {
      const name = join(yield* temporaryFolder, "pipe")
      execFileSync("mkfifo", [name])
      const pipe = yield* Effect.acquireRelease(
        Effect.sync(() => openSync(name, constants.O_RDWR)),
        (opened) => Effect.sync(() => closeSync(opened)),
      )
      unlinkSync(name)
      yield* exportText(`/dev/fd/${pipe}`, "whole")
      const received = Buffer.alloc(16)
      const bytes = readSync(pipe, received)

      expect(received.toString("utf8", 0, bytes)).toBe("whole")
    }),
  )
})

describe("ExportOutput.check", () => {
  it.effect("accepts a new file, an existing one, a link to a missing one and a device", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      writeFileSync(join(folder, "old.csv"), "")
      symlinkSync(join(folder, "missing.csv"), join(folder, "link.csv"))
      const paths = ["new.csv", "old.csv", "link.csv"].map((name) => join(folder, name))

      yield* Effect.forEach([...paths, "/dev/null"], ExportOutput.check)
      expect(readdirSync(folder).toSorted()).toEqual(["link.csv", "old.csv"])
    }),
  )

  it.live(
    "daybook export: rejects a missing folder and a folder as the output before it calls a node",
    () =>
      Effect.gen(function* () {
        const folder = yield* temporaryFolder
        const target = join(folder, "none", "a.csv")
        const flags = ["--rpc", "http://127.0.0.1:1", "--format", "csv", "--output"]
        const wallet = `0x${"12".repeat(20)}`
        const missing = yield* daybook(folder, "export", wallet, ...flags, target)
        const notFile = yield* daybook(folder, "export", wallet, ...flags, folder)

        const remedy = "Name another file with --output.\n"
        expect([missing.code, missing.err]).toEqual([
          1,
          `daybook: Cannot write ${target} (no folder ${join(folder, "none")}). ${remedy}`,
        ])
        expect([notFile.code, notFile.err]).toEqual([
          1,
          `daybook: Cannot write ${folder} (it is a directory). ${remedy}`,
        ])
      }),
    timeout,
  )
})
