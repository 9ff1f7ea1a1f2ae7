import { describe, expect, it } from "@effect/vitest"
import * as Rest from "../src/index.ts"
import * as promise from "../src/promise.ts"

describe("index", () => {
  it("index: exports these names and no others", () => {
    const names = Object.fromEntries(
      Object.entries(Rest).map(([module, members]) => [module, Object.keys(members).sort()]),
    )

    expect(names).toStrictEqual({
      Client: [],
      ExplorerClient: ["createExplorerClient"],
      Operation: [],
      Query: [
        "encode",
        "encodeBalances",
        "encodeEvents",
        "encodeMovements",
        "encodeProof",
        "encodePutContract",
        "encodeRemoveContract",
        "encodeSignedStatement",
        "encodeStatement",
        "encodeUserOperations",
      ],
      RestClient: ["RestClient", "layer", "layerConfig", "make"],
      Resource: [
        "Address",
        "Chain",
        "Decoded",
        "Hash",
        "Hex",
        "VisibleText",
        "Wei",
        "entryPoints",
        "fee",
        "rowId",
        "toJson",
        "topics",
        "transfers",
        "userOperations",
      ],
      RestError: [
        "BadRequest",
        "Forbidden",
        "NotFound",
        "OutOfOrder",
        "QuotaExceeded",
        "StaleCursor",
        "Unavailable",
        "isRestError",
      ],
      UserOperationClient: ["createUserOperationClient", "make"],
      WebhookClient: ["createWebhookClient", "make"],
    })
  })
})

describe("promise", () => {
  it("promise: exports the constructor, the guard for errors, and helpers for values", () => {
    expect(Object.keys(promise).toSorted()).toStrictEqual([
      "Address",
      "Chain",
      "Decoded",
      "Hash",
      "Hex",
      "VisibleText",
      "Wei",
      "createRestClient",
      "entryPoints",
      "fee",
      "isRestError",
      "rowId",
      "toJson",
      "topics",
      "transfers",
      "userOperations",
    ])
  })
})
