/**
 * Findings of a comparison of a wallet, by what its ledger and the node have: sums, nonces and first blocks of each
 * asset.
 */
import { RpcError } from "@daybook/rpc/RpcError"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import type * as BlockRows from "../../src/block/BlockRows.ts"
import * as Holding from "../../src/ledger/Holding.ts"
import * as Role from "../../src/ledger/Role.ts"
import type { Node } from "../../src/node/Node.ts"
import { NodeFailed } from "../../src/node/NodeError.ts"
import * as Reconciliation from "../../src/proof/Reconciliation.ts"
import { isProved, type WalletProof } from "../../src/store/Proofs.ts"
import * as Ledgers from "../server/rest/ledgers.ts"
import * as Rows from "../server/rows.ts"
import { temporaryFolder } from "../store/temporaryFolder.ts"
import * as TestStore from "../store/TestStore.ts"
import { provenAccount } from "./provenAccount.ts"

const wallet = Rows.alice
const token: Holding.Holding = { standard: "erc20", asset: Ledgers.token, tokenId: null }

/**
 * Alice holds 10 before block 2, with 4 transactions sent; she moves funds in blocks 3 and 5, each in a transaction of
 * hers.
 */
const moved = {
  3: { 0: [{ amount: 5n }] },
  5: { 0: [{ amount: -2n }, { amount: 7n, asset: Ledgers.token, kind: "erc20" as const }] },
}
const [first, last] = [2, 8] as const

interface State {
  readonly native: (block: number) => bigint
  readonly nonce: (block: number) => number
  /** `null` where the contract returns no balance. */
  readonly token: (block: number, data?: string) => bigint | null
  readonly code: string
  /** First block whose state the node has. */
  readonly from: number
  readonly hash: string | null
  /** Header and proof of the closing block. */
  readonly proven: { readonly header: unknown; readonly accountProof: ReadonlyArray<string> } | null
  /** Whether a call fails in a way that states nothing about the block. */
  readonly isFailing: (block: number) => boolean
}

const rpcError = (kind: "reverted" | "pruned" | "methodUnsupported", method: string) =>
  new RpcError({ method, host: "node", code: 3, message: kind, kind, requestId: undefined })

const actual: State = {
  native: (block) => (block < 3 ? 10n : block < 5 ? 15n : 13n),
  nonce: (block) => (block < 3 ? 4 : block < 5 ? 5 : 6),
  token: (block) => (block < 5 ? 0n : 7n),
  code: "0x",
  from: 0,
  hash: Rows.blockHash(last),
  proven: null,
  isFailing: () => false,
}

const word = (value: bigint) => `0x${value.toString(16).padStart(64, "0")}`
const failedBy = (cause: RpcError) =>
  new NodeFailed({ message: cause.message, isMisconfigured: false, pace: "rarely", cause })

/** A node with a state, and the calls that it received. */
const nodeOf = (more: Partial<State>) => {
  const state = { ...actual, ...more }
  const asked: Array<readonly [method: string, block: number]> = []
  const resultOf = (method: string, block: number, data: string): Result.Result<unknown, RpcError> => {
    if (method === "eth_getBalance" && state.isFailing(block)) return Result.fail(rpcError("methodUnsupported", method))
    if (block < state.from) return Result.fail(rpcError("pruned", method))
    switch (method) {
      case "eth_getBalance":
        return Result.succeed(state.native(block))
      case "eth_getTransactionCount":
        return Result.succeed(state.nonce(block))
      case "eth_getCode":
        return Result.succeed(state.code)
      case "eth_call": {
        const amount = state.token(block, data)
        return amount === null ? Result.fail(rpcError("reverted", method)) : Result.succeed(word(amount))
      }
      case "eth_getBlockByNumber":
        return Result.succeed(state.proven?.header ?? null)
      default:
        return state.proven === null ? Result.fail(rpcError("reverted", method)) : Result.succeed(state.proven)
    }
  }
  const batch: Node["batch"] = (calls, task) =>
    Effect.suspend(() => {
      const results = calls.map(({ method, params }) => {
        const block = Number(method === "eth_getBlockByNumber" ? params?.[0] : (params?.[2] ?? params?.[1]))
        asked.push([method, block])
        return resultOf(method, block, String(Reflect.get(Object(params?.[0]), "data")))
      })
      const failed = results.filter(Result.isFailure).find(({ failure }) => task.isResult?.(failure) !== true)
      return failed === undefined ? Effect.succeed(results) : Effect.fail(failedBy(failed.failure))
    })
  const header = () =>
    Effect.sync(() => (asked.push(["header", last]), state.hash === null ? null : { hash: state.hash }))
  // Sound: a comparison calls these two alone.
  return { node: { batch, header } as unknown as Node, asked }
}

