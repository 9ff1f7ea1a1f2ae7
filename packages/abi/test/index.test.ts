import { describe, expect, it } from "vitest"
import * as Abi from "../src/index.ts"

describe("index", () => {
  it("index: exports these names and no others", () => {
    const names = Object.fromEntries(
      Object.entries(Abi).map(([module, members]) => [module, Object.keys(members).sort()]),
    )

    expect(names).toStrictEqual({
      AbiReader: ["digitsOf", "read", "readTopic"],
      AbiType: ["fromParameter", "maxDepth", "tuple"],
      Decoder: ["fromSignatures", "inOrder", "make", "makeSet"],
      InputText: ["fromHex"],
      KnownSignatures: ["decoder", "lines"],
      Sentence: ["format", "fromFacts"],
      Signature: ["InvalidSignature", "fromItem", "fromText", "toText"],
      StandardErrors: ["all"],
    })
  })
})
