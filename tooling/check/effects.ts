/**
 * Diagnostics of the Effect language service (floating effects, missing services, wrong error channels) for every project.
 * Warnings are issues, and so is a project of which no file was checked.
 */
import { existsSync } from "node:fs"
import { join } from "node:path"
import { files, published, report, root, run } from "./Workspace.ts"

const issues: Array<string> = []
let checked = 0

for (const folder of [...published.map((name) => `packages/${name}`), "apps/demo", "tooling/chain"]) {
  const project = join(root, folder, "tsconfig.json")
  if (!existsSync(project) || files(join(root, folder, "src"), ".ts").length === 0) continue
  const options = ["--severity", "error,warning", "--strict", "--format", "text"]
  const { code, output } = await run("effect-tsgo", ["diagnostics", "--project", project, ...options])
  const count = Number(/Checked (\d+) files/.exec(output)?.[1] ?? 0)
  checked += count
  if (code !== 0) issues.push(`${folder}\n${output.trim()}`)
  else if (count === 0) issues.push(`${folder}: no file was looked at`)
}

report("effects", issues, `${checked} files without a finding`)
