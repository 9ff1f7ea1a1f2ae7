/**
 * The tests of one target of a mutation run, named by DAYBOOK_MUTATION_FOLDER and DAYBOOK_MUTATION_TESTS. Small files run
 * first, because the first failing test ends the run of a mutant and the long files are laws and whole scripts. Files that
 * start servers (`*.mutation.ts`) run last. Integration tests run only if a target names them.
 */
import { statSync } from "node:fs"
import { join } from "node:path"
import { configDefaults, defineConfig } from "vitest/config"
import { BaseSequencer } from "vitest/node"
import type { TestSpecification } from "vitest/node"

class SmallestFirst extends BaseSequencer {
  override async sort(files: Array<TestSpecification>): Promise<Array<TestSpecification>> {
    const size = ({ moduleId }: TestSpecification): number =>
      moduleId.endsWith(".mutation.ts") ? Number.MAX_SAFE_INTEGER : statSync(moduleId).size
    return files.toSorted((one, other) => size(one) - size(other))
  }
}

process.env["TZ"] ??= "Pacific/Chatham"

const tests: ReadonlyArray<string> = JSON.parse(process.env["DAYBOOK_MUTATION_TESTS"] ?? "[]")

/** Factor of every time limit: otherwise mutants that are only slow on a busy machine would count as detected. */
const patience = Number(process.env["DAYBOOK_MUTATION_PATIENCE"] ?? "1")

export default defineConfig({
  test: {
    root: process.env["DAYBOOK_MUTATION_FOLDER"] ?? ".",
    include: [...tests],
    setupFiles: ["Preload.ts", "Laws.ts", "../check/Seeds.ts"].map((file) => join(import.meta.dirname, file)),
    // Each mutant has its own worker, which its test files share.
    isolate: false,
    exclude: [
      ...configDefaults.exclude,
      "**/*.e2e.test.ts",
      ...(tests.some((pattern) => pattern.includes(".integration.")) ? [] : ["**/*.{integration,chain}.test.ts"]),
    ],
    // Ends a mutant that hangs, and leaves time for laws on a busy machine.
    testTimeout: 12_000 * patience,
    hookTimeout: 30_000 * patience,
    // In order, after the one of Stryker, which activates a mutant that is decided when its source loads.
    sequence: { sequencer: SmallestFirst, setupFiles: "list" },
  },
})
