/**
 * Every published package and the demo have tests, and each published package pins its exported names in one.
 * Vitest alone would not say so: a project without test files passes.
 */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { files, published, report, root } from "./Workspace.ts"

const testsOf = (folder: string): ReadonlyArray<string> => files(join(root, folder, "test"), ".test.ts")

const without = [...published.map((name) => `packages/${name}`), "apps/demo", "tooling/chain"]
  .filter((folder) => testsOf(folder).length === 0)
  .map((folder) => `${folder} has no tests`)

const strays = ["packages", "apps", "tooling/chain"]
  .flatMap((folder) => files(join(root, folder), ".test.ts").map((file) => `${folder}/${file}`))
  .filter((file) => !/^(?:packages|apps|tooling)\/[^/]+\/test\//.test(file))
  .map((file) => `${file} lies outside test/, where no project looks for it`)

const unpinned = published
  .filter((name) => {
    const folder = join(root, "packages", name, "test")
    return !files(folder, ".test.ts").some((file) => /Object\.keys\(/.test(readFileSync(join(folder, file), "utf8")))
  })
  .map((name) => `packages/${name} has no test that pins its exported names (Object.keys of its modules)`)

report("tests", [...without, ...strays, ...unpinned], "each package has tests, and one that pins its exported names")
