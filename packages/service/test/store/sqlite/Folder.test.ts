import { describe, expect, it } from "@effect/vitest"
import * as Folder from "../../../src/store/sqlite/Folder.ts"

describe("Folder", () => {
  describe("chainFile", () => {
    it("maps names of one chain to one file", () => {
      expect(Folder.chainFile("eth")).toBe("chain-eth.sqlite")
      expect(Folder.chainFile("polygon amoy")).toBe("chain-polygon-amoy.sqlite")
      expect(Folder.chainFile("Polygon-Amoy")).toBe("chain-polygon-amoy.sqlite")
    })

    it("never leaves the folder, and separates different chains", () => {
      const names = ["../../etc/passwd", "a/b", "a_b", "a\\b", "..", "", "東京", "é", "x".repeat(300), "x".repeat(301)]

      const files = names.map(Folder.chainFile)

      for (const file of files) expect(file).toMatch(/^chain-[a-z0-9_-]{0,60}\.sqlite$/)
      expect(new Set(files).size).toBe(names.length)
    })
  })
})
