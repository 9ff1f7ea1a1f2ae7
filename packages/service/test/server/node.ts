/** A node in a few lines: answers by a function, as text, and can fail in every way that HTTP knows. */
import { FakeNode, LocalServer } from "@daybook/harness"
import { Effect } from "effect"

/** A call as it arrived. */
export type Call = Omit<FakeNode.Call, "id">

export type Reply = FakeNode.Reply

/** A node that runs. */
export interface Node {
  readonly url: string
  /** All calls but `eth_chainId`. */
  readonly calls: ReadonlyArray<Call>
}

/** The text of a result. */
export const result = (text: string): Reply => ({ member: `"result":${text}` })

/** The text of an error. */
export const error = (text: string): Reply => ({ member: `"error":${text}` })

/** Starts a node of chain `id` until the scope ends. */
export const start = (reply: (call: Call) => Reply, id = 1) => {
  const calls: Array<Call> = []
  return Effect.map(
    LocalServer.scoped(() =>
      FakeNode.start(({ method, params }) => {
        if (method === "eth_chainId") return result(`"0x${id.toString(16)}"`)
        calls.push({ method, params })
        return reply({ method, params })
      }),
    ),
    ({ url }): Node => ({ url: `${url}/`, calls }),
  )
}
