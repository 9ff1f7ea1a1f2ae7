/** Preloaded into a process: applies the edits of `Edit` to sources. */
import { registerHooks } from "node:module"
import * as Edit from "./Edit.ts"

const edits = Edit.current()

registerHooks({
  load: (url, context, next) => {
    const loaded = next(url, context)
    if (loaded.source == null || !edits.some(({ file }) => url.endsWith(`/src/${file}`))) return loaded
    const source =
      typeof loaded.source === "string" ? loaded.source : Buffer.from(loaded.source as Uint8Array).toString()
    return { ...loaded, source: Edit.apply(edits, url, source) }
  },
})
