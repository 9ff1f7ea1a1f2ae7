import { describe, expect, it } from "vitest"
import * as ChainSlug from "../../../src/store/rows/ChainSlug.ts"

describe("ChainSlug", () => {
  it("make: names of one chain share a slug, and others do not, whatever separates their words", () => {
    for (const separator of ["-", "_"] as const) {
      const slugs = ["polygon amoy", "Polygon-Amoy", "polygon_amoy", "polygonamoy", "polygon/amoy"].map((name) =>
        ChainSlug.make(name, separator),
      )

      expect(slugs[0]).toBe(`polygon${separator}amoy`)
      expect(slugs[1]).toBe(slugs[0])
      expect(new Set(slugs).size).toBe(4)
    }
  })
})
