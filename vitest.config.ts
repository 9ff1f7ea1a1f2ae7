/**
 * One project per package: `vitest run --project @daybook/schema` runs one of them. Without that option the files of all are one
 * project, whose workers load each module once. `*.integration.test.ts` need the embedded chain or other processes; `--mode integration`,
 * DAYBOOK_INTEGRATION=1, databases of DAYBOOK_TEST_CITUS, or the name of such a file on the command line enables them. Those named
 * `*.chain.test.ts` show the main job on a real chain, and are also enabled by `--mode main`, as in `npm test`. `*.e2e.test.ts`
 * run whole programs, and are run by `--mode e2e` alone: with the sources of the command `daybook`, or, in `--mode built`
 * as in `pnpm test:e2e`, with its built form, as users have it, which starts in a third of the time. The programs of `examples` are
 * tested against the service that `pnpm with-service programs` starts, and those that need none always. Tests and the processes that
 * they start run in a time zone whose offset is neither zero nor whole hours, unless TZ is set. The processes keep their compiled
 * modules, which halves the time of a start. But for end to end, temporary files are in memory unless TMPDIR is set.
 */
import { readdirSync, readFileSync } from "node:fs"
import { availableParallelism } from "node:os"
import { join, relative } from "node:path"
import { configDefaults, defineConfig } from "vitest/config"
import { BaseSequencer, type TestSpecification } from "vitest/node"
import { memoryFolder } from "./tooling/check/MemoryFolder.ts"

process.env["TZ"] ??= "Pacific/Chatham"

const root = import.meta.dirname

process.env["NODE_COMPILE_CACHE"] ??= join(root, "node_modules/.cache/daybook")

const integration =
  process.env["DAYBOOK_INTEGRATION"] === "1" ||
  process.env["DAYBOOK_TEST_CITUS"] !== undefined ||
  process.argv.some((argument) => argument.includes("integration"))

const main = integration || process.argv.some((argument) => argument === "main" || argument.includes(".chain."))

const endToEnd = process.argv.some((argument) => argument.includes("e2e"))

const temporary = process.env["TMPDIR"] ?? (endToEnd ? undefined : memoryFolder())
if (temporary !== undefined) process.env["TMPDIR"] = temporary

const packages = ["packages", "apps", "tooling"].flatMap((folder) =>
  readdirSync(join(root, folder), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => join(root, folder, entry.name)),
)

const nameOf = (folder: string): string | undefined => {
  try {
    const manifest: { readonly name: string } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"))
    return manifest.name
  } catch {
    return undefined
  }
}

const project = (name: string, folder: string, include: ReadonlyArray<string>) => ({
  test: {
    name,
    root: folder,
    include: [...include],
    setupFiles: [join(root, "tooling/check/Seeds.ts")],
    exclude: [
      ...configDefaults.exclude,
      ...(integration ? [] : ["**/*.integration.test.ts"]),
      ...(main ? [] : ["**/*.chain.test.ts"]),
      ...(endToEnd ? [] : ["**/*.e2e.test.ts"]),
    ],
  },
})

const withService = process.env["DAYBOOK_BASE_URL"] !== undefined

const projects = [
  ...packages.flatMap((folder) => {
    const name = nameOf(folder)
    return name === undefined || name === "@daybook/config" ? [] : [project(name, folder, ["test/**/*.test.ts"])]
  }),
  project("@daybook/examples", join(root, "examples"), [withService ? "{src,test}/*.test.{ts,tsx}" : "src/*.test.ts"]),
  project("tooling", join(root, "tooling"), ["{check,mutation}/*.test.ts"]),
]

/** The files of all projects. */
const whole = project(
  "daybook",
  root,
  projects.flatMap(({ test }) => test.include.map((pattern) => join(relative(root, test.root), pattern))),
)

/** Begins with the files that use other processes: a long one that begins last would run alone. */
class IntegrationFirst extends BaseSequencer {
  override async sort(files: Array<TestSpecification>): Promise<Array<TestSpecification>> {
    const isShort = ({ moduleId }: TestSpecification) => !/\.(?:integration|chain)\./.test(moduleId)
    const sorted = await super.sort(files)
    return sorted.toSorted((a, b) => Number(isShort(a)) - Number(isShort(b)))
  }
}

const isSelected = process.argv.some((argument) => argument.startsWith("--project"))

export default defineConfig(({ mode }) => {
  if (mode === "built") process.env["DAYBOOK_MAIN"] = join(root, "packages/service/dist/main.js")
  return {
    test: {
      passWithNoTests: false,
      // A limit for a test that hangs. Laws and tests of real processes take many times longer on a busy machine.
      testTimeout: 180_000,
      hookTimeout: 60_000,
      // Files share the modules of a worker: loading them per file dominates the time of a run.
      isolate: false,
      // A run waits for chains, sockets and processes much of the time, so there is one worker more than cores.
      maxWorkers: availableParallelism() + 1,
      sequence: { sequencer: IntegrationFirst },
      projects: isSelected ? projects : [whole],
    },
  }
})
