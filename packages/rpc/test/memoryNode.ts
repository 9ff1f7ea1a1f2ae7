/** An in-memory node: a `fetch` that responds to calls without sockets, so that tests run with the test clock. */
import type { Fetch } from "@daybook/transport/Fetch"
import { Effect } from "effect"
import { Eventually } from "@daybook/harness"
import type { ReceivedCall } from "./server.ts"

/** Responds to the calls of a request with its body, or with a whole response. `number` counts requests from 1. */
export type Respond = (calls: ReadonlyArray<ReceivedCall>, number: number) => unknown

export interface MemoryNode {
  readonly fetch: Fetch
  /** Calls of each request, in order of arrival. */
  readonly requests: ReadonlyArray<ReadonlyArray<ReceivedCall>>
  /** Waits for the request with this number to arrive. */
  readonly received: (number: number) => Effect.Effect<void, Eventually.ConditionNotMet>
  /** True for requests that the client has aborted. */
  readonly aborted: ReadonlyArray<boolean>
}

const callsOf = (text: string): ReadonlyArray<ReceivedCall> => {
  const body: ReceivedCall | ReadonlyArray<ReceivedCall> = JSON.parse(text)
  return "id" in body ? [body] : body
}

/** Replies with the same result to each call. */
export const results =
  (result: unknown): Respond =>
  (calls) => {
    const replies = calls.map(({ id }) => ({ jsonrpc: "2.0", id, result }))
    return calls.length === 1 ? replies[0] : replies
  }

/** Replies with this error. */
export const error =
  (code: number, message: string, data?: unknown): Respond =>
  ([call]) => ({ jsonrpc: "2.0", id: call?.id, error: { code, message, data } })

/** Responds to the n-th request with the n-th response, and to later ones with the last. */
export const memoryNode = (...responses: ReadonlyArray<Respond>): MemoryNode => {
  const requests: Array<ReadonlyArray<ReceivedCall>> = []
  const aborted: Array<boolean> = []
  const fetch: Fetch = (_url, { body = "", signal }) =>
    new Promise((resolve, reject) => {
      const calls = callsOf(body)
      const number = requests.push(calls)
      aborted.push(false)
      signal.addEventListener("abort", () => {
        aborted[number - 1] = true
        reject(signal.reason as Error)
      })
      const respond = responses[Math.min(number, responses.length) - 1]
      void Promise.resolve(respond?.(calls, number)).then((response) => {
        if (response !== undefined)
          resolve(response instanceof Response ? response : new Response(JSON.stringify(response)))
      })
    })
  const received = (number: number) =>
    Eventually.untilEffect(
      Effect.sync(() => requests.length >= number),
      { what: `request ${number} received` },
    )
  return { fetch, requests, aborted, received }
}
