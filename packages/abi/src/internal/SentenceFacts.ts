/** Input and structure of transaction sentences. */
import type { DecodedItem } from "@daybook/schema/DecodedItem"
import type { TokenTransfer } from "@daybook/schema/TokenTransfer"

/**
 * A change in the holdings of an address, from the ledger of a service, or from the value and transfers of the transaction.
 */
export interface Change {
  /** `native`, or the address of a token. */
  readonly asset: string
  readonly tokenId: bigint | null
  /** Amount added, in the smallest unit; negative if taken. */
  readonly amount: bigint
}

/**
 * The topics and data of a log, and the contract that emitted it.
 */
export interface EventLog {
  readonly address: string
  readonly topics: ReadonlyArray<string>
  readonly data: string
}

/**
 * What is known about a transaction. Addresses are in lower case.
 */
export interface Facts {
  readonly from: string
  /** `null` for a creation. */
  readonly to: string | null
  /** The created contract; `null` for none. */
  readonly created: string | null
  readonly value: bigint
  /** 0 if it failed; `null` before Byzantium. */
  readonly status: number | null
  /** Call data in hex. */
  readonly input: string
  /** The decoded call; `null` if it is unknown. */
  readonly call: Pick<DecodedItem, "label" | "signature"> | null
  readonly transfers: ReadonlyArray<TokenTransfer>
  readonly logs: ReadonlyArray<EventLog>
  /** Movements of the sender without fees; `null` if internal calls may have moved ether and are not known. */
  readonly movements: ReadonlyArray<Change> | null
  /** Reason of the failure, in words. */
  readonly reason?: string | undefined
}

/**
 * A part of a sentence. Words are from this module; names were chosen by contracts.
 */
export type Part =
  | { readonly _tag: "Words"; readonly text: string }
  | { readonly _tag: "Name"; readonly text: string }
  | { readonly _tag: "Address"; readonly address: string }
  | { readonly _tag: "Token"; readonly address: string }
  | { readonly _tag: "Amount"; readonly asset: string; readonly tokenId: bigint | null; readonly amount: bigint }

/**
 * What a transaction did, in one word.
 */
export type Action =
  | "failed"
  | "creation"
  | "transfer"
  | "mint"
  | "burn"
  | "approval"
  | "swap"
  | "deposit"
  | "withdrawal"
  | "exchange"
  | "purchase"
  | "sale"
  | "liquidity"
  | "bridge"
  | "vote"
  | "delegation"
  | "loan"
  | "repayment"
  | "text"
  | "empty transaction"
  | "user operations"
  | "call"

/**
 * A sentence as parts, to be written one after another without spaces in between.
 */
export interface Sentence {
  readonly action: Action
  readonly parts: ReadonlyArray<Part>
}
