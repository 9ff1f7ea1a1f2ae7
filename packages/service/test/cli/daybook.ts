/** Runs the command `daybook` in this process or in a child process, for tests of the command line. */
import { spawn, spawnSync } from "node:child_process"
import { randomUUID } from "node:crypto"
import { rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Context, Effect, Exit, Redacted, Semaphore } from "effect"
import * as CommandLine from "../../src/cli/CommandLine.ts"
import * as ExitCode from "../../src/cli/ExitCode.ts"
import * as Terminal from "../../src/cli/Terminal.ts"
import * as Engine from "../../src/store/Engine.ts"
import { temporaryFolder } from "../store/temporaryFolder.ts"

/** Entry point of the command: its source, or its build if the variable is set. */
export const main = process.env["DAYBOOK_MAIN"] ?? join(import.meta.dirname, "../../src/main.ts")

// Searches are stored in a folder of this process instead of the user's. A command makes it, so that a stopped process leaves no empty one.
const stateFolder = join(tmpdir(), `daybook-state-${randomUUID()}`)
process.env["XDG_STATE_HOME"] = stateFolder
process.env["XDG_DATA_HOME"] = stateFolder
process.on("exit", () => rmSync(stateFolder, { recursive: true, force: true }))

/** Placeholder for the key in a node's URL, which no output may contain. */
export const canary = "CANARY0123456789"

/** Time limit of a test that starts a few processes, in milliseconds. */
export const timeout = 180_000

/** A user that owns no files, because root ignores file modes. */
export const unprivileged = { uid: 65_534, gid: 65_534 }

/** True if this process may run another one as that user, and that user can read the command. */
export const canSwitchUser =
  process.getuid?.() === 0 &&
  spawnSync(process.execPath, ["-e", "fs.readFileSync(process.argv[1])", main], { ...unprivileged, cwd: "/" })
    .status === 0

export interface Ended {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

/** False for a standard output that cannot be written: a closed pipe for a child process, a full disk in this process. */
export const ReadsOutput = Context.Reference<boolean>("@daybook/test/ReadsOutput", { defaultValue: () => true })

/** Runs the command to its end, optionally as another user. */
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

/** Runs the command to its end in a folder as a child process, for behaviour that only a process has. */
export const daybookProcess = (cwd: string, ...args: ReadonlyArray<string>): Effect.Effect<Ended> =>
  runAs({}, cwd, args)

/** The working folder is global to the process, so commands run one at a time. */
const workingFolder = Semaphore.makeUnsafe(1)

/** Runs the command to its end in a folder, in this process, which is faster than a child process. */
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
      Effect.map((exit) => ({ code: Exit.isSuccess(exit) ? 0 : ExitCode.ofCause(exit.cause), out, err })),
    )
  }).pipe(workingFolder.withPermits(1))

/** A new folder with a `daybook.json` for one chain with an unreachable node. */
export const withConfig = Effect.fnUntraced(function* (more: object = {}) {
  const base = yield* temporaryFolder
  const chains = { eth: { rpc: [`http://127.0.0.1:65535/${canary}`] } }
  const config = { listen: { host: "127.0.0.1", port: 0 }, database: "sqlite:data", chains, ...more }
  writeFileSync(join(base, "daybook.json"), JSON.stringify(config))
  return base
})

/** Adds an API key to the database of such a folder, or to another database, without a child process; returns the key. */
export const addKey = (base: string, name: string, database = "sqlite:data"): Effect.Effect<string> =>
  Effect.gen(function* () {
    const { apiKeys } = yield* Engine.fromUrl(database, base)
    const key = yield* apiKeys.add({ name, operator: false, empty: null })
    return Redacted.value(yield* Effect.fromNullishOr(key))
  }).pipe(Effect.scoped, Effect.orDie)
