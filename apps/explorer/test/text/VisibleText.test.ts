import { describe, expect, it } from "vitest"
import { isolated } from "../../src/text/VisibleText.ts"

describe("VisibleText", () => {
  it("isolated: encloses the visible text in marks that isolate its direction", () => {
    expect(isolated("\u2069عملة")).toBe("\u2068[U+2069]عملة\u2069")
  })
})
