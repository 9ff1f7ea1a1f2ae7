/** Holds the size of what a web page downloads to use a client. A module of Node in the default entries fails the bundling. */
import { bundle, programs } from "./BrowserBundle.ts"
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
report("bundle", issues, `${sizes.join("; ")}, after gzip`)
