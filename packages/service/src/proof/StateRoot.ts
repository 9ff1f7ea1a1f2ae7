/**
 * Verifies the ether and the nonce of an account against the state root of a block's header, by the proof that `eth_getProof` returns.
 * Then only the hash of the block has to be trusted. Where that is not possible, the node is trusted, and the reason is given.
 *
 * Source: decision 0050.
 */
import type { CallError } from "@daybook/rpc/RpcError"
import type * as Account from "@daybook/schema/Account"
import type { Block } from "@daybook/schema/Block"
import { visibleStart } from "@daybook/schema/VisibleText"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { BlockRef } from "../block/BlockRows.ts"
import type * as Holding from "../ledger/Holding.ts"
import * as Calls from "../node/Calls.ts"
import * as HeaderHash from "../verification/HeaderHash.ts"
import * as StateProof from "../verification/StateProof.ts"

/** What a block states of an account. */
export type Reading =
  | {
      readonly _tag: "Verified"
      readonly account: StateProof.Account
    }
  | {
      readonly _tag: "Trusted"
      /** Why the node has to be trusted, as a part of a sentence. */
      readonly reason: string
    }
  | {
      readonly _tag: "Refuted"
      /** What the node contradicts, as a sentence. */
      readonly reason: string
    }

const trusted = (reason: string): Reading => ({ _tag: "Trusted", reason })
const refuted = (reason: string): Reading => ({ _tag: "Refuted", reason })

/** Statuses by which a gateway states that the node took too long. */
const tooLong: ReadonlySet<number | undefined> = new Set([408, 504, 524])

/** An error by which a node states that it has no proof, whether it may pass or not; a proof of an old block may take a node too long each time. */
const isWithout = (error: CallError): boolean => {
  switch (error._tag) {
    case "RpcError":
      return error.kind !== "rateLimited"
    case "InvalidResponse":
      return !error.isRetryable || tooLong.has(error.status)
    default:
      return !error.isRetryable || error._tag === "TimeoutError"
  }
}

const reasonOf = (error: CallError, what = "eth_getProof"): string =>
  error._tag === "RpcError" && error.kind === "methodUnsupported"
    ? `${error.host} has no ${what}`
    : `${what} failed ("${visibleStart(error.message, 200)}")`

/** The genesis block of a development node may have a state that its header does not. */
const isGenesis = ({ number }: BlockRef): boolean => number === 0

/**
 * Reads an account at a block by its proof.
 *
 * **Details**
 *
 * `Verified`: the header hashes to the hash of the block, and the proof to the state root in it. `Trusted`: the node has no proofs, or the
 * chain hashes its headers in another way. `Refuted`: the node gave a proof that is wrong.
 *
 * **Errors**
 * - `NodeFailed`, `WrongChain`, `CallBudgetExceeded`: calls fail, or are too many.
 */
export const read = Effect.fnUntraced(function* (
  budgeted: Calls.Budgeted,
  address: string,
  block: BlockRef,
): Effect.fn.Return<Reading, Calls.CallsError> {
  const { hash, number } = block
  if (isGenesis(block)) return trusted("proofs of block 0 are not used")
  const task = { what: `read a proof at block ${number}`, block: number, isResult: isWithout }
  const [header, proof] = yield* Calls.send(
    budgeted,
    [
      { method: "eth_getBlockByNumber", params: [number, false] },
      { method: "eth_getProof", params: [address, [], number] },
    ],
    task,
  )
  if (header === undefined || proof === undefined) return trusted("the node did not respond")
  if (Result.isFailure(proof)) return trusted(reasonOf(proof.failure))
  if (Result.isFailure(header)) return trusted(reasonOf(header.failure, "eth_getBlockByNumber"))
  // Sound: the results are decoded by the schemas of the methods.
  const [mined, { accountProof }] = [header.success as Block | null, proof.success as Account.AccountProof]
  if (mined?.stateRoot == null || HeaderHash.fromBlock(mined) !== hash) {
    return trusted(`the header of block ${number} does not hash to ${hash} by the rules of Ethereum`)
  }
  const account = StateProof.account(mined.stateRoot, address, accountProof)
  return Result.isSuccess(account)
    ? { _tag: "Verified", account: account.success }
    : refuted(
        `The node's proof of ${address} does not belong to the state root of block ${number}: ${account.failure}. Use another node.`,
      )
})

/** What an account has of a holding; `null` for holdings that the account of a state does not have. */
export const amountOf = ({ balance, nonce }: StateProof.Account, { standard }: Holding.Holding): bigint | null => {
  if (standard === "native") return balance
  return standard === "nonce" ? nonce : null
}

/** What a node stated of holdings, corrected by a reading. */
export interface Corrected {
  /** In the order of the holdings. */
  readonly amounts: ReadonlyArray<bigint | null>
  /** Positions of what is verified. */
  readonly verified: ReadonlySet<number>
  /** Positions of what the node has stated otherwise. */
  readonly contradicted: ReadonlySet<number>
  /** What is wrong with the node, in sentences. */
  readonly issues: ReadonlyArray<string>
}

const nameOf = ({ standard }: Holding.Holding): string =>
  standard === "native" ? "eth_getBalance" : "eth_getTransactionCount"

/** Replaces what a node stated by what is verified. Pure. */
export const correct = (
  reading: Reading,
  block: BlockRef,
  holdings: ReadonlyArray<Holding.Holding>,
  stated: ReadonlyArray<bigint | null>,
): Corrected => {
  if (reading._tag !== "Verified") {
    const issues = reading._tag === "Refuted" ? [reading.reason] : []
    return { amounts: stated, verified: new Set(), contradicted: new Set(), issues }
  }
  const verified = new Set<number>()
  const contradicted = new Set<number>()
  const issues: Array<string> = []
  const amounts = holdings.map((holding, at) => {
    const before = stated[at] ?? null
    const amount = amountOf(reading.account, holding)
    if (amount === null) return before
    verified.add(at)
    if (amount !== before) {
      contradicted.add(at)
      issues.push(
        `The node contradicts itself: ${nameOf(holding)} states ${before} at block ${block.number}, the state root of that block has ${amount}. Use another node.`,
      )
    }
    return amount
  })
  return { amounts, verified, contradicted, issues }
}
