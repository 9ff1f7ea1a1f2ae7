/** What a proof of an account establishes, by the header, the proof and the errors of a node. */
import { type CallError, RpcError } from "@daybook/rpc/RpcError"
import {
  InvalidResponse,
  RateLimited,
  TimeoutError,
  TransportError,
  Unauthorized,
} from "@daybook/transport/ClientError"
import { describe, expect, it } from "@effect/vitest"
import { Duration, Effect, Result } from "effect"
import * as Holding from "../../src/ledger/Holding.ts"
import type * as CallBatch from "../../src/node/CallBatch.ts"
import type * as Calls from "../../src/node/Calls.ts"
import * as StateRoot from "../../src/proof/StateRoot.ts"
import * as HeaderHash from "../../src/verification/HeaderHash.ts"
import * as Rows from "../server/rows.ts"
import { account, headerOf, provenAccount, zeros } from "./provenAccount.ts"

/** Reads alice's account at a block of a node with these results; returns the errors that it treats as results. */
const readOf = Effect.fnUntraced(function* (
  block: { readonly number: number; readonly hash: string },
  results: ReadonlyArray<Result.Result<unknown, CallError>>,
) {
  let task: CallBatch.Task | undefined
  // Sound: nothing else is read of the node.
  const budgeted = {
    node: { batch: (_: unknown, given: CallBatch.Task) => Effect.sync(() => ((task = given), results)) },
    usage: () => ({ requests: 0, calls: 0, byMethod: [] }),
    maxCalls: 1_000,
  } as unknown as Calls.Budgeted
  const reading = yield* StateRoot.read(budgeted, Rows.alice, block)
  return { reading, isResult: task?.isResult, asked: task?.what }
})

const rpcError = (kind: RpcError["kind"], method = "eth_getProof") =>
  new RpcError({ method, host: "node", code: -32000, message: "no state", kind, requestId: undefined })

const invalid = (isRetryable: boolean, status?: number) =>
  new InvalidResponse({
    host: "node",
    requestId: undefined,
    reason: "status",
    path: "status",
    received: "",
    expected: "",
    isRetryable,
    status,
  })

describe("StateRoot.read", () => {
  it.effect("verifies an account with the state root in the header of the block", () =>
    Effect.gen(function* () {
      const { accountProof, hash, header } = yield* Effect.promise(() => provenAccount(Rows.alice))
      const read = (of: Partial<{ hash: string; header: unknown; accountProof: ReadonlyArray<string> }> = {}) =>
        Effect.map(
          readOf({ number: 5, hash: of.hash ?? hash }, [
            Result.succeed("header" in of ? of.header : header),
            Result.succeed({ accountProof: of.accountProof ?? accountProof }),
          ]),
          ({ reading }) => reading,
        )
      const unhashed = (of: string) => ({
        _tag: "Trusted",
        reason: `the header of block 5 does not hash to ${of} by the rules of Ethereum`,
      })

      expect(yield* read()).toEqual({ _tag: "Verified", account })
      expect(yield* read({ accountProof: [] })).toMatchObject({
        _tag: "Refuted",
        reason: expect.stringMatching(
          new RegExp(
            `^The node's proof of ${Rows.alice} does not belong to the state root of block 5: .*\\. Use another node\\.$`,
          ),
        ),
      })
      expect(yield* read({ hash: zeros(32) })).toEqual(unhashed(zeros(32)))
      expect(yield* read({ header: null })).toEqual(unhashed(hash))
      const rootless = headerOf("0x")
      const rootlessHash = HeaderHash.fromBlock(rootless)
      expect(yield* read({ header: rootless, hash: rootlessHash })).toEqual(unhashed(rootlessHash))
    }),
  )

  it.effect.each([
    ["node has no eth_getProof", [Result.succeed(null), Result.fail(rpcError("methodUnsupported"))]],
    ['eth_getProof failed ("', [Result.succeed(null), Result.fail(rpcError("pruned"))]],
    ["node has no eth_getBlockByNumber", [Result.fail(rpcError("methodUnsupported")), Result.succeed({})]],
    ['eth_getBlockByNumber failed ("', [Result.fail(invalid(false)), Result.succeed({})]],
    ["the node did not respond", []],
    ["the node did not respond", [Result.succeed(null)]],
  ] as const)("trusts a node and states the reason: %s", ([reason, results]) =>
    Effect.gen(function* () {
      const { asked, reading } = yield* readOf({ number: 5, hash: zeros(32) }, results)

      expect(reading).toMatchObject({ _tag: "Trusted", reason: expect.stringContaining(reason) })
      expect(asked).toBe("read a proof at block 5")
    }),
  )

  it.effect("requests no proof of block 0", () =>
    Effect.gen(function* () {
      const { asked, reading } = yield* readOf({ number: 0, hash: zeros(32) }, [])

      expect(reading).toEqual({ _tag: "Trusted", reason: "proofs of block 0 are not used" })
      expect(asked).toBeUndefined()
    }),
  )

  it.effect("treats an error as a missing proof, unless the node may return one later", () =>
    Effect.gen(function* () {
      const { isResult } = yield* readOf({ number: 5, hash: zeros(32) }, [])
      const errors: ReadonlyArray<readonly [CallError, boolean]> = [
        [rpcError("internal"), true],
        [new RateLimited({ host: "node" }), false],
        [invalid(false), true],
        [invalid(true), false],
        [invalid(true, 503), false],
        [invalid(true, 408), true],
        [invalid(true, 504), true],
        [invalid(true, 524), true],
        [new TimeoutError({ host: "node", phase: "headers", deadline: Duration.seconds(1) }), true],
        [new TransportError({ host: "node", phase: "headers", reason: "ECONNRESET" }), false],
        [new Unauthorized({ host: "node" }), true],
      ]

      expect(errors.map(([error]) => isResult?.(error))).toEqual(errors.map(([, expected]) => expected))
    }),
  )
})

describe("StateRoot.correct", () => {
  const token = { standard: "erc20", asset: Rows.contract, tokenId: null } as const
  const holdings = [Holding.native, token, Holding.nonce]
  const block = { number: 5, hash: zeros(32) }
  const correct = (reading: StateRoot.Reading, stated: ReadonlyArray<bigint | null>) =>
    StateRoot.correct(reading, block, holdings, stated)

  it("replaces the node's ether and nonce by the verified values, and names what differs", () => {
    const verified = { _tag: "Verified", account } as const
    const issue = (method: string, stated: string, found: string) =>
      `The node contradicts itself: ${method} states ${stated} at block 5, the state root of that block has ${found}. Use another node.`

    expect(correct(verified, [7n, 9n, 3n])).toEqual({
      amounts: [7n, 9n, 3n],
      verified: new Set([0, 2]),
      contradicted: new Set(),
      issues: [],
    })
    expect(correct(verified, [8n, null])).toEqual({
      amounts: [7n, null, 3n],
      verified: new Set([0, 2]),
      contradicted: new Set([0, 2]),
      issues: [issue("eth_getBalance", "8", "7"), issue("eth_getTransactionCount", "null", "3")],
    })
  })

  it.each([
    [{ _tag: "Trusted", reason: "a reason" } as const, []],
    [{ _tag: "Refuted", reason: "Another reason." } as const, ["Another reason."]],
  ])("keeps what the node stated: %j", (reading, issues) => {
    expect(correct(reading, [8n, 9n, 4n])).toEqual({
      amounts: [8n, 9n, 4n],
      verified: new Set(),
      contradicted: new Set(),
      issues,
    })
  })
})
