/** A node behind a `fetch` without sockets, so that an indexer runs with the test clock. */
import type { Fetch } from "@daybook/transport/Fetch"
import { Effect } from "effect"
import { TestClock } from "effect/testing"

interface Call {
  readonly id: number
  readonly method: string
  readonly params: ReadonlyArray<unknown>
}

/** A result, an error, or a complete HTTP response. */
export type Reply =
  | { readonly result: unknown }
  | { readonly error: { readonly code: number; readonly message: string } }
  | { readonly status: number; readonly headers?: Readonly<Record<string, string>> }

export type Handler = (method: string, params: ReadonlyArray<unknown>) => Reply

/** A node whose replies are returned by a function; records the methods of all calls. */
export const make = (answer: Handler) => {
  const node = { answer, calls: [] as Array<string>, requests: 0 }
  const fetch: Fetch = async (_, init) => {
    node.requests += 1
    const received = JSON.parse(String(init?.body)) as Call | ReadonlyArray<Call>
    const replies = [received].flat().map(({ id, method, params }) => {
      node.calls.push(method)
      return { id, reply: node.answer(method, params) }
    })
    const whole = replies.map(({ reply }) => reply).find((reply) => "status" in reply)
    if (whole !== undefined && "status" in whole) {
      return new Response("{}", { status: whole.status, headers: { ...whole.headers } })
    }
    const items = replies.map(({ id, reply }) => ({ jsonrpc: "2.0", id, ...reply }))
    const body = JSON.stringify(Array.isArray(received) ? items : items[0])
    return new Response(body, { headers: { "content-type": "application/json" } })
  }
  return Object.assign(node, { fetch })
}

const turn = Effect.promise(() => new Promise<void>((resolve) => setImmediate(resolve)))

/** Turns of the event loop without a new request after which all pending requests have been sent. */
const quietTurns = 20

/**
 * A node with latency, whose responses arrive in rounds. `round` waits until no further request is sent, delivers all responses, and
 * returns the requested methods.
 */
export const inRounds = (answer: Handler) => {
  const node = make(answer)
  let open: Array<() => void> = []
  const fetch: Fetch = (url, init) => new Promise((resolve) => void open.push(() => resolve(node.fetch(url, init))))
  const round = Effect.gen(function* () {
    for (let quiet = 0, seen = 0; quiet < quietTurns || seen === 0; quiet = open.length === seen ? quiet + 1 : 0) {
      seen = open.length
      yield* turn
    }
    const [arriving, before] = [open, node.calls.length]
    open = []
    for (const arrive of arriving) arrive()
    return node.calls.slice(before)
  })
  return { fetch, round }
}

/** Advances the test clock in steps of a quarter of a second, and completes the requests of each step. */
export const advance = Effect.fnUntraced(function* (node: { readonly requests: number }, seconds: number) {
  for (let step = 0; step < seconds * 4; step++) {
    yield* TestClock.adjust("250 millis")
    let seen = -1
    for (let idle = 0; idle < 4; idle++) {
      if (node.requests !== seen) idle = 0
      seen = node.requests
      yield* turn
    }
  }
})
