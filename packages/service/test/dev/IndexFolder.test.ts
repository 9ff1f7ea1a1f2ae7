import { existsSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { expect, it, onTestFinished } from "vitest"
import * as IndexFolder from "../../src/dev/IndexFolder.ts"

/** The parent of the folder that is made. */
const parentOf = (...args: Parameters<typeof IndexFolder.make>): string => {
  const path = IndexFolder.make(...args)
  onTestFinished(() => rmSync(path, { recursive: true }))
  expect(existsSync(path)).toBe(true)
  return dirname(path)
}

it("make: takes the folder in memory where it has room, and that for temporary files otherwise", () => {
  const memory = mkdtempSync(join(tmpdir(), "daybook-memory-"))
  onTestFinished(() => rmSync(memory, { recursive: true }))

  expect(parentOf(memory, 1)).toBe(memory)
  expect(parentOf(memory, Number.MAX_SAFE_INTEGER)).toBe(tmpdir())
  expect(parentOf(join(memory, "missing"), 1)).toBe(tmpdir())
})
