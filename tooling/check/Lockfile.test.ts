import { describe, expect, it } from "vitest"
import * as Lockfile from "./Lockfile.ts"

const manifest = { dependencies: { vite: "5.4.21" } }
const lockfile = {
  packages: {
    "": { dependencies: { vite: "5.4.21" } },
    "node_modules/vite": { dependencies: { rollup: "^4.20.0" } },
    "node_modules/vite/node_modules/rollup": { optionalDependencies: { "@rollup/rollup-linux-x64-gnu": "4.53.3" } },
    "node_modules/@rollup/rollup-linux-x64-gnu": {},
  },
}
const withPackage = (path: string, entry: object) => ({ packages: { ...lockfile.packages, [path]: entry } })

describe("Lockfile.issues", () => {
  it("accepts a lockfile in which every dependency is found from its folder upwards", () => {
    expect(Lockfile.issues(manifest, lockfile)).toEqual([])
  })

  it("reports an optional dependency of another platform that has no entry", () => {
    const incomplete = withPackage("node_modules/vite/node_modules/rollup", {
      optionalDependencies: { "@rollup/rollup-linux-x64-gnu": "4.53.3", "@rollup/rollup-darwin-arm64": "4.53.3" },
    })

    expect(Lockfile.issues(manifest, incomplete)).toEqual([
      "the lockfile has no entry for @rollup/rollup-darwin-arm64 4.53.3 of node_modules/vite/node_modules/rollup",
    ])
  })

  it("does not find a dependency in the folder of a sibling", () => {
    const nested = withPackage("node_modules/zod", { dependencies: { rollup: "4.53.3" } })

    expect(Lockfile.issues(manifest, nested)).toEqual([
      "the lockfile has no entry for rollup 4.53.3 of node_modules/zod",
    ])
  })

  it("reports a range in package.json and a lockfile made from another one", () => {
    expect(Lockfile.issues({ dependencies: { vite: "^5.4.21" } }, lockfile)).toEqual([
      "package.json does not pin vite to one version: ^5.4.21",
      "package.json has vite ^5.4.21, the lockfile 5.4.21",
    ])
  })

  it("accepts an alias of an exact version", () => {
    const aliased = { dependencies: { "undici-8": "npm:undici@8.12.4" } }
    const packages = { "": aliased, "node_modules/undici-8": {} }

    expect(Lockfile.issues(aliased, { packages })).toEqual([])
  })

  it("reports the address of a registry without showing it", () => {
    const resolved = withPackage("node_modules/zod", { resolved: "https://registry.example/zod.tgz" })

    expect(Lockfile.issues(manifest, resolved)).toEqual([
      "the lockfile names the address that node_modules/zod was downloaded from",
    ])
  })
})
