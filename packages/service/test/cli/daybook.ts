/** Runs the command `daybook` as a process, for tests of the command line. */
import { spawn, spawnSync } from "node:child_process"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect, Redacted } from "effect"
import * as Engine from "../../src/store/Engine.ts"
import { folder } from "../server/service.ts"

/** The entry of the command. */
export const main = join(import.meta.dirname, "../../src/main.ts")

/** A text that no output may contain: it stands for the key in a node's URL. */
export const canary = "CANARY0123456789"

/** Limit of a test that starts a few processes, in milliseconds. */
export const timeout = 180_000

/** A user that owns no file: root may write whatever the mode. */
export const unprivileged = { uid: 65_534, gid: 65_534 }

/** This process may run another one as that user. */
export const canSwitchUser =
  process.getuid?.() === 0 &&
  spawnSync(process.execPath, [main, "--version"], { ...unprivileged, cwd: "/" }).status === 0

export interface Ended {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

/** Runs the command to its end, as another user if one is given. */
export const runAs = (
  user: { readonly uid?: number; readonly gid?: number },
  cwd: string,
  args: ReadonlyArray<string>,
): Effect.Effect<Ended> =>
  Effect.promise(
    () =>
      new Promise<Ended>((resolve) => {
        const child = spawn(process.execPath, [main, ...args], { ...user, cwd, stdio: ["ignore", "pipe", "pipe"] })
        let out = ""
        let err = ""
        child.stdout.on("data", (chunk: Buffer) => (out += chunk.toString()))
        child.stderr.on("data", (chunk: Buffer) => (err += chunk.toString()))
        child.on("close", (code) => resolve({ code, out, err }))
      }),
  )

/** Runs the command to its end in a folder. */
export const daybook = (cwd: string, ...args: ReadonlyArray<string>): Effect.Effect<Ended> => runAs({}, cwd, args)

/** A new folder with a `daybook.json` for one chain whose node cannot be reached. */
export const withConfig = Effect.fnUntraced(function* (more: object = {}) {
  const base = yield* folder
  const chains = { eth: { rpc: [`http://127.0.0.1:65535/${canary}`] } }
  const config = { listen: { host: "127.0.0.1", port: 0 }, database: "sqlite:data", chains, ...more }
  writeFileSync(join(base, "daybook.json"), JSON.stringify(config))
  return base
})

/** Adds a key to the database of such a folder and gives it, without a process of its own. */
export const addKey = (base: string, name: string): Effect.Effect<string> =>
  Effect.gen(function* () {
    const { apiKeys } = yield* Engine.fromUrl("sqlite:data", base)
    const key = yield* apiKeys.add({ name, operator: false, empty: null })
    return Redacted.value(yield* Effect.fromNullishOr(key))
  }).pipe(Effect.scoped, Effect.orDie)
