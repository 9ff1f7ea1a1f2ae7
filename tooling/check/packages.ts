/**
 * Writes the packages as tarballs into a folder, for programs outside the repository, and prints what installs them:
 * `npm run packages -- FOLDER`. The service is left out unless `--service` is given.
 */
import { mkdirSync } from "node:fs"
import { join, resolve } from "node:path"
import { parseArgs } from "node:util"
import * as Packing from "./Packing.ts"
import { published } from "./Workspace.ts"

const { positionals, values } = parseArgs({ allowPositionals: true, options: { service: { type: "boolean" } } })
const [given] = positionals
if (given === undefined) throw new Error("No folder was given. Run: npm run packages -- FOLDER")
const folder = resolve(given)
const names = published.filter((name) => name !== "service" || values.service === true)
mkdirSync(folder, { recursive: true })
await Packing.pack(folder, names)

const file = (name: string): string => join(folder, `daybook-${name}.tgz`)
console.log(`In your project, with npm:\n\n  npm install ${names.map(file).join(" ")} effect\n`)
console.log(
  "With pnpm, write into pnpm-workspace.yaml what follows, and then install as the README states:\n\noverrides:",
)
for (const name of names) console.log(`  "@daybook/${name}": file:${file(name)}`)
