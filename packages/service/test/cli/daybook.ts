/** Runs the command `daybook` in this process or in a separate one, for tests of the command line. */
import { spawn, spawnSync } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Context, Effect, Redacted, Semaphore } from "effect"
import * as CommandLine from "../../src/cli/CommandLine.ts"
import * as ExitCode from "../../src/cli/ExitCode.ts"
import * as Terminal from "../../src/cli/Terminal.ts"
import * as Engine from "../../src/store/Engine.ts"
import { temporaryFolder } from "../store/temporaryFolder.ts"

/** The entry of the command: its source, or its built form if the variable names it. */
export const main = process.env["DAYBOOK_MAIN"] ?? join(import.meta.dirname, "../../src/main.ts")

// Searches are kept in a folder of this process, and not in that of the user.
const stateFolder = mkdtempSync(join(tmpdir(), "daybook-state-"))
process.env["XDG_STATE_HOME"] = stateFolder
process.env["XDG_DATA_HOME"] = stateFolder
process.on("exit", () => rmSync(stateFolder, { recursive: true, force: true }))

/** A text that no output may contain: it replaces the key in a node's URL. */
export const canary = "CANARY0123456789"

/** Limit of a test that starts a few processes, in milliseconds. */
export const timeout = 180_000

/** A user that owns no file: root may write whatever the mode. */
export const unprivileged = { uid: 65_534, gid: 65_534 }

/** This process may run another one as that user, which can read the command. */
export const canSwitchUser =
  process.getuid?.() === 0 &&
  spawnSync(process.execPath, ["-e", "fs.readFileSync(process.argv[1])", main], { ...unprivileged, cwd: "/" })
    .status === 0

export interface Ended {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

/** False for a standard output that cannot be written: that of a process has no reader, that in this process is on a full disk. */
export const ReadsOutput = Context.Reference<boolean>("@daybook/test/ReadsOutput", { defaultValue: () => true })

/** Runs the command to its end, as another user if one is given. */
export const runAs = (
  user: { readonly uid?: number; readonly gid?: number },
  cwd: string,
  args: ReadonlyArray<string>,
): Effect.Effect<Ended> =>
  Effect.flatMap(ReadsOutput, (readsOutput) =>
    Effect.promise(
      () =>
        new Promise<Ended>((resolve) => {
          const child = spawn(process.execPath, [main, ...args], { ...user, cwd, stdio: ["ignore", "pipe", "pipe"] })
          if (!readsOutput) child.stdout.destroy()
          let out = ""
          let err = ""
          child.stdout.on("data", (chunk: Buffer) => (out += chunk.toString()))
          child.stderr.on("data", (chunk: Buffer) => (err += chunk.toString()))
          child.on("close", (code) => resolve({ code, out, err }))
        }),
    ),
  )

/**
 * Runs the command to its end in a folder, as a process: for what only a process has, and once for what is tested
 * without one.
 */
export const daybookProcess = (cwd: string, ...args: ReadonlyArray<string>): Effect.Effect<Ended> =>
  runAs({}, cwd, args)

/** The working folder belongs to the process, so one command runs at a time. */
const workingFolder = Semaphore.makeUnsafe(1)

/** Runs the command to its end in a folder, in this process, which saves the start of another. */
export const daybook = (cwd: string, ...args: ReadonlyArray<string>): Effect.Effect<Ended> =>
  Effect.flatMap(ReadsOutput, (readsOutput) => {
    let out = ""
    let err = ""
    const output: Terminal.Output = {
      print: (line) => {
        if (!readsOutput) throw new Error("ENOSPC: no space left on device, write")
        out += `${line}\n`
      },
      note: (line) => void (err += `${line}\n`),
    }
    return Effect.acquireUseRelease(
      Effect.sync(() => {
        const before = process.cwd()
        process.chdir(cwd)
        return before
      }),
      () => Effect.exit(CommandLine.run(args)),
      (before) => Effect.sync(() => process.chdir(before)),
    ).pipe(
      Effect.provideService(Terminal.Output, output),
      Effect.map((exit) => ({ code: ExitCode.ofExit(exit), out, err })),
    )
  }).pipe(workingFolder.withPermits(1))

/** A new folder with a `daybook.json` for one chain whose node cannot be reached. */
export const withConfig = Effect.fnUntraced(function* (more: object = {}) {
  const base = yield* temporaryFolder
  const chains = { eth: { rpc: [`http://127.0.0.1:65535/${canary}`] } }
  const config = { listen: { host: "127.0.0.1", port: 0 }, database: "sqlite:data", chains, ...more }
  writeFileSync(join(base, "daybook.json"), JSON.stringify(config))
  return base
})

/** Adds a key to the database of such a folder, or to another one, and returns it, without a separate process. */
export const addKey = (base: string, name: string, database = "sqlite:data"): Effect.Effect<string> =>
  Effect.gen(function* () {
    const { apiKeys } = yield* Engine.fromUrl(database, base)
    const key = yield* apiKeys.add({ name, operator: false, empty: null })
    return Redacted.value(yield* Effect.fromNullishOr(key))
  }).pipe(Effect.scoped, Effect.orDie)
