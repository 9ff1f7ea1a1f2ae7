/** A temporary folder that is removed when the scope ends. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"

export const temporaryFolder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "daybook-store-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true })),
)
