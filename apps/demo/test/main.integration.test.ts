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

/** Runs the demo as its users do; `onOutput` may stop it. */
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
  it("tells the story in plain lines, exits 0 and leaves nothing", { timeout: 60_000 }, async () => {
    const { code, output, errors } = await run([])

    expect(errors).toBe("")
    expect(code).toBe(0)
    expect(output).not.toContain("\u001b")
    expect(output).toContain("\nNext\n")
    expect(output).not.toMatch(/dbk_/)
    expect(readdirSync(temporary)).toEqual([])
    expect(await isAlive(output.match(/anvil at (\S+),/)?.[1] ?? "")).toBe(false)
  })

  it(
    "stays up for others, tells them the same story, and leaves nothing after Ctrl-C, twice in a row too",
    {
      timeout: 60_000,
    },
    async () => {
      let other: ReturnType<typeof run> | undefined
      const { code, output } = await run(["--stay"], (text, kill) => {
        const url = text.match(/listening at (\S+)/)?.[1]
        const key = text.match(/X-API-Key: (\S+)'/)?.[1]
        const address = text.match(/v2\.2\/(0x[0-9a-f]{40})\//)?.[1]
        if (!text.includes("up until Ctrl-C") || url === undefined || other !== undefined) return
        other = run(["--base-url", url, "--api-key", key ?? "", "--address", address ?? ""])
        void other.then(() => {
          kill("SIGINT")
          setTimeout(() => kill("SIGINT"), 20)
        })
      })

      const told = await other
      expect(told?.code).toBe(0)
      expect(told?.output).not.toContain("anvil")
      const story = /The newest transactions of 0x[\s\S]*through the relay/
      expect(told?.output.match(story)?.[0]).toBe(output.match(story)?.[0])
      expect(code).not.toBe(null)
      expect(readdirSync(temporary)).toEqual([])
      expect(await isAlive(output.match(/anvil at (\S+),/)?.[1] ?? "")).toBe(false)
      expect(await isAlive(output.match(/listening at (\S+)/)?.[1] ?? "")).toBe(false)
    },
  )

  it("ends quietly and leaves nothing when its reader has seen enough", { timeout: 60_000 }, async () => {
    const errors = await new Promise<string>((resolve) => {
      const child = spawn("sh", ["-c", `"${process.execPath}" "${main}" | head -n 3`], {
        env: { ...process.env, TMPDIR: temporary },
        stdio: ["ignore", "ignore", "pipe"],
      })
      let written = ""
      child.stderr.on("data", (chunk: Buffer) => (written += chunk.toString()))
      child.on("close", () => resolve(written))
    })

    expect(errors).toBe("")
    expect(readdirSync(temporary)).toEqual([])
  })

  it("says what is wrong with its options", async () => {
    const [half, lost, wrong] = await Promise.all([
      run(["--base-url", "http://127.0.0.1:1"]),
      run(["--chain", "polygon"]),
      run(["--address", "0x12"]),
    ])

    expect([half.code, lost.code, wrong.code]).toEqual([1, 1, 1])
    expect(half.errors).toContain("--base-url needs --api-key and --address too")
    expect(lost.errors).toContain("--chain belong to a provider: give --base-url too")
    expect(wrong.errors).toContain("--address takes 0x and 40 hex digits")
    expect(lost.output + wrong.output).toBe("")
  })
})
