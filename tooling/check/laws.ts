/**
 * Runs the test files that have laws, or campaigns of which `npm test` makes a part, once per seed: `pnpm laws --seeds 20 --from 2`.
 * Seed 1 is that of `npm test`. With `DAYBOOK_LAWS=1` each makes all of its runs. Prints the failures of each seed, which
 * `DAYBOOK_TEST_SEED=N pnpm vitest FILE` repeats. Ends with 1 if a seed failed.
 */
import { join } from "node:path"
import { parseArgs } from "node:util"
import { isLawful } from "./LawFiles.ts"
import { files, root, run } from "./Workspace.ts"

const { values } = parseArgs({
  options: { seeds: { type: "string", default: "10" }, from: { type: "string", default: "2" } },
})
const [seeds, from] = [Number(values.seeds), Number(values.from)]
if (!Number.isSafeInteger(seeds) || seeds < 1 || !Number.isSafeInteger(from))
  throw new RangeError(`--seeds and --from: expected whole numbers, received ${values.seeds} and ${values.from}`)

const lawful = ["packages", "apps", "tooling"].flatMap((folder) =>
  files(join(root, folder), ".test.ts")
    .map((file) => join(folder, file))
    .filter((file) => !file.endsWith(".e2e.test.ts") && isLawful(join(root, file))),
)

let failed = 0
for (let seed = from; seed < from + seeds; seed++) {
  const { code, output } = await run("vitest", ["run", "--mode", "integration", ...lawful], {
    env: { DAYBOOK_TEST_SEED: String(seed) },
  })
  const summary = output.match(/^ +Tests .*$/m)?.[0].trim() ?? "no summary"
  process.stdout.write(`seed ${seed}: ${summary}\n`)
  if (code === 0) continue
  failed++
  process.stdout.write(output.slice(Math.max(0, output.indexOf("Failed Tests"))))
}
process.stdout.write(`laws: ${lawful.length} files, ${seeds} seeds, ${failed} failed\n`)
process.exitCode = failed === 0 ? 0 : 1
