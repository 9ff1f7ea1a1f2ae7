import { spawn } from "node:child_process"
import { mkdtempSync, readdirSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, it } from "vitest"

const main = join(import.meta.dirname, "../src/main.ts")

let temporary = ""
beforeEach(() => {
  temporary = mkdtempSync(join(tmpdir(), "daybook-demo-test-"))
})
afterEach(() => rmSync(temporary, { recursive: true, force: true }))

/** Runs the demo as a process; `onOutput` may stop it. */
const run = (
  args: ReadonlyArray<string>,
  onOutput: (text: string, kill: (signal: NodeJS.Signals) => void) => void = () => {},
) =>
  new Promise<{ readonly code: number | null; readonly output: string; readonly errors: string }>((resolve) => {
    const child = spawn(process.execPath, [main, ...args], {
      env: { ...process.env, TMPDIR: temporary },
      stdio: ["ignore", "pipe", "pipe"],
    })
    let output = ""
    let errors = ""
    child.stdout.on("data", (chunk: Buffer) => {
      output += chunk.toString()
      onOutput(output, (signal) => child.kill(signal))
    })
    child.stderr.on("data", (chunk: Buffer) => (errors += chunk.toString()))
    child.on("close", (code) => resolve({ code, output, errors }))
  })

const isAlive = (url: string) =>
  fetch(url).then(
    () => true,
    () => false,
  )

describe("demo", () => {
  it(
    "demo --stay: prints plain lines, serves other clients the same data, and leaves no file and no process after two interrupts",
    {
      timeout: 180_000,
    },
    async () => {
      let other: ReturnType<typeof run> | undefined
      const { code, errors, output } = await run(["--stay"], (text, kill) => {
        const url = text.match(/listening at (\S+)/)?.[1]
        const key = text.match(/X-API-Key: (\S+)'/)?.[1]
        const address = text.match(/v2\.2\/(0x[0-9a-f]{40})\//)?.[1]
        if (!text.includes("running until Ctrl-C") || url === undefined || other !== undefined) return
        other = run(["--base-url", url, "--api-key", key ?? "", "--address", address ?? ""])
        void other.then(() => {
          kill("SIGINT")
          setImmediate(() => kill("SIGINT"))
        })
      })

      const remote = await other
      expect(remote?.code).toBe(0)
      expect(errors + remote?.errors).toBe("")
      expect(output).not.toContain("\u001b")
      expect(output).toContain("\nNext steps\n")
      expect(remote?.output).not.toContain("anvil")
      const pages = /Latest transactions of 0x[\s\S]*over JSON-RPC/
      expect(remote?.output.match(pages)?.[0]).toBe(output.match(pages)?.[0])
      expect(code).not.toBe(null)
      expect(readdirSync(temporary)).toEqual([])
      expect(await isAlive(output.match(/anvil at (\S+),/)?.[1] ?? "")).toBe(false)
      expect(await isAlive(output.match(/listening at (\S+)/)?.[1] ?? "")).toBe(false)
    },
  )

  it(
    "demo: ends without an error and leaves no file when the reader closes the pipe",
    { timeout: 180_000 },
    async () => {
      const errors = await new Promise<string>((resolve) => {
        const child = spawn("sh", ["-c", `"${process.execPath}" "${main}" | head -n 1`], {
          env: { ...process.env, TMPDIR: temporary },
          stdio: ["ignore", "ignore", "pipe"],
        })
        let written = ""
        child.stderr.on("data", (chunk: Buffer) => (written += chunk.toString()))
        child.on("close", () => resolve(written))
      })

      expect(errors).toBe("")
      expect(readdirSync(temporary)).toEqual([])
    },
  )

  it("demo: rejects options that are invalid or do not fit together", { timeout: 180_000 }, async () => {
    const [incomplete, unused, invalid] = await Promise.all([
      run(["--base-url", "http://127.0.0.1:1"]),
      run(["--chain", "polygon"]),
      run(["--address", "0x12"]),
    ])

    expect([incomplete.code, unused.code, invalid.code]).toEqual([1, 1, 1])
    expect(incomplete.errors).toContain("Missing option: --api-key or --address. Both are required with --base-url.")
    expect(unused.errors).toContain("Missing option: --base-url. It is required with --chain.")
    expect(invalid.errors).toContain('Invalid option "--address": expected 0x and 40 hex digits, received "0x12".')
    expect(unused.output + invalid.output).toBe("")
  })
})
