import { homedir } from "node:os"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import * as CompileCache from "../../src/cli/CompileCache.ts"

describe("CompileCache", () => {
  it("folder: is below that of the environment where it is absolute, else below the home of the user", () => {
    const usual = join(homedir(), ".cache", "daybook")

    expect(CompileCache.folder({ XDG_CACHE_HOME: "/var/cache/ann" })).toBe("/var/cache/ann/daybook")
    expect(CompileCache.folder({ XDG_CACHE_HOME: "relative" })).toBe(usual)
    expect(CompileCache.folder({})).toBe(usual)
  })
})
