import { assert, describe, it } from "@effect/vitest"
import * as Rpc from "../src/index.ts"
import * as promise from "../src/promise.ts"
import * as viem from "../src/viem.ts"

describe("index", () => {
  it("exports these names and no others", () => {
    const names = Object.fromEntries(
      Object.entries({ ...Rpc, promise, viem }).map(([module, members]) => [module, Object.keys(members).sort()]),
    )

    assert.deepStrictEqual(names, {
      ErrorKind: ["isRetryable", "of", "table"],
      Method: [],
      Options: [],
      Revert: ["fromData", "fromError"],
      RpcClient: ["RpcClient", "layer", "layerConfig", "make", "makeScoped", "makeUnsafe"],
      RpcError: ["InvalidParams", "RpcError"],
      promise: ["createRpcClient"],
      viem: ["ProviderError", "daybookTransport"],
    })
  })
})
