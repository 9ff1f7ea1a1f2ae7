/**
 * Diagnostics of the Effect language service (floating effects, missing services, wrong error channels) for the sources and tests of
 * every package, in one program. Warnings are issues, and so is a file that was not checked.
 */
import { join } from "node:path"
import { files, published, report, root, run } from "./Workspace.ts"

const folders = [...published.map((name) => `packages/${name}`), "apps/demo", "tooling/chain"]
const expected = folders.flatMap((folder) =>
  ["src", "test"].flatMap((part) => files(join(root, folder, part), ".ts")),
).length

const options = ["--severity", "error,warning", "--strict", "--format", "text"]
const { code, output } = await run("effect-tsgo", ["diagnostics", "--project", join(root, "tsconfig.json"), ...options])
const checked = Number(/Checked (\d+) files/.exec(output)?.[1] ?? 0)

const issues = code === 0 ? [] : [output.trim()]
if (checked < expected) issues.push(`${checked} files were checked, and the packages have ${expected}`)
report("effects", issues, `${checked} files without a finding`)
