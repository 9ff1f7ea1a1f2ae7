import { execFileSync, spawn } from "node:child_process"
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
  it("note: drops a line if its reader has left, so that the service continues without its log", async () => {
    const child = spawn(process.execPath, ["--input-type=module", "-e", script], { cwd: import.meta.dirname })
    child.stderr.destroy()
    child.stdin.end()

    expect(await new Promise((resolve) => child.on("close", resolve))).toBe(0)
  })

  it("print: waits for a slow reader, also of a pipe that is standard error too", () => {
    const printed = `
      import { runSync } from "effect/Effect"
      import { print } from ${JSON.stringify(terminal)}
      for (let line = 0; line < 200; line++) runSync(print("x".repeat(999)))`
    const command = '"$0" --input-type=module -e "$1" 2>&1 | { sleep 1; wc -c; }'
    const options = { cwd: import.meta.dirname, encoding: "utf8" } as const

    expect(execFileSync("sh", ["-c", command, process.execPath, printed], options).trim()).toBe("200000")
  })

  it("logger: continues if nothing reads standard error, and counts the dropped lines", async () => {
    const logged = `
      import { log, provide, runSync } from "effect/Effect"
      import { layer } from "effect/Logger"
      import { logger } from ${JSON.stringify(terminal)}
      const write = (text) => runSync(provide(log(text), layer([logger])))
      for (let line = 0; line < 2_000; line++) write("x".repeat(999))
      process.stdout.write("written")
      process.stdin.on("data", () => write("read"))
      process.stdin.on("end", () => {})`
    const child = spawn(process.execPath, ["--input-type=module", "-e", logged], { cwd: import.meta.dirname })
    await new Promise((resolve) => child.stdout.once("data", resolve))
    let text = ""
    let isEnded = false
    child.stderr.on("data", (chunk: Buffer) => {
      text += chunk.toString()
      // The reader lags until the waiting lines are read.
      if (!isEnded && text.length > 900_000) {
        isEnded = true
        child.stdin.end("now")
      }
    })
    await new Promise((resolve) => child.on("close", resolve))
    const lines = text.trimEnd().split("\n")
    const whole = lines.filter((line) => /^\S+ INFO {2}x{999}$/.test(line)).length

    expect(lines.at(-1)).toMatch(/ read linesLeftOut=\d+$/)
    expect(whole).toBe(lines.length - 1)
    expect(whole + Number(/\d+$/.exec(text.trimEnd())![0])).toBe(2_000)
  })
})
