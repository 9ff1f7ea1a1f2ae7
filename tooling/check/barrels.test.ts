import { describe, expect, it } from "vitest"
import { barrel } from "./barrels.ts"

const exported = (text: string): ReadonlyArray<string> => text.split("\n").filter((line) => line.startsWith("export"))

describe("barrel", () => {
  it("shows each module as a namespace, and neither itself nor what is internal", () => {
    const text = barrel("@daybook/x", ["Block.ts", "Hex.ts", "index.ts", "internal/Table.ts"], { leaveOut: [] })

    expect(exported(text)).toEqual(['export * as Block from "./Block.ts"', 'export * as Hex from "./Hex.ts"'])
  })

  it("leaves out the modules that are imported by their path", () => {
    const text = barrel("@daybook/x", ["Client.ts", "promise.ts"], { leaveOut: ["promise"] })

    expect(exported(text)).toEqual(['export * as Client from "./Client.ts"'])
  })

  it("shows of the service what its rule names, once it exists", () => {
    const text = barrel("@daybook/x", ["Config.ts", "main.ts"], { only: ["Config", "Service"] })

    expect(exported(text)).toEqual(['export * as Config from "./Config.ts"'])
  })
})
