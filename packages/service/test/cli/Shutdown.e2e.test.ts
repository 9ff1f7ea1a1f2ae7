/** Exit codes of commands that a signal stops. */
import { spawn } from "node:child_process"
import { existsSync, rmSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { describe, it } from "@effect/vitest"
import { LocalServer } from "@daybook/harness"
import { Effect } from "effect"
import { expect } from "vitest"
import * as Engine from "../../src/store/Engine.ts"
import { chainOn } from "../store/model.ts"
import * as TestStore from "../store/TestStore.ts"
import { daybookProcess, type Ended, main, timeout, withConfig } from "./daybook.ts"

/** Runs a command and sends it a signal as soon as `isReady` returns true. */
const stopped = (cwd: string, args: ReadonlyArray<string>, signal: NodeJS.Signals, isReady: () => boolean) =>
  Effect.promise(
    () =>
      new Promise<Ended>((resolve) => {
        const child = spawn(process.execPath, [main, ...args], { cwd, stdio: ["ignore", "pipe", "pipe"] })
        let out = ""
        let err = ""
        child.stdout.on("data", (chunk: Buffer) => (out += chunk.toString()))
        child.stderr.on("data", (chunk: Buffer) => (err += chunk.toString()))
        const timer = setInterval(() => {
          if (!isReady()) return
          clearInterval(timer)
          child.kill(signal)
        }, 2)
        child.on("close", (code) => {
          clearInterval(timer)
          resolve({ code, out, err })
        })
      }),
  )

/** A node that accepts requests and never answers. */
const mute = Effect.suspend(() => {
  let requests = 0
  return Effect.map(
    LocalServer.scoped(() => LocalServer.start(() => void requests++)),
    ({ url }) => ({ url, requests: () => requests }),
  )
})

describe("Shutdown", () => {
  it.live(
    "a command that a signal stops early exits with 128 plus the number of the signal",
    () =>
      Effect.gen(function* () {
        const signals = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const
        const ended = yield* Effect.forEach(
          ["SIGHUP", "SIGINT", "SIGTERM"] as const,
          (signal) =>
            Effect.gen(function* () {
              const { requests, url } = yield* mute
              const { code, err } = yield* stopped("/", ["doctor", url], signal, () => requests() > 0)
              expect(err).toBe(`daybook: stopped by ${signal} before the command was finished\n`)
              return [signal, code] as const
            }),
          { concurrency: 3 },
        )

        expect(Object.fromEntries(ended)).toEqual(signals)
      }),
    timeout,
  )

  it.live(
    "backup: exits with 143 if a signal stops it before the copy is complete, and the next run completes the copy",
    () =>
      Effect.gen(function* () {
        const base = yield* withConfig()
        const blocks = chainOn(null, 6_000)
        const database = yield* Engine.fromUrl("sqlite:data", base)
        yield* Effect.scoped(
          Effect.flatMap(TestStore.open(database, { name: "eth", id: 1 }), (store) => store.append(null, blocks)),
        )
        const copy = join(base, "copy", "chain-eth.sqlite")
        const isUnfinished = () => {
          const file = new DatabaseSync(copy, { readOnly: true })
          try {
            return file.prepare("SELECT * FROM copying").all().length > 0
          } finally {
            file.close()
          }
        }
        let interrupted = 0
        for (let attempt = 0; attempt < 100 && interrupted === 0; attempt++) {
          rmSync(join(base, "copy"), { recursive: true, force: true })
          const { code } = yield* stopped(base, ["backup", "copy"], "SIGTERM", () => existsSync(`${copy}-wal`))
          if (code === 143) interrupted += 1
          // A signal that comes late finds nothing to stop.
          else expect([code, isUnfinished()]).toEqual([0, false])
        }
        expect(interrupted).toBe(1)
        const completed = yield* daybookProcess(base, "backup", "copy")

        expect([completed.code, isUnfinished()]).toEqual([0, false])
        expect(completed.out).toContain(`up to block ${blocks.at(-1)!.number};`)
      }),
    timeout,
  )
})
