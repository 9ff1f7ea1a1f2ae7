/** A node of the attacked chain that answers each call with the text that a function returns. */
import { FakeNode } from "@daybook/harness"

/** Starts a node; `resultOf` returns the JSON text of a result. */
export const start = (resultOf: (method: string, params: ReadonlyArray<unknown>) => string | Buffer) =>
  FakeNode.start(({ method, params }) => ({
    member: `"result":${method === "eth_chainId" ? '"0x7a69"' : resultOf(method, params).toString()}`,
  }))
