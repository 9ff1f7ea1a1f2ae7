import { describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { expect } from "vitest"
import type * as Calls from "../../src/node/Calls.ts"
import * as Node from "../../src/node/Node.ts"
import * as MetadataReader from "../../src/token/MetadataReader.ts"
import * as server from "../node/server.ts"

const [first, second] = [`0x${"1".repeat(40)}`, `0x${"2".repeat(40)}`]
const text = (value: string) => `0x${Buffer.from(value).toString("hex").padEnd(64, "0")}`

/** A node of which each call of `eth_call` is answered by its token and its place in the request. */
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
  it.live("read: a token whose texts leave no room in a response does not hide the names of others", () =>
    Effect.gen(function* () {
      const node = yield* nodeOf((token, place) =>
        place > 0 ? { error: { code: -32003, message: "response too large" } } : { result: text(`Token ${token[2]}`) },
      )
      const found = yield* MetadataReader.read(node, [first, second], 7)

      expect([...found.values()].map(({ name }) => name)).toEqual(["Token 1", "Token 2"])
    }),
  )

  it.live("read: a node without the state of the block is no answer of a token where none is wanted", () =>
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
