import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { afterEach, describe, expect, it } from "vitest"
import { folderOrder, formatOrder } from "./FolderOrder.ts"
import { issues, unprinted } from "./imports.ts"

const created: Array<string> = []

/** A repository of the given files, each package with a package.json that declares what the real ones do. */
const plant = (sources: Readonly<Record<string, string>>): string => {
  const base = mkdtempSync(join(tmpdir(), "daybook-imports-"))
  created.push(base)
  const folders = new Set(Object.keys(sources).map((file) => file.split("/").slice(0, 2).join("/")))
  for (const folder of folders) {
    const dependencies = Object.fromEntries(
      ["schema", "rest", "rpc", "service"].map((name) => [`@daybook/${name}`, "*"]),
    )
    mkdirSync(join(base, folder), { recursive: true })
    writeFileSync(
      join(base, folder, "package.json"),
      JSON.stringify({ name: `@daybook/${folder.split("/")[1]}`, dependencies: { ...dependencies, effect: "*" } }),
    )
  }
  for (const [file, text] of Object.entries(sources)) {
    mkdirSync(dirname(join(base, file)), { recursive: true })
    writeFileSync(join(base, file), text)
  }
  return base
}

afterEach(() => {
  for (const base of created.splice(0)) rmSync(base, { recursive: true })
})

describe("imports", () => {
  it("imports: reports nothing for a repository that keeps the rules", () => {
    const base = plant({
      "packages/schema/src/Hex.ts": `import * as Effect from "effect/Effect"\nexport const hex = Effect.void`,
      "packages/rest/src/RestClient.ts": `import * as Hex from "@daybook/schema/Hex"\nexport * as Page from "./Page.ts"\nexport { Hex }`,
      "packages/rest/src/Page.ts": `export const page = 1`,
    })

    expect(issues(base)).toEqual([])
  })

  it("imports: reports a package that imports against the direction", () => {
    const base = plant({ "packages/schema/src/Hex.ts": `\nimport type { A } from "@daybook/rest/RestClient"` })

    expect(issues(base)).toEqual([
      "packages/schema/src/Hex.ts:2 imports @daybook/rest, but packages/schema may import no package of this repository",
    ])
  })

  it("imports: includes dynamic imports, re-exports and import types", () => {
    const base = plant({
      "packages/rest/src/A.ts": `export const a = () => import("@daybook/rpc/RpcClient")`,
      "packages/rest/src/B.ts": `export * from "@daybook/rpc/RpcClient"`,
      "packages/rest/src/C.ts": `export type C = import("@daybook/rpc/RpcClient").RpcClient`,
    })

    expect(issues(base).map((issue) => issue.split(" ")[0])).toEqual([
      "packages/rest/src/A.ts:1",
      "packages/rest/src/B.ts:1",
      "packages/rest/src/C.ts:1",
    ])
  })

  it("imports: rejects an import of a later folder, and one between server and indexer", () => {
    const base = plant({
      "packages/service/src/server/HttpServer.ts": `import "../indexer/ChainIndexer.ts"\nimport "./rest/Cursor.ts"`,
      "packages/service/src/indexer/ChainIndexer.ts": `import "../store/Engine.ts"`,
      "packages/service/src/store/Engine.ts": `import "../server/rest/Cursor.ts"`,
      "packages/service/src/server/rest/Cursor.ts": ``,
    })

    expect(issues(base)).toEqual([
      "packages/service/src/server/HttpServer.ts:1: server must not import indexer/ChainIndexer.ts",
      "packages/service/src/store/Engine.ts:1: store/Engine must not import server/rest/Cursor.ts, since server/rest comes after it",
    ])
  })

  it("imports: rejects a folder that the order lacks", () => {
    const base = plant({
      "packages/service/src/misc/Text.ts": `import "../label/Label.ts"`,
      "packages/service/src/label/Label.ts": ``,
    })

    expect(issues(base)).toEqual([
      "packages/service/src/misc/Text.ts:1: the order of the folders of packages/service lacks packages/service/src/misc/Text.ts",
    ])
  })

  it("imports: requires that the order of folders is printed, whatever its line breaks", () => {
    const printed = Object.values(folderOrder).map(formatOrder).join("\n")

    expect(unprinted(printed.replaceAll(" < ", "\n  < "))).toEqual([])
    expect(unprinted(printed.replace("label < config", "config < label"))).toHaveLength(1)
  })

  it("imports: an engine's folder: only the table of URL schemes may import it", () => {
    const base = plant({
      "packages/service/src/store/Engine.ts": `import "./sqlite/Engine.ts"`,
      "packages/service/src/store/sqlite/Engine.ts": `import "./RowId.ts"`,
      "packages/service/src/store/sqlite/RowId.ts": ``,
      "packages/service/src/cli/StatusCommand.ts": `import "../store/sqlite/RowId.ts"`,
      "packages/service/src/store/Audit.ts": `import "./sqlite/RowId.ts"`,
      "packages/service/src/indexer/ChainIndexer.ts": `import "../store/postgres/Entry.ts"`,
      "packages/service/src/store/postgres/Entry.ts": ``,
    })

    expect(issues(base)).toEqual([
      "packages/service/src/cli/StatusCommand.ts:1: the service must not import store/sqlite/RowId.ts",
      "packages/service/src/indexer/ChainIndexer.ts:1: the service must not import store/postgres/Entry.ts",
      "packages/service/src/store/Audit.ts:1: store must not import store/sqlite/RowId.ts, since store/sqlite comes after it",
      "packages/service/src/store/Audit.ts:1: the service must not import store/sqlite/RowId.ts",
    ])
  })

  it("imports: reports a cycle once, with its path", () => {
    const base = plant({
      "packages/rpc/src/A.ts": `import "./B.ts"`,
      "packages/rpc/src/B.ts": `import "./C.ts"`,
      "packages/rpc/src/C.ts": `import "./A.ts"`,
    })

    expect(issues(base)).toEqual([
      "circular import: packages/rpc/src/A.ts -> packages/rpc/src/B.ts -> packages/rpc/src/C.ts -> packages/rpc/src/A.ts",
    ])
  })

  it("imports: reports an undeclared package, and a Node module in a portable package", () => {
    const base = plant({ "packages/rpc/src/A.ts": `import "left-pad"\nimport "node:fs"` })

    expect(issues(base)).toEqual([
      "packages/rpc/src/A.ts:1 imports left-pad, which packages/rpc/package.json does not declare",
      "packages/rpc/src/A.ts:2 imports node:fs, but packages/rpc also runs without Node",
    ])
  })

  it("imports: reports a conditional import that package.json does not declare", () => {
    const base = plant({ "packages/rpc/src/A.ts": `import "#platform"` })

    expect(issues(base)).toEqual([
      "packages/rpc/src/A.ts:1 imports #platform, which packages/rpc/package.json does not have under imports",
    ])
  })

  it("imports: reports an import of another package's files", () => {
    const base = plant({
      "packages/rpc/src/A.ts": `import "../../schema/src/Hex.ts"`,
      "packages/schema/src/Hex.ts": ``,
    })

    expect(issues(base)).toEqual([
      "packages/rpc/src/A.ts:1 reaches into packages/schema/src/Hex.ts: import the package instead",
    ])
  })
})
