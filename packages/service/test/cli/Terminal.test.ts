import { spawn } from "node:child_process"
import { join } from "node:path"
import { describe, expect, it } from "vitest"

const terminal = join(import.meta.dirname, "../../src/cli/Terminal.ts")

/** Writes a line for the operator once standard input has ended. */
const script = `
  import { readFileSync } from "node:fs"
  import { runSync } from "effect/Effect"
  import { note } from ${JSON.stringify(terminal)}
  readFileSync(0)
  runSync(note("a line"))`

describe("Terminal", () => {
  it("note: leaves a line out whose reader has left, so that a service goes on without its log", async () => {
    const child = spawn(process.execPath, ["--input-type=module", "-e", script], { cwd: import.meta.dirname })
    child.stderr.destroy()
    child.stdin.end()

    expect(await new Promise((resolve) => child.on("close", resolve))).toBe(0)
  })
})