const scope: Reconciliation.Scope = {
  first: { number: first, parentHash: Rows.blockHash(first - 1) },
  closing: { number: last, hash: Rows.blockHash(last) },
}

/** A store with the blocks of a ledger, and comparisons by it with nodes. */
const opened = Effect.fnUntraced(function* (
  ledger: Parameters<typeof Ledgers.chainOf>[0] = moved,
  role: number = Role.bits.sender,
) {
  // The movements of block 5 may be partly missing.
  const { blocks, projections } = Ledgers.chainOf(ledger, last + 2, [[5, 0]], "a", role)
  const folder = yield* temporaryFolder
  const store = yield* TestStore.inFolder(folder, { name: "eth", id: 1 }, { projections })
  yield* store.append(null, blocks.slice(first))
  const proofs = yield* store.database.chain(store.ref).proofs
  const run = (
    more: Partial<State> = {},
    {
      closing = scope.closing,
      maxCalls = 10_000,
      ...options
    }: Reconciliation.Options & { readonly maxCalls?: number; readonly closing?: BlockRows.BlockRef } = {},
  ) => {
    const { asked, node } = nodeOf({ hash: closing.hash, ...more })
    const source = { node, usage: () => ({ requests: 0, calls: 0, byMethod: [] }), maxCalls, reader: store, proofs }
    return Effect.map(Effect.result(Reconciliation.run(source, { ...scope, closing }, wallet, options)), (outcome) => ({
      asked,
      outcome,
    }))
  }
  const proofOf = (...parts: Parameters<typeof run>) =>
    Effect.map(run(...parts), ({ outcome }) => Result.getOrThrow(outcome).proof)
  const stored = store.snapshot((one) => one.proof(wallet))
  const openings = Effect.map(
    store.snapshot((one) => one.openings(wallet)),
    ({ balances }) => balances,
  )
  return { run, proofOf, stored, openings, proofs }
})

/** Differences by asset: the expected value, the actual one, and the first block. */
const differencesOf = ({ holdings }: WalletProof) =>
  holdings
    .filter(({ expected, found }) => expected !== (found ?? 0n))
    .map(({ expected, firstBlock, found, holding }) => [holding.asset, expected, found, firstBlock])

const blockAt = (number: number) => ({ number, hash: Rows.blockHash(number) })

