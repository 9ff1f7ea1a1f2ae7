import { existsSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { expect, it, onTestFinished } from "vitest"
import * as IndexFolder from "../../src/dev/IndexFolder.ts"

/** The parent of the created folder. */
const parentOf = (...args: Parameters<typeof IndexFolder.make>): string => {
  const path = IndexFolder.make(...args)
  onTestFinished(() => rmSync(path, { recursive: true }))
  expect(existsSync(path)).toBe(true)
  return dirname(path)
}

it("make: uses the in-memory folder if it has room, otherwise the folder for temporary files", () => {
  const memory = mkdtempSync(join(tmpdir(), "daybook-memory-"))
  onTestFinished(() => rmSync(memory, { recursive: true }))

  expect(parentOf(memory, 1)).toBe(memory)
  expect(parentOf(memory, Number.MAX_SAFE_INTEGER)).toBe(tmpdir())
  expect(parentOf(join(memory, "missing"), 1)).toBe(tmpdir())
})
