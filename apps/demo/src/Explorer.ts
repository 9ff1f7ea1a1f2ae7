/** The explorer for the demo: built from its sources, which takes some seconds, and opened in the browser of the user. */
import { execFile, spawn } from "node:child_process"
import { createRequire } from "node:module"
import { join } from "node:path"
import { Data, Effect } from "effect"

const folder = join(import.meta.dirname, "../../explorer")

/** The explorer was not built. */
export class BuildFailed extends Data.TaggedError("BuildFailed")<{ readonly message: string }> {}

/** Builds the pages, which a service of this repository then serves. */
export const build: Effect.Effect<void, BuildFailed> = Effect.callback((resume) => {
  const manifest = createRequire(join(folder, "package.json")).resolve("vite/package.json")
  const vite = join(manifest, "../bin/vite.js")
  const child = execFile(process.execPath, [vite, "build"], { cwd: folder }, (error, _output, errors) => {
    const message = `The explorer was not built: ${errors.trim().split("\n")[0] ?? ""}. Run pnpm --filter @daybook/explorer build.`
    resume(error === null ? Effect.void : Effect.fail(new BuildFailed({ message })))
  })
  return Effect.sync(() => child.kill())
})

/** Opens a page in the browser of the user; where there is none, nothing happens. */
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
