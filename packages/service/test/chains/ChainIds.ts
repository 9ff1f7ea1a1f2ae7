/** Serves one node as the node of many chains: the path of a request is the requested chain id. */
import { FakeNode, FaultyServer, LocalServer } from "@daybook/harness"
import { Effect } from "effect"

const replyTo = ({ method, params }: FakeNode.Call, chain: number, node: string): unknown => {
  if (method === "eth_chainId") return { result: `0x${chain.toString(16)}` }
  return method === "net_version" ? { result: String(chain) } : FakeNode.forward(node, { method, params })
}

/** Listens until the scope ends; returns the URL for a chain. */
export const serve = (node: string) =>
  Effect.map(
    LocalServer.scoped(() =>
      FaultyServer.start(async ({ body, url }) => {
        const { calls, isBatch } = FakeNode.callsOf(body)
        const items = await Promise.all(
          calls.map(async (call) => ({
            jsonrpc: "2.0",
            id: call.id,
            ...((await replyTo(call, Number(url.slice(1)), node)) as object),
          })),
        )
        return { body: JSON.stringify(isBatch ? items : items[0]) }
      }),
    ),
    ({ url }) =>
      (chain: number) =>
        `${url}/${chain}`,
  )
