/** What is kept of tokens at a block, and what is not: with a node without the state, or on another branch. */
import { describe, expect, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import type * as Calls from "../../src/node/Calls.ts"
import type { Node } from "../../src/node/Node.ts"
import * as TokenReader from "../../src/proof/TokenReader.ts"

const [token, other] = [`0x${"70".repeat(20)}`, `0x${"71".repeat(20)}`]
const [hash, branch] = [`0x${"1".repeat(64)}`, `0x${"2".repeat(64)}`]
const block = { number: 9, hash }

const text = (value: string): string => `0x${Buffer.from(value).toString("hex").padEnd(64, "0")}`

/** A node with the header of a block, and the calls that it received. */
const nodeOf = (header: { readonly hash: string } | null) => {
  const asked: Array<ReadonlyArray<unknown>> = []
  const node = {
    batch: (calls) => {
      asked.push(...calls.map(({ method, params }) => [method, ...(params ?? [])]))
      return Effect.succeed(
        calls.map(({ method, params }) => {
          const data = String(Reflect.get(Object(params?.[0]), "data"))
          return Result.succeed(
            method === "eth_getCode" || data === "0x313ce567" ? `0x${"6".padStart(64, "0")}` : text("USD"),
          )
        }),
      )
    },
    header: () => Effect.succeed(header),
  } as Partial<Node> as Node
  const budgeted: Calls.Budgeted = {
    node,
    usage: () => ({ requests: 0, calls: 0, byMethod: [] }),
    maxCalls: 1_000,
  }
  return { budgeted, asked }
}

describe("TokenReader.read", () => {
  it.effect("returns texts and decimals by address, after the state of the block was read", () =>
    Effect.gen(function* () {
      const { asked, budgeted } = nodeOf(block)
      const found = yield* TokenReader.read(budgeted, [token, other], block)
      const usd = { name: "USD", symbol: "USD", decimals: 6, block: 9 }

      expect(Object.fromEntries(found)).toEqual({ [token]: usd, [other]: usd })
      expect(asked[0]).toEqual(["eth_getCode", token, 9])
    }),
  )

  it.effect("calls nothing without tokens", () =>
    Effect.gen(function* () {
      const { asked, budgeted } = nodeOf(null)

      expect([(yield* TokenReader.read(budgeted, [], block)).size, asked]).toEqual([0, []])
    }),
  )

  it.effect("fails if the node has another block or none in its place", () =>
    Effect.gen(function* () {
      const failed = (header: { readonly hash: string } | null) =>
        Effect.flip(TokenReader.read(nodeOf(header).budgeted, [token], block))

      expect(yield* failed({ hash: branch })).toMatchObject({
        _tag: "ChainReorganized",
        block: 9,
        expected: hash,
        received: branch,
      })
      expect(yield* failed(null)).toMatchObject({ _tag: "ChainReorganized", received: "no block" })
    }),
  )
})