describe("Reconciliation", () => {
  it.effect("run: proves a wallet whose openings and movements equal the chain's state, and stores the proof", () =>
    Effect.gen(function* () {
      const { openings, run, stored } = yield* opened()
      const { outcome } = yield* run()
      const { ignored, incomplete, proof } = Result.getOrThrow(outcome)

      expect(isProved(proof)).toBe(true)
      expect([incomplete, ignored]).toEqual([1, []])
      expect(proof.holdings).toEqual(
        [
          [Holding.native, 13n],
          [Holding.nonce, 6n],
          [token, 7n],
        ].map(([holding, amount]) => ({
          holding,
          block: last,
          expected: amount,
          found: amount,
          firstBlock: null,
          isByStateRoot: false,
        })),
      )
      expect(proof).toMatchObject({ wallet, first, block: scope.closing, unchecked: [], provedBlock: last })
      expect(yield* stored).toEqual(proof)
      // Transaction counts are not balances.
      expect(yield* openings).toEqual([
        { holding: Holding.native, amount: 10n },
        { holding: token, amount: 0n },
      ])
    }).pipe(Effect.scoped),
  )

  it.effect("run: locates the first block of each difference", () =>
    Effect.gen(function* () {
      const { proofOf } = yield* opened()
      const proof = yield* proofOf({
        native: (block) => actual.native(block) + (block < 6 ? 0n : 1n),
        nonce: (block) => actual.nonce(block) + (block < 4 ? 0 : 1),
        token: (block) => (block < 7 ? actual.token(block) : null),
      })

      expect(differencesOf(proof)).toEqual([
        ["native", 13n, 14n, 6],
        ["nonce", 6n, 7n, 4],
        [Ledgers.token, 7n, null, 7],
      ])
      expect([isProved(proof), proof.provedBlock]).toEqual([false, null])
    }).pipe(Effect.scoped),
  )

  it.effect("run: continues a comparison with the movements since, from the values expected then", () =>
    Effect.gen(function* () {
      const { proofOf, run } = yield* opened()
      const continuedFrom = Effect.fnUntraced(function* (closing: number) {
        yield* proofOf({}, { closing: blockAt(closing) })
        const { asked, outcome } = yield* run({}, { isContinued: true })
        return { asked, ...Result.getOrThrow(outcome) }
      })
      const [before, after] = [yield* continuedFrom(4), yield* continuedFrom(5)]
      const whole = yield* proofOf()

      expect([before.proof, after.proof]).toEqual([whole, whole])
      expect([before.incomplete, after.incomplete]).toEqual([1, 0])
      expect(Math.min(...after.asked.map(([, block]) => block))).toBe(last)
      expect(yield* proofOf({}, { isContinued: true })).toEqual(whole)
    }).pipe(Effect.scoped),
  )

  it.effect("run: continues no comparison that left something unchecked, or is not for an earlier block", () =>
    Effect.gen(function* () {
      const { proofOf, proofs } = yield* opened()
      const wrong = { holding: Holding.native, block: 4, expected: 1n, found: 1n, firstBlock: null }
      const before = { wallet, first, block: blockAt(4), provedBlock: 4, holdings: [wrong], unchecked: [] }
      const continuing = Effect.fnUntraced(function* (more: Partial<WalletProof>) {
        yield* proofs.writeProof({ ...before, ...more })
        return isProved(yield* proofOf({}, { isContinued: true }))
      })

      expect(yield* continuing({})).toBe(false)
      expect(yield* continuing({ unchecked: ["A token."] })).toBe(true)
      expect(yield* continuing({ block: blockAt(last) })).toBe(true)
      yield* proofs.writeProof(before)
      expect(isProved(yield* proofOf())).toBe(true)
    }).pipe(Effect.scoped),
  )

  it.effect("run: keeps the first block of earlier differences, and locates new ones", () =>
    Effect.gen(function* () {
      const { proofOf } = yield* opened()
      const wrong = { native: (block: number) => actual.native(block) + (block < 3 ? 0n : 1n) }
      const before = yield* proofOf(wrong, { closing: blockAt(5) })
      const later = { ...wrong, from: 6, token: (block: number) => (block < 6 ? actual.token(block) : 9n) }
      const after = yield* proofOf(later, { isContinued: true })

      expect(differencesOf(before)).toEqual([["native", 13n, 14n, 3]])
      expect(differencesOf(after)).toEqual([
        ["native", 13n, 14n, 3],
        [Ledgers.token, 7n, 9n, 6],
      ])
    }).pipe(Effect.scoped),
  )

  it.effect("run: names no first block of a difference if the node has no state in between", () =>
    Effect.gen(function* () {
      const { proofOf } = yield* opened()
      yield* proofOf()
      const wrong = (block: number) => actual.native(block) + 1n
      const proof = yield* proofOf({ native: wrong, from: last })

      expect(differencesOf(proof)).toEqual([["native", 13n, 14n, null]])
      expect(proof.provedBlock).toBe(null)
      expect(proof.unchecked.at(-1)).toBe(
        'The first blocks of the differences are not known: node has no state of block 4 ("pruned"). Use an archive node.',
      )
    }).pipe(Effect.scoped),
  )

  it.effect("run: keeps the last proved block while every difference begins after it", () =>
    Effect.gen(function* () {
      const { proofOf } = yield* opened()
      const since = (from: number) => ({
        native: (block: number) => actual.native(block) + (block < from ? 0n : 1n),
      })
      yield* proofOf({}, { closing: blockAt(4) })
      const [after, at] = [yield* proofOf(since(5)), yield* proofOf(since(4))]

      expect([after.provedBlock, at.provedBlock]).toEqual([4, null])
    }).pipe(Effect.scoped),
  )

  it.effect("run: keeps no proved block above the closing one, and proves no block with something unchecked", () =>
    Effect.gen(function* () {
      const { proofOf, proofs } = yield* opened()
      const before = { wallet, first, block: blockAt(last), holdings: [], unchecked: [] }
      const later = { native: (block: number) => actual.native(block) + (block < last ? 0n : 1n) }
      const provedAfter = Effect.fnUntraced(function* (provedBlock: number | null, closing: BlockRows.BlockRef) {
        yield* proofs.writeProof({ ...before, provedBlock })
        const wrong = { native: (block: number) => later.native(block) + (block < closing.number ? 0n : 1n) }
        return (yield* proofOf(wrong, { closing })).provedBlock
      })

      expect(yield* provedAfter(6, blockAt(7))).toBe(6)
      expect(yield* provedAfter(8, blockAt(7))).toBe(null)
      expect(yield* provedAfter(null, blockAt(7))).toBe(null)
      yield* proofs.writeProof({ ...before, provedBlock: 4 })
      // Nothing differs, so no difference begins before the earlier block.
      expect(yield* proofOf({ from: last })).toMatchObject({ provedBlock: 4, unchecked: [expect.anything()] })
    }).pipe(Effect.scoped),
  )

  it.effect("run: names what is unknown before the first block, and compares the rest with stored values", () =>
    Effect.gen(function* () {
      const { proofOf } = yield* opened()
      const pruned = { from: last }
      const none = yield* proofOf(pruned)
      yield* proofOf()
      const some = yield* proofOf(pruned)
      const reason = 'before block 2 is not known: node has no state of block 1 ("pruned"). Use an archive node.'

      expect([none.holdings, none.unchecked]).toEqual([[], [`What the wallet held ${reason}`]])
      expect(some.holdings.map(({ holding }) => holding)).toEqual([Holding.native, token])
      expect(some.unchecked).toEqual([`How many transactions the wallet sent ${reason}`])
    }).pipe(Effect.scoped),
  )

  it.effect("run: compares nothing if the node lacks the state of the closing block, or the calls do not suffice", () =>
    Effect.gen(function* () {
      const { proofOf } = yield* opened()

      expect(yield* proofOf({ from: last + 1 })).toMatchObject({
        holdings: [],
        provedBlock: null,
        unchecked: ['Nothing was compared: node has no state of block 8 ("pruned"). Use an archive node.'],
      })
      expect((yield* proofOf({}, { maxCalls: 0 })).unchecked.at(-1)).toBe(
        "Nothing was compared: it takes more than 0 calls. Raise --max-calls, or leave out tokens with --ignore.",
      )
    }).pipe(Effect.scoped),
  )

  it.effect("run: fails if a call fails otherwise, at the closing block, before the first one and in between", () =>
    Effect.gen(function* () {
      const { run } = yield* opened()
      const wrong = (block: number) => actual.native(block) + (block < 6 ? 0n : 1n)
      const failsAt = (at: number) =>
        Effect.map(run({ native: wrong, isFailing: (block) => block === at }), ({ outcome }) =>
          Result.isFailure(outcome) ? outcome.failure._tag : "none",
        )

      const outcomes = yield* Effect.forEach([last, 1, 6, 2], failsAt)

      // The first block is found with blocks 4, 6 and 5.
      expect(outcomes).toEqual(["NodeFailed", "NodeFailed", "NodeFailed", "none"])
    }).pipe(Effect.scoped),
  )

  it.effect("run: fails if the node has another block or none as the closing one, before and after", () =>
    Effect.gen(function* () {
      const { run, stored } = yield* opened()
      const failed = Effect.fnUntraced(function* (hash: string | null) {
        const { asked, outcome } = yield* run({ hash })
        return [Result.isFailure(outcome) && outcome.failure, asked.length] as const
      })
      const [other, calls] = yield* failed(Rows.blockHash(last, "b"))
      const [none] = yield* failed(null)

      expect(other).toMatchObject({
        _tag: "ChainReorganized",
        block: last,
        expected: Rows.blockHash(last),
        received: Rows.blockHash(last, "b"),
      })
      expect(none).toMatchObject({ _tag: "ChainReorganized", received: "no block" })
      expect(calls).toBe(1)
      expect(yield* stored).toBe(null)
    }).pipe(Effect.scoped),
  )

  it.effect("run: does not treat the transaction count of a contract as the number of its transactions", () =>
    Effect.gen(function* () {
      const { proofOf } = yield* opened()
      const counts = { nonce: (block: number) => actual.nonce(block) + (block < 4 ? 0 : 1) }
      const contract = yield* proofOf({ ...counts, code: "0x6001" }, { closing: blockAt(6) })
      const continued = yield* proofOf({ ...counts, code: "0x6001" }, { isContinued: true })
      const right = yield* proofOf({ code: "0x6001" })

      expect(contract.holdings.map(({ holding }) => holding.asset)).toEqual(["native", Ledgers.token])
      expect([isProved(contract), isProved(continued)]).toEqual([true, true])
      expect(continued.holdings.map(({ holding }) => holding.asset)).toEqual(["native", Ledgers.token])
      expect(right.holdings.map(({ holding }) => holding.asset)).toEqual(["native", "nonce", Ledgers.token])
    }).pipe(Effect.scoped),
  )

  it.effect("run: a wallet that signed authorizations may have a higher transaction count, but never a lower one", () =>
    Effect.gen(function* () {
      const counting = Effect.fnUntraced(function* (role: number, more: number) {
        const { proofOf } = yield* opened(moved, role)
        const proof = yield* proofOf({ nonce: (block) => actual.nonce(block) + (block < 4 ? 0 : more) })
        return proof.holdings.some(({ holding }) => holding.standard === "nonce")
      })
      const both = Role.bits.sender | Role.bits.authority

      expect(yield* counting(both, 1)).toBe(false)
      expect(yield* counting(both, -1)).toBe(true)
      expect(yield* counting(Role.bits.sender, 1)).toBe(true)
    }).pipe(Effect.scoped),
  )

  it.effect("run: omits ignored tokens, and stores no such proof", () =>
    Effect.gen(function* () {
      const { run, stored } = yield* opened()
      const { outcome } = yield* run({ token: () => null }, { ignored: new Set([Ledgers.token]) })
      const { ignored, proof } = Result.getOrThrow(outcome)

      expect(ignored).toEqual([Ledgers.token])
      expect(proof.holdings.map(({ holding }) => holding.asset)).toEqual(["native", "nonce"])
      expect(yield* stored).toBe(null)
    }).pipe(Effect.scoped),
  )

  it.effect("run: trusts the state root, and asks a node that contradicts it for no first block", () =>
    Effect.gen(function* () {
      const { run } = yield* opened()
      const proven = yield* Effect.promise(() => provenAccount(wallet))
      const closing = { number: 5, hash: proven.hash }
      const token = (block: number) => (block < 5 ? 0n : 8n)
      const { asked, outcome } = yield* run({ proven, token }, { closing })
      const { proof } = Result.getOrThrow(outcome)

      expect(differencesOf(proof)).toEqual([
        ["native", 13n, 7n, null],
        ["nonce", 6n, 3n, null],
        [Ledgers.token, 7n, 8n, 5],
      ])
      expect(proof.holdings.map(({ isByStateRoot }) => isByStateRoot)).toEqual([true, true, false])
      expect(proof.unchecked.map((sentence) => sentence.slice(0, 27))).toEqual([
        "The node contradicts itself",
        "The node contradicts itself",
      ])
      // The last balance is read together with the account's code.
      expect(asked.filter(([method]) => method === "eth_getBalance").map(([, block]) => block)).toEqual([5, 1, 5])
    }).pipe(Effect.scoped),
  )

  it.effect("run: locates one id of a contract that returns no balance for its ids", () =>
    Effect.gen(function* () {
      const ids = Array.from({ length: 17 }, (_, id) => String(id))
      const received = ids.map((tokenId) => ({ amount: 1n, asset: Ledgers.token, kind: "erc1155" as const, tokenId }))
      const { proofOf } = yield* opened({ 3: { 0: received } })
      const same = { native: () => 10n, nonce: (block: number) => (block < 3 ? 4 : 5) }
      const proof = yield* proofOf({ ...same, token: () => null })

      expect(differencesOf(proof).map(([, , , block]) => block)).toEqual([3, ...Array.from({ length: 15 }, () => null)])
    }).pipe(Effect.scoped),
  )

  it.effect("run: compares the number of a contract's tokens, and the ids owned after the movements", () =>
    Effect.gen(function* () {
      const id = (tokenId: string, amount: bigint) =>
        ({ amount, asset: Ledgers.token, kind: "erc721", tokenId }) as const
      // Ids 5 and 6 are received, 4 is sent, and later 5 is sent too.
      const { openings, proofOf } = yield* opened({
        3: { 0: [id("5", 1n), id("6", 1n), id("4", -1n)] },
        7: { 0: [id("5", -1n)] },
      })
      const same = {
        native: () => 10n,
        nonce: (block: number) => (block < 3 ? 4 : block < 7 ? 5 : 6),
        token: (block: number, data = "") => {
          if (data.startsWith("0x70a08231")) return block < 3 ? 1n : block < 7 ? 2n : 1n
          return data.endsWith("4") || (data.endsWith("5") && block >= 7) ? BigInt(Rows.bob) : BigInt(wallet)
        },
      }
      const idsOf = ({ holdings }: WalletProof) =>
        holdings
          .filter(({ holding }) => holding.standard === "erc721")
          .map(({ expected, holding }) => [holding.tokenId, expected])
      const before = yield* proofOf(same, { closing: blockAt(5) })
      const continued = yield* proofOf(same, { isContinued: true })
      const whole = yield* proofOf(same)

      expect([isProved(before), isProved(continued)]).toEqual([true, true])
      expect(idsOf(before)).toEqual([
        [null, 2n],
        ["5", 1n],
        ["6", 1n],
      ])
      expect(idsOf(continued)).toEqual([
        [null, 1n],
        ["6", 1n],
      ])
      expect(whole).toEqual(continued)
      // Ownership follows from the first movement of an id.
      expect((yield* openings).map(({ holding }) => [holding.standard, holding.tokenId])).toEqual([
        ["native", null],
        ["erc721", null],
      ])
    }).pipe(Effect.scoped),
  )
})
