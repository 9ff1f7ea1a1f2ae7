import { RpcError } from "@daybook/rpc/RpcError"
import { type InvalidReason, InvalidResponse, RateLimited } from "@daybook/transport/ClientError"
import { describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import { expect } from "vitest"
import type * as CallBatch from "../../src/node/CallBatch.ts"
import type * as Calls from "../../src/node/Calls.ts"
import * as Node from "../../src/node/Node.ts"
import * as MetadataReader from "../../src/token/MetadataReader.ts"
import * as server from "../node/server.ts"

const [first, second] = [`0x${"1".repeat(40)}`, `0x${"2".repeat(40)}`]
const text = (value: string) => `0x${Buffer.from(value).toString("hex").padEnd(64, "0")}`

/** A node that answers each `eth_call` by its token and its position in the request. */
const nodeOf = Effect.fnUntraced(function* (reply: (token: string, place: number) => server.Reply) {
  let place = 0
  const { url } = yield* server.start({
    eth_chainId: () => ({ result: "0x1" }),
    eth_call: async ([call]) => {
      const own = place++
      // The calls of one request are answered at the same time.
      await new Promise((resolve) => setImmediate(resolve))
      place = 0
      return reply((call as { readonly to: string }).to, own)
    },
  })
  const node = yield* Node.make({ urls: [url], chainId: 1 })
  const budgeted: Calls.Budgeted = {
    node,
    maxCalls: Number.POSITIVE_INFINITY,
    usage: () => ({
      requests: 0,
      calls: 0,
      byMethod: [],
    }),
  }
  return budgeted
})

describe("TokenMetadata", () => {
  const rpcError = (kind: RpcError["kind"]) =>
    new RpcError({ method: "eth_call", host: "node", code: -32000, message: "", kind, requestId: undefined })
  const invalid = (reason: InvalidReason) =>
    new InvalidResponse({ host: "node", requestId: undefined, reason, path: "body", received: "", expected: "" })

  it.effect.each([
    ["a response that is too large", invalid("too-large"), { isAgain: true, isAnswer: true, isOfToken: true }],
    ["a response that is not JSON", invalid("content"), { isAgain: true, isAnswer: false, isOfToken: false }],
    ["an error of size", rpcError("tooLarge"), { isAgain: true, isAnswer: true, isOfToken: true }],
    ["a revert", rpcError("reverted"), { isAgain: false, isAnswer: true, isOfToken: true }],
    ["a state that is gone", rpcError("pruned"), { isAgain: false, isAnswer: true, isOfToken: false }],
    ["a limit of calls", new RateLimited({ host: "node" }), { isAgain: true, isAnswer: false, isOfToken: false }],
  ] as const)("read: retries calls that may succeed separately, after %s", ([, error, expected]) =>
    Effect.gen(function* () {
      let isAnswer: boolean | undefined
      // Sound: nothing else is read of the node.
      const budgeted = {
        node: {
          batch: (calls: ReadonlyArray<unknown>, task: CallBatch.Task) => {
            isAnswer ??= task.isResult?.(error)
            const whole = calls.map(() => Result.succeed(text("Token")))
            return Effect.succeed(calls.length === 1 ? whole : [Result.fail(error), ...whole.slice(1)])
          },
        },
        maxCalls: 100,
        usage: () => ({ requests: 0, calls: 0, byMethod: [] }),
      } as unknown as Calls.Budgeted
      const found = yield* MetadataReader.read(budgeted, [first], 7)

      expect(found.get(first)).toMatchObject({ name: expected.isAgain ? "Token" : null, symbol: "Token" })
      expect({ isAgain: expected.isAgain, isAnswer, isOfToken: MetadataReader.isOfToken(error) }).toEqual(expected)
    }),
  )

  it.live("read: a token whose texts exceed a response does not hide the names of others", () =>
    Effect.gen(function* () {
      const node = yield* nodeOf((token, place) =>
        place > 0 ? { error: { code: -32003, message: "response too large" } } : { result: text(`Token ${token[2]}`) },
      )
      const found = yield* MetadataReader.read(node, [first, second], 7)

      expect([...found.values()].map(({ name }) => name)).toEqual(["Token 1", "Token 2"])
    }),
  )

  it.live("read: a node without the state of the block is not evidence of a token without a name", () =>
    Effect.gen(function* () {
      const node = yield* nodeOf((token) =>
        token === second
          ? { error: { code: -32000, message: "missing trie node 1a2b (path )" } }
          : { error: { code: 3, message: "execution reverted" } },
      )
      const nameless = yield* MetadataReader.read(node, [first, second], 7)
      const failure = yield* Effect.flip(MetadataReader.read(node, [first, second], 7, MetadataReader.isOfToken))

      expect([...nameless.values()].map(({ name }) => name)).toEqual([null, null])
      expect(failure._tag).toBe("NodeFailed")
    }),
  )
})
