/**
 * Verifies that each package has tests, all below its folder `test`, and that each published package has one that pins its
 * exported names. Vitest does not report a package without test files.
 */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { files, published, report, root } from "./Workspace.ts"

const testsOf = (folder: string): ReadonlyArray<string> => files(join(root, folder, "test"), ".test.ts")

const without = [
  ...published.map((name) => `packages/${name}`),
  "tooling/harness",
  "tooling/hostile",
  "apps/demo",
  "apps/explorer",
  "tooling/chain",
]
  .filter((folder) => testsOf(folder).length === 0)
  .map((folder) => `${folder} has no tests`)

const misplaced = ["packages", "apps", "tooling/chain", "tooling/harness", "tooling/hostile"]
  .flatMap((folder) => files(join(root, folder), ".test.ts").map((file) => `${folder}/${file}`))
  .filter((file) => !/^(?:packages|apps|tooling)\/[^/]+\/test\//.test(file))
  .map((file) => `${file} is outside test/, where it does not run`)

const unpinned = published
  .filter((name) => {
    const folder = join(root, "packages", name, "test")
    return !files(folder, ".test.ts").some((file) => /Object\.keys\(/.test(readFileSync(join(folder, file), "utf8")))
  })
  .map((name) => `packages/${name} has no test that pins its exported names (Object.keys of its modules)`)

report("tests", [...without, ...misplaced, ...unpinned], "each package has tests, and one that pins its exported names")
