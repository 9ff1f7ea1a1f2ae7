/**
 * Types of the sources and tests of every package, and the diagnostics of the Effect language service for them (floating effects, missing
 * services, wrong error channels), in one program of one compiler. Warnings are issues, and so is a file that was not checked.
 */
import { join } from "node:path"
import { files, published, report, root, run } from "./Workspace.ts"

const folders = [
  ...published.map((name) => `packages/${name}`),
  "apps/demo",
  ...["chain", "harness", "hostile"].map((name) => `tooling/${name}`),
]
const expected = folders.flatMap((folder) =>
  ["src", "test"].flatMap((part) =>
    files(join(root, folder, part), ".ts").map((file) => join(root, folder, part, file)),
  ),
)

const compiler = await run("effect-tsgo", ["get-exe-path"])
const options = ["-p", join(root, "tsconfig.json"), "--pretty", "false", "--listFiles", "--checkers", "2"]
const { code, output } = await run(compiler.standardOutput.trim(), options)
const lines = output.split("\n").filter((line) => line !== "")
const isIssue = (line: string): boolean => !line.startsWith("/") && !line.startsWith("bundled:")
const checked = new Set(lines)

const findings = lines.filter(isIssue)
const issues = code === 0 && findings.length === 0 ? [] : [`exit ${code}`, ...findings]
const missing = expected.filter((file) => !checked.has(file))
issues.push(...missing.map((file) => `${file} was not checked`))
report("effects", issues, `${expected.length} files without a finding`)
