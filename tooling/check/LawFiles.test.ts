import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { isLawful } from "./LawFiles.ts"
import { root } from "./Workspace.ts"

const store = join(root, "packages/service/test/store")

describe("LawFiles", () => {
  it("isLawful: finds laws in a test file, its number of runs, and the laws of a suite that it imports", () => {
    const names = [
      "sqlite/KeyRanges.test.ts",
      "sqlite/Damage.test.ts",
      "sqlite/Engine.test.ts",
      "rows/Checksum.test.ts",
    ]

    expect(names.filter((name) => isLawful(join(store, name)))).toEqual(names)
    expect(isLawful(join(store, "sqlite/Folder.test.ts"))).toBe(false)
  })
})
