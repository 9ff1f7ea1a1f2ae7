import { describe, expect, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import type { CallError } from "@daybook/rpc/RpcError"
import type * as Calls from "../../src/node/Calls.ts"
import type { Node } from "../../src/node/Node.ts"
import * as Holding from "../../src/ledger/Holding.ts"
import * as Proof from "../../src/proof/Proof.ts"

const wallet = `0x${"a1".repeat(20)}`
const token: Holding.Holding = { standard: "erc20", asset: `0x${"70".repeat(20)}`, tokenId: null }

// Sound: a proof reads these fields alone.
const rpcError = (kind: string, more: object = {}) =>
  ({ _tag: "RpcError", isRetryable: false, kind, ...more }) as unknown as CallError

interface Read {
  readonly method: string
  readonly block: number
}

/** A chain whose balances are functions of the block, and the calls that it received. */
const chain = (balances: {
  readonly native: (block: number) => bigint
  readonly token?: (block: number) => bigint
}) => {
  const asked: Array<ReadonlyArray<Read>> = []
  const batch: Node["batch"] = (calls) => {
    const reads = calls.map(({ method, params }) => ({ method, block: Number(params?.[1]) }))
    asked.push(reads)
    return Effect.succeed(
      reads.map(({ block, method }) => {
        if (method === "eth_getBalance") return Result.succeed(balances.native(block))
        if (balances.token === undefined) return Result.fail(rpcError("reverted"))
        return Result.succeed(`0x${balances.token(block).toString(16).padStart(64, "0")}`)
      }),
    )
  }
  const budgeted: Calls.Budgeted = {
    // Sound: a proof sends batches alone.
    node: { batch } as unknown as Node,
    usage: () => ({ requests: 0, calls: 0, byMethod: [] }),
    maxCalls: 1_000,
  }
  return { budgeted, asked }
}

const range: Proof.Range = { wallet, opening: 10, closing: 100 }
const claims = [
  { holding: Holding.native, expected: 7n },
  { holding: token, expected: 3n },
]
const expectedAt = (holding: Holding.Holding) => Effect.succeed(holding.standard === "native" ? 7n : 3n)

describe("Proof", () => {
  it("isAnswer: accepts a revert as the answer of a contract, but not a transient error", () => {
    expect(["reverted", "unknown", "invalidParams"].map((kind) => Proof.isAnswer(rpcError(kind)))).toEqual([
      true,
      true,
      true,
    ])
    expect(Proof.isAnswer(rpcError("limitExceeded"))).toBe(false)
    expect(Proof.isAnswer(rpcError("reverted", { isRetryable: true }))).toBe(false)
    expect(Proof.isAnswer(rpcError("reverted", { _tag: "InvalidResponse" }))).toBe(false)
  })

  it("compare: returns the claims that do not hold, and does not treat a missing balance as 0", () => {
    const zero = { holding: token, expected: 0n }

    expect(Proof.compare([...claims, zero], [7n, 4n, null])).toEqual([{ ...claims[1]!, found: 4n, firstBlock: null }])
    expect(Proof.compare(claims, [7n])).toEqual([{ ...claims[1]!, found: null, firstBlock: null }])
  })

  it.effect("prove: finds nothing if the chain has what is expected, with one read of each", () =>
    Effect.gen(function* () {
      const { asked, budgeted } = chain({ native: () => 7n, token: () => 3n })

      expect(yield* Proof.prove(budgeted, range, claims, expectedAt)).toEqual([])
      expect(asked.flat()).toEqual([
        { method: "eth_getBalance", block: 100 },
        { method: "eth_call", block: 100 },
      ])
    }),
  )

  it.effect("prove: locates the first block of each difference, all of them at the same time", () =>
    Effect.gen(function* () {
      const { asked, budgeted } = chain({
        native: (block) => (block < 42 ? 7n : 8n),
        token: (block) => (block < 11 ? 3n : 0n),
      })

      expect(yield* Proof.prove(budgeted, range, claims, expectedAt)).toEqual([
        { ...claims[0]!, found: 8n, firstBlock: 42 },
        { ...claims[1]!, found: 0n, firstBlock: 11 },
      ])
      expect(asked.length).toBeLessThanOrEqual(8)
      expect(asked.flat().every(({ block }) => block > 10 && block <= 100)).toBe(true)
    }),
  )

  it.effect("prove: names the last block if the balance differs only there", () =>
    Effect.gen(function* () {
      const { budgeted } = chain({ native: (block) => (block < 100 ? 7n : 8n), token: () => 3n })

      expect(yield* Proof.prove(budgeted, range, claims, expectedAt)).toMatchObject([{ firstBlock: 100 }])
    }),
  )

  it.effect("prove: a contract without a balance differs from the first block at which a sum is not 0", () =>
    Effect.gen(function* () {
      const { budgeted } = chain({ native: () => 7n })
      const since = (holding: Holding.Holding, block: number) =>
        Effect.succeed(holding.standard === "native" ? 7n : block < 60 ? 0n : 3n)

      expect(yield* Proof.prove(budgeted, range, claims, since)).toEqual([
        { ...claims[1]!, found: null, firstBlock: 60 },
      ])
    }),
  )

  it.effect("locate: leaves differences beyond the first thousand without a block", () =>
    Effect.gen(function* () {
      const { budgeted } = chain({ native: () => 7n, token: () => 4n })
      const many = Array.from({ length: 1_002 }, () => ({ holding: token, expected: 3n, found: 4n, firstBlock: null }))
      const located = yield* Proof.locate(budgeted, { ...range, closing: 11 }, many, expectedAt)

      expect(located).toHaveLength(1_002)
      expect(located.filter(({ firstBlock }) => firstBlock === 11)).toHaveLength(1_000)
    }),
  )
})
