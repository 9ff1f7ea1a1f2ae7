import { describe, expect, it } from "@effect/vitest"
import * as FakeRestClient from "../src/FakeRestClient.ts"
import * as FakeRpcClient from "../src/FakeRpcClient.ts"
import * as Testkit from "../src/index.ts"

describe("index", () => {
  it("index: exports these names and no others", () => {
    const modules = { ...Testkit, FakeRestClient, FakeRpcClient }
    const names = Object.fromEntries(
      Object.entries(modules).map(([module, members]) => [module, Object.keys(members).toSorted()]),
    )

    expect(names).toStrictEqual({
      FakeChain: ["defaultWallet", "make"],
      FakeRestClient: ["layer", "layerMock"],
      FakeRpcClient: ["layer", "layerMock"],
      FakeService: ["make"],
      Recorder: ["Recording", "make", "replay"],
    })
  })
})
