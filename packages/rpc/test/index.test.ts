/** The public surface of the package. */
import { describe, expect, it } from "@effect/vitest"
import * as Rpc from "../src/index.ts"
import * as promise from "../src/promise.ts"
import * as viem from "../src/viem.ts"
import * as websocket from "../src/websocket.ts"
import * as WebSocketClient from "../src/WebSocketClient.ts"

describe("index", () => {
  it("index: exports exactly these names", () => {
    const names = Object.fromEntries(
      Object.entries({ ...Rpc, promise, viem, websocket, WebSocketClient }).map(([module, members]) => [
        module,
        Object.keys(members).sort(),
      ]),
    )

    expect(names).toEqual({
      Client: [],
      EndpointPool: [
        "AllEndpointsFailed",
        "callOrder",
        "canFailOver",
        "initial",
        "isHealthy",
        "make",
        "step",
        "verdictOf",
      ],
      ErrorKind: ["fromError", "isRetryable"],
      Method: [],
      Options: [],
      RequestBytes: ["requestBytes"],
      Revert: ["formatReason", "fromData", "fromError"],
      RpcClient: ["RpcClient", "layer", "layerConfig", "make", "makeScoped", "makeUnsafe"],
      Resource: [
        "Address",
        "Chain",
        "Hash",
        "Hex",
        "Wei",
        "entryPoints",
        "fee",
        "toJson",
        "transferTopics",
        "transfers",
        "userOperations",
      ],
      RpcError: ["InvalidParams", "RpcError", "isRpcError"],
      promise: [
        "Address",
        "Chain",
        "Hash",
        "Hex",
        "Wei",
        "createRpcClient",
        "entryPoints",
        "fee",
        "isRpcError",
        "toJson",
        "transferTopics",
        "transfers",
        "userOperations",
      ],
      viem: ["ProviderError", "daybookTransport", "toLogs"],
      websocket: ["SubscriptionOverflow", "createWebSocketClient", "isRpcError"],
      WebSocketClient: ["SubscriptionOverflow", "make", "makeUnsafe"],
    })
  })
})
