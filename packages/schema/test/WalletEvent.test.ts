import { describe, expect, it } from "vitest"
import * as WalletEvent from "../src/WalletEvent.ts"

describe("WalletEvent", () => {
  it("types: lists the types of all events that can be decoded", () => {
    const decoded = WalletEvent.WalletEvent.members.map(({ fields }) => fields.type.literal)

    expect(WalletEvent.types).toEqual(decoded)
  })
})
