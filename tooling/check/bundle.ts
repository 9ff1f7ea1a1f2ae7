/** Enforces the size limits of the clients in a web page. A Node module in a default entry fails the check. */
import { bundle, esbuildKibibytes, esbuildPrograms, programs } from "./BrowserBundle.ts"
import { report } from "./Workspace.ts"

const issues: Array<string> = []
const sizes: Array<string> = []
for (const [name, { budgetKibibytes, ...program }] of Object.entries(programs)) {
  const { kibibytes, ofNode } = await bundle(program)
  sizes.push(`${name} ${kibibytes.toFixed(1)} of ${budgetKibibytes} KiB`)
  if (kibibytes > budgetKibibytes)
    issues.push(`${name}: ${kibibytes.toFixed(1)} KiB after gzip, more than ${budgetKibibytes}`)
  issues.push(...ofNode.map((module) => `${name}: imports ${module}`))
}
for (const [name, { budgetKibibytes, ...program }] of Object.entries(esbuildPrograms)) {
  const kibibytes = await esbuildKibibytes(program)
  sizes.push(`${name} by esbuild ${kibibytes.toFixed(1)} of ${budgetKibibytes} KiB`)
  if (kibibytes > budgetKibibytes)
    issues.push(`${name} by esbuild: ${kibibytes.toFixed(1)} KiB after gzip, more than ${budgetKibibytes}`)
}
report("bundle", issues, `${sizes.join("; ")}, after gzip`)
