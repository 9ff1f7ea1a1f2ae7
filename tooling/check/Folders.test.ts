import { describe, expect, it } from "vitest"
import { arrows, arrowsBack, circles } from "./Folders.ts"

/** A package whose files import each other as given by a map from paths in `src` to paths in `src`. */
const graph = (files: Readonly<Record<string, ReadonlyArray<string>>>) =>
  arrows(
    Object.entries(files).map(([path, targets]) => ({
      path: `packages/x/src/${path}`,
      text: targets.map((target) => `import "${"../".repeat(path.split("/").length - 1) || "./"}${target}"`).join("\n"),
    })),
  )

const names = (all: ReturnType<typeof arrows>) => all.map(({ from, to }) => `${from} -> ${to}`)

describe("arrows", () => {
  it("arrows: names each pair of folders once, with all imports that cause it", () => {
    expect(graph({ "a/A.ts": ["b/B.ts", "a/C.ts", "b/D.ts"] })).toEqual([
      { from: "a", to: "b", places: ["packages/x/src/a/A.ts:1", "packages/x/src/a/A.ts:3"] },
    ])
  })

  it("arrows: treats a file of src as a folder, and omits the barrel and internal", () => {
    const found = graph({
      "main.ts": ["a/A.ts"],
      "index.ts": ["a/A.ts"],
      "a/A.ts": ["internal/B.ts"],
      "internal/B.ts": ["main.ts"],
    })

    expect(names(found)).toEqual(["main -> a"])
  })
})

describe("circles", () => {
  it("circles: groups the folders that reach each other, and omits those on the way to a circle", () => {
    const found = graph({ "a/A.ts": ["b/B.ts"], "b/B.ts": ["c/C.ts"], "c/C.ts": ["b/B.ts", "d/D.ts"], "d/D.ts": [] })

    expect(circles(found)).toEqual([["b", "c"]])
  })
})

describe("arrowsBack", () => {
  it("arrowsBack: is empty if the folders have an order", () => {
    expect(arrowsBack(graph({ "a/A.ts": ["b/B.ts", "c/C.ts"], "b/B.ts": ["c/C.ts"] }))).toEqual([])
  })

  it("arrowsBack: names the single arrow that closes two circles", () => {
    const found = graph({
      "a/A.ts": ["b/B.ts"],
      "b/B.ts": ["c/C.ts"],
      "c/C.ts": ["a/A.ts"],
      "d/D.ts": ["b/B.ts"],
      "a/E.ts": ["d/D.ts"],
    })

    expect(names(arrowsBack(found))).toHaveLength(1)
  })

  it("arrowsBack: prefers the arrow with fewer imports", () => {
    const found = graph({ "a/A.ts": ["b/B.ts"], "a/C.ts": ["b/B.ts"], "b/B.ts": ["a/A.ts"] })

    expect(names(arrowsBack(found))).toEqual(["b -> a"])
  })
})
