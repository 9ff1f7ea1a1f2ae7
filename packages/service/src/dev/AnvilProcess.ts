/**
 * Starts anvil for `daybook dev --chain`: the one on the path, or else that of the project's npm package `@foundry-rs/anvil`. It ends with
 * its scope.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { accessSync, constants } from "node:fs"
import { createRequire } from "node:module"
import { delimiter, join } from "node:path"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"

/** Anvil was not found, or did not start. */
export class AnvilError extends Data.TaggedError("AnvilError")<{ readonly message: string }> {}

const systems: Readonly<Record<string, string>> = { darwin: "darwin", linux: "linux", win32: "win32" }
const processors: Readonly<Record<string, string>> = { arm64: "arm64", x64: "amd64" }
const program = process.platform === "win32" ? "anvil.exe" : "anvil"

const isExecutable = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** Program of the npm package as resolved from a folder; `undefined` if it is not installed. */
const ofPackage = (folder: string): string | undefined => {
  const name = `anvil-${systems[process.platform] ?? ""}-${processors[process.arch] ?? ""}`
  try {
    const parent = createRequire(join(folder, "package.json")).resolve("@foundry-rs/anvil/package.json")
    return createRequire(parent).resolve(`@foundry-rs/${name}/bin/${program}`)
  } catch {
    return undefined
  }
}

/** Finds anvil for a folder. */
const find = (folder: string, path = process.env["PATH"] ?? ""): string | undefined =>
  path
    .split(delimiter)
    .filter((directory) => directory !== "")
    .map((directory) => join(directory, program))
    .find(isExecutable) ?? ofPackage(folder)

const startMillis = 20_000
const stopMillis = 3_000

/** Address printed by anvil once it listens. */
const listening = /Listening on (\S+)/

const urlOf = (child: ChildProcess): Promise<string> =>
  new Promise((resolve, reject) => {
    let text = ""
    child.stdout?.setEncoding("utf8").on("data", (chunk: string) => {
      // What follows is a log of calls, which is read and discarded.
      if (text.length > 65_536) return
      text += chunk
      const found = listening.exec(text)?.[1]
      if (found !== undefined) resolve(`http://${found}`)
    })
    child.on("error", (cause) => reject(new AnvilError({ message: `Cannot start anvil: ${cause.message}.` })))
    child.on("exit", (code) => {
      const port = "Another program may use the port; name another one with --rpc, or stop it."
      reject(new AnvilError({ message: `Anvil exited at startup with code ${code}. ${port}` }))
    })
  })

const stop = (child: ChildProcess): Effect.Effect<void> =>
  Effect.promise(
    () =>
      new Promise<void>((resolve) => {
        if (child.exitCode !== null || child.signalCode !== null) return resolve()
        const timer = setTimeout(() => child.kill("SIGKILL"), stopMillis)
        child.once("exit", () => {
          clearTimeout(timer)
          resolve()
        })
        child.kill("SIGTERM")
      }),
  )

/**
 * Starts anvil on a port of this machine until the scope ends; returns its URL.
 *
 * **Errors**
 * - `AnvilError`: it was not found, or does not listen.
 */
export const start = Effect.fnUntraced(function* (
  folder: string,
  port: number,
): Effect.fn.Return<string, AnvilError, Scope.Scope> {
  const binary = find(folder)
  if (binary === undefined) {
    const message = "Anvil was not found on the path. Install Foundry, or add the npm package @foundry-rs/anvil."
    return yield* new AnvilError({ message })
  }
  const child = yield* Effect.acquireRelease(
    Effect.sync(() =>
      spawn(binary, ["--host", "127.0.0.1", "--port", String(port)], { stdio: ["ignore", "pipe", "ignore"] }),
    ),
    stop,
  )
  return yield* Effect.tryPromise({
    try: () => urlOf(child),
    catch: (cause) => (cause instanceof AnvilError ? cause : new AnvilError({ message: String(cause) })),
  }).pipe(
    Effect.timeoutOrElse({
      duration: startMillis,
      orElse: () => Effect.fail(new AnvilError({ message: `Anvil did not listen within ${startMillis / 1000} s.` })),
    }),
  )
})
