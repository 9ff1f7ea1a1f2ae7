/**
 * `pnpm check`: runs every check that must pass before a push. All steps run, also after a failure; only the output of failed
 * steps is shown. Arguments select steps by name: `pnpm check lint typecheck`.
 */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { root, run } from "./Workspace.ts"

/** The steps are root scripts, so that each can be run alone: `pnpm lint`. */
const steps = [
  "lint",
  "format:check",
  "typecheck",
  "imports",
  "barrels:check",
  "unused",
  "tests:check",
  "citations",
  "words",
  "house:gate",
  "figures",
  "bundle",
  "examples",
  "vitest",
  "test:integration",
] as const

const manifest: { readonly scripts: Readonly<Record<string, string>> } = JSON.parse(
  readFileSync(join(root, "package.json"), "utf8"),
)

const wanted = process.argv.slice(2)
const chosen = steps.filter((step) => wanted.length === 0 || wanted.includes(step))
if (chosen.length === 0) throw new Error(`Unknown step: ${wanted.join(" ")}. Use one of ${steps.join(", ")}.`)

let failed = 0
for (const step of chosen) {
  const started = performance.now()
  const { code, output } = await run("sh", ["-c", manifest.scripts[step] ?? "exit 127"], { env: { NO_COLOR: "1" } })
  const seconds = ((performance.now() - started) / 1000).toFixed(1).padStart(6)
  console.log(`${code === 0 ? "ok    " : "FAILED"} ${step.padEnd(14)} ${seconds} s`)
  if (code !== 0) console.log(output.trimEnd())
  if (code !== 0) failed += 1
}

console.log(`${chosen.length - failed} passed, ${failed} failed`)
process.exitCode = failed === 0 ? 0 : 1
