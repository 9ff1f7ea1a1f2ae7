import { describe, expect, it } from "vitest"
import { barrel } from "./barrels.ts"

const exported = (text: string): ReadonlyArray<string> => text.split("\n").filter((line) => line.startsWith("export"))

describe("barrel", () => {
  it("barrel: exports each module as a namespace, without itself and internal modules", () => {
    const text = barrel("@daybook/x", ["Block.ts", "Hex.ts", "index.ts", "internal/Table.ts"], { leaveOut: [] })

    expect(exported(text)).toEqual(['export * as Block from "./Block.ts"', 'export * as Hex from "./Hex.ts"'])
  })

  it("barrel: omits the modules that are imported by their path", () => {
    const text = barrel("@daybook/x", ["Client.ts", "promise.ts"], { leaveOut: ["promise"] })

    expect(exported(text)).toEqual(['export * as Client from "./Client.ts"'])
  })

  it("barrel: exports the listed modules that exist", () => {
    const text = barrel("@daybook/x", ["Config.ts", "main.ts"], { only: ["Config", "Service"] })

    expect(exported(text)).toEqual(['export * as Config from "./Config.ts"'])
  })
})
