import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"
import * as Edit from "./Edit.ts"
import * as Interruption from "./Interruption.ts"
import * as Safeguards from "./Safeguards.ts"

const sourceOf = (file: string) => {
  const url = new URL(`../../src/${file}`, import.meta.url)
  return { url: url.href, source: readFileSync(fileURLToPath(url), "utf8") }
}

const expectEdited = (edits: ReadonlyArray<Edit.Edit>) => {
  for (const { file } of edits) {
    const { source, url } = sourceOf(file)

    expect(Edit.apply(edits, url, source)).not.toBe(source)
  }
}

describe("Edit", () => {
  describe("apply", () => {
    it("apply: announces the statements of both engines", () => expectEdited(Interruption.edits))

    it.each(Safeguards.all.map((safeguard) => [safeguard.subject, safeguard.name, safeguard] as const))(
      "apply: removes the safeguard of %s that %s",
      (_, __, { edits }) => expectEdited(edits),
    )

    it("apply: throws for a text that is not in the source", () => {
      const edits = [{ file: "store/Space.ts", from: "no such text", to: "" }]
      const { source, url } = sourceOf("store/Space.ts")

      expect(() => Edit.apply(edits, url, source)).toThrow("Text of an edit not found in store/Space.ts: no such text")
    })
  })
})
