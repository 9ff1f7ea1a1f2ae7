/** The explorer for the demo: builds it from its sources, which takes a few seconds, and opens it in the user's browser. */
import { execFile, spawn } from "node:child_process"
import { createRequire } from "node:module"
import { join } from "node:path"
import { Data, Effect } from "effect"

const folder = join(import.meta.dirname, "../../explorer")

/** Building the explorer failed. */
export class BuildFailed extends Data.TaggedError("BuildFailed")<{ readonly message: string }> {}

/** Builds the pages that the service then serves. */
export const build: Effect.Effect<void, BuildFailed> = Effect.callback((resume) => {
  const manifest = createRequire(join(folder, "package.json")).resolve("vite/package.json")
  const vite = join(manifest, "../bin/vite.js")
  const child = execFile(process.execPath, [vite, "build"], { cwd: folder }, (error, _output, errors) => {
    const message = `Building the explorer failed: ${errors.trim().split("\n")[0] ?? ""}. Run pnpm --filter @daybook/explorer build.`
    resume(error === null ? Effect.void : Effect.fail(new BuildFailed({ message })))
  })
  return Effect.sync(() => child.kill())
})

/** Opens a page in the user's browser; does nothing if there is none. */
export const open = (url: string): Effect.Effect<void> =>
  Effect.sync(() => {
    const programs: Readonly<Record<string, readonly [string, ...ReadonlyArray<string>]>> = {
      darwin: ["open"],
      win32: ["cmd", "/c", "start"],
    }
    const [program, ...before] = programs[process.platform] ?? ["xdg-open"]
    const child = spawn(program, [...before, url], { stdio: "ignore", detached: true })
    child.on("error", () => {})
    child.unref()
  })
