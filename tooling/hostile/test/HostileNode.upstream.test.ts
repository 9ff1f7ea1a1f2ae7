import { HostileNode } from "@daybook/hostile"
import { Effect } from "effect"
import { expect, it } from "vitest"
import { Anvil } from "@daybook/chain"

it("HostileNode.make: relays the replies of an upstream node and applies its faults to them", async () => {
  const program = Effect.gen(function* () {
    const anvil = yield* Anvil.make({ chainId: 77 })
    const node = yield* HostileNode.make({ upstream: anvil.url, script: [{ fault: "reordered" }] })
    const body = JSON.stringify([
      { jsonrpc: "2.0", id: "a", method: "eth_chainId", params: [] },
      { jsonrpc: "2.0", id: "b", method: "eth_noSuchMethod", params: [] },
    ])
    const headers = { "content-type": "application/json" }
    const received = yield* Effect.promise(() =>
      fetch(node.url, { method: "POST", headers, body }).then((response) => response.json()),
    )

    expect(received).toMatchObject([
      { id: "b", error: { code: -32601 } },
      { id: "a", result: "0x4d" },
    ])
  })

  await Effect.runPromise(Effect.scoped(program))
})
