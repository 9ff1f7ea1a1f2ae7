/** A node of the attacked chain whose results are returned by a function. */
import { FakeNode } from "@daybook/harness"

/** Starts a node; `resultOf` returns a result as JSON text. */
export const start = (resultOf: (method: string, params: ReadonlyArray<unknown>) => string | Buffer) =>
  FakeNode.start(({ method, params }) => ({
    member: `"result":${method === "eth_chainId" ? '"0x7a69"' : resultOf(method, params).toString()}`,
  }))
