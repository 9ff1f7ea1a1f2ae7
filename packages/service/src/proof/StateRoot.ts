/**
 * Verifies the ether balance and nonce of an account against the state root in a block's header, with the proof from `eth_getProof`. Only
 * the hash of the block then needs to be trusted. If that is not possible, the node is trusted, and the reason is reported.
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

/** State of an account according to a block. */
export type Reading =
  | {
      readonly _tag: "Verified"
      readonly account: StateProof.Account
    }
  | {
      readonly _tag: "Trusted"
      /** Why the node must be trusted, as part of a sentence. */
      readonly reason: string
    }
  | {
      readonly _tag: "Refuted"
      /** What the node contradicts, as a sentence. */
      readonly reason: string
    }

const trusted = (reason: string): Reading => ({ _tag: "Trusted", reason })
const refuted = (reason: string): Reading => ({ _tag: "Refuted", reason })

/** Statuses with which a gateway reports that the node timed out. */
const tooLong: ReadonlySet<number | undefined> = new Set([408, 504, 524])

/** An error with which a node reports that it has no proof, transient or not; a proof of an old block may time out every time. */
const isWithout = (error: CallError): boolean => {
  switch (error._tag) {
    case "RpcError":
      return true
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

/** The genesis block of a development node may have a state that its header does not commit to. */
const isGenesis = ({ number }: BlockRef): boolean => number === 0

/**
 * Reads an account at a block with its proof.
 *
 * **Details**
 *
 * `Verified`: the header hashes to the block hash, and the proof to its state root. `Trusted`: the node has no proofs, or the chain hashes
 * headers differently. `Refuted`: the node returned an invalid proof.
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

/** Amount of a holding in an account; `null` for holdings that are not part of an account's state. */
const amountOf = ({ balance, nonce }: StateProof.Account, { standard }: Holding.Holding): bigint | null => {
  if (standard === "native") return balance
  return standard === "nonce" ? nonce : null
}

/** Holdings reported by a node, corrected by a reading. */
export interface Corrected {
  /** In the order of the holdings. */
  readonly amounts: ReadonlyArray<bigint | null>
  /** Positions of verified amounts. */
  readonly verified: ReadonlySet<number>
  /** Positions of amounts that the node had reported differently. */
  readonly contradicted: ReadonlySet<number>
  /** Issues of the node, as sentences. */
  readonly issues: ReadonlyArray<string>
}

const nameOf = ({ standard }: Holding.Holding): string =>
  standard === "native" ? "eth_getBalance" : "eth_getTransactionCount"

/** Replaces what a node reported by what is verified. Pure. */
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
