import { spawnSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import * as NodeVersion from "../../src/cli/NodeVersion.ts"

const bin = join(import.meta.dirname, "../../src/bin.ts")

const daybook = (...options: ReadonlyArray<string>) => {
  const { status, stderr, stdout } = spawnSync(process.execPath, [...options, bin, "--version"], { encoding: "utf8" })
  return { status, stderr, stdout }
}

describe("NodeVersion", () => {
  it("issue: rejects exactly the versions below the package's engines field", () => {
    const { engines } = JSON.parse(readFileSync(join(import.meta.dirname, "../../package.json"), "utf8"))
    expect(engines.node).toBe(">=22.19")
    for (const old of ["18.20.8", "20.20.2", "22.18.0", "21.99.0"]) {
      expect(NodeVersion.issue(old)).toBe(`daybook needs Node 22.19 or newer; this is ${old}.`)
    }
    for (const enough of ["22.19.0", "22.20.1", "23.0.0", "24.1.0"]) expect(NodeVersion.issue(enough)).toBeUndefined()
  })

  it("bin: reports a Node that is too old in one sentence and exits 1, and runs on a newer one", () => {
    const older = `Object.defineProperty(process, "versions", { value: { ...process.versions, node: "20.20.2" } })`
    expect(daybook("--import", `data:text/javascript,${encodeURIComponent(older)}`)).toEqual({
      status: 1,
      stderr: "daybook needs Node 22.19 or newer; this is 20.20.2.\n",
      stdout: "",
    })
    expect(daybook()).toMatchObject({ status: 0, stderr: "", stdout: expect.stringContaining("0.0.0") })
  })
})
