/** Whatever a server does to the replies of a batch, each call receives its own value or a typed error, and never another call's. */
import * as Runs from "@daybook/harness/Runs"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { RpcClient } from "../src/index.ts"
import { type ReceivedCall, failure, replies, script, success } from "./server.ts"

const Behaviour = Schema.Literals([
  "answer",
  "answer",
  "answer",
  "drop",
  "double",
  "null id",
  "text id",
  "wrong id",
  "version",
  "both",
  "neither",
  "refuse",
  "fail",
  "not an object",
])

const Script = Schema.Array(Schema.Struct({ behaviour: Behaviour, position: Schema.Int })).check(
  Schema.isMinLength(1),
  Schema.isMaxLength(8),
)

/** The value that belongs only to the call with this id. */
const valueOf = (id: number): string => `0x${(id * 1_000 + 7).toString(16)}`

const played = (call: ReceivedCall, behaviour: typeof Behaviour.Type): ReadonlyArray<unknown> => {
  const own = success(call.id, valueOf(call.id))
  switch (behaviour) {
    case "answer":
      return [own]
    case "drop":
      return []
    case "double":
      return [own, own]
    case "null id":
      return [{ ...own, id: null }]
    case "text id":
      return [{ ...own, id: String(call.id) }]
    case "wrong id":
      return [{ ...own, id: call.id + 1_000 }]
    case "version":
      return [{ ...own, jsonrpc: "1.0" }]
    case "both":
      return [{ ...own, error: { code: 1, message: "x" } }]
    case "neither":
      return [{ jsonrpc: "2.0", id: call.id }]
    case "refuse":
      return [failure(call.id, 3, "execution reverted")]
    case "fail":
      return [failure(call.id, -32603, "boom")]
    case "not an object":
      return [valueOf(call.id)]
  }
}

const expected: Readonly<Record<typeof Behaviour.Type, string>> = {
  answer: "value",
  drop: "InvalidResponse",
  double: "InvalidResponse",
  "null id": "InvalidResponse",
  "text id": "InvalidResponse",
  "wrong id": "InvalidResponse",
  version: "InvalidResponse",
  both: "InvalidResponse",
  neither: "InvalidResponse",
  refuse: "RpcError",
  fail: "RpcError",
  "not an object": "InvalidResponse",
}

describe("law", () => {
  it.live.prop(
    "law: a call receives its own value or its own error",
    [Script],
    ([behaviours]) =>
      Effect.gen(function* () {
        const server = yield* script(
          replies((calls) =>
            calls
              .flatMap((call) => {
                const { behaviour, position } = behaviours[call.id - 1]!
                return played(call, behaviour).map((item) => ({ item, position }))
              })
              .sort((one, other) => one.position - other.position)
              .map(({ item }) => item),
          ),
        )
        const client = yield* RpcClient.make({ url: server.url, retry: { base: 0, cap: 0, maxAttempts: 2 } })

        const results = yield* client.batch(behaviours.map(() => ({ method: "eth_chainId" as const })))

        expect(results.map((result) => (result._tag === "Success" ? "value" : result.failure._tag))).toEqual(
          behaviours.map(({ behaviour }) => expected[behaviour]),
        )
        for (const [at, result] of results.entries()) {
          if (result._tag === "Success") expect(result.success).toBe(BigInt(valueOf(at + 1)))
        }
        expect(server.seen.length).toBeLessThanOrEqual(2)
      }),
    { arbitrary: { runs: Runs.usual(400) } },
  )
})
