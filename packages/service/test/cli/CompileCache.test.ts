import { execFileSync } from "node:child_process"
import { homedir } from "node:os"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import * as CompileCache from "../../src/cli/CompileCache.ts"
import { temporaryFolder } from "../store/temporaryFolder.ts"

describe("CompileCache", () => {
  it("folder: is below the one that the environment names if that is absolute, otherwise below the user's home", () => {
    const usual = join(homedir(), ".cache", "daybook")

    expect(CompileCache.folder({ XDG_CACHE_HOME: "/var/cache/ann" })).toBe("/var/cache/ann/daybook")
    expect(CompileCache.folder({ XDG_CACHE_HOME: "relative" })).toBe(usual)
    expect(CompileCache.folder({})).toBe(usual)
  })

  it.effect("enable: worker threads cache compiled code in the same folder", () =>
    Effect.gen(function* () {
      const cache = yield* temporaryFolder
      const module = pathToFileURL(join(import.meta.dirname, "../../src/cli/CompileCache.ts")).href
      const inThread = `import { getCompileCacheDir } from "node:module"
        import { parentPort } from "node:worker_threads"
        parentPort.postMessage(getCompileCacheDir() ?? "none")`
      const program = `import { Worker } from "node:worker_threads"
        import * as CompileCache from ${JSON.stringify(module)}
        CompileCache.enable()
        new Worker(${JSON.stringify(inThread)}, { eval: true }).on("message", (folder) => console.log(folder))`

      const folder = execFileSync(process.execPath, ["--no-warnings", "--input-type=module", "-e", program], {
        encoding: "utf8",
        env: { XDG_CACHE_HOME: cache },
      })

      expect(folder.startsWith(join(cache, "daybook"))).toBe(true)
    }),
  )
})
