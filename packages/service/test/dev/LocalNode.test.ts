import { FakeNode } from "@daybook/harness"
import { describe, expect, it, onTestFinished } from "@effect/vitest"
import { Effect } from "effect"
import * as LocalNode from "../../src/dev/LocalNode.ts"

const answers: Readonly<Record<string, unknown>> = {
  eth_chainId: "0x1",
  web3_clientVersion: "anvil/v1.7.1",
  anvil_nodeInfo: { forkConfig: { forkBlockNumber: 20_000_000 } },
}

/** A fork of mainnet, of which `unanswered` closes the connection. */
const startFork = async (unanswered?: string): Promise<string> => {
  const server = await FakeNode.start(({ method }) => {
    if (method === unanswered) return FakeNode.disconnect
    return method in answers ? { result: answers[method] } : FakeNode.missing
  })
  onTestFinished(server.stop)
  return server.url
}

describe("find", () => {
  it("reads the chain and the fork block of a node, even if it lacks the methods of other nodes", async () => {
    const node = await Effect.runPromise(LocalNode.find(await startFork()))

    expect(node).toMatchObject({ chainId: 1, client: "anvil/v1.7.1", forkBlock: 20_000_000, accounts: [] })
  })

  it("finds no node while a call is unanswered, since a fork would be taken for another chain", async () => {
    expect(await Effect.runPromise(LocalNode.find(await startFork("anvil_nodeInfo")))).toBeNull()
    expect(await Effect.runPromise(LocalNode.find(await startFork("eth_accounts")))).toBeNull()
  })

  it("rejects a URL at which no node can respond, with the reason", async () => {
    await expect(Effect.runPromise(LocalNode.find("127.0.0.1:8545"))).rejects.toThrow('Invalid option "url"')
  })
})
