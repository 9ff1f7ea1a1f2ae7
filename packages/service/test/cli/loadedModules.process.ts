/** Preloaded into a process: writes the paths of all loaded modules to standard error at exit, one per line. */
import { writeSync } from "node:fs"
import { registerHooks } from "node:module"

const standardError = 2
const loaded = new Set<string>()

registerHooks({
  load: (url, context, next) => {
    if (url.startsWith("file:")) loaded.add(url)
    return next(url, context)
  },
})
process.on("exit", () => void writeSync(standardError, [...loaded, ""].join("\n")))
