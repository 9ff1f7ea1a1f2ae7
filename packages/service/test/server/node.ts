/** A minimal node over HTTP whose replies are returned by a function, as text or as any HTTP failure. */
import { FakeNode, LocalServer } from "@daybook/harness"
import { Effect } from "effect"

/** A received call. */
export type Call = Omit<FakeNode.Call, "id">

export type Reply = FakeNode.Reply

export interface Node {
  readonly url: string
  /** All calls except `eth_chainId`. */
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
