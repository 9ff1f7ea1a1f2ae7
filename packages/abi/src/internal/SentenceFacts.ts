/** What sentences of transactions are made of, and what they consist of. */
import type { DecodedItem } from "@daybook/schema/DecodedItem"
import type { TokenTransfer } from "@daybook/schema/TokenTransfer"

/**
 * A change of what an address holds: by the ledger of a service, or by the value and the transfers of the transaction.
 */
export interface Change {
  /** `native`, or the address of a token. */
  readonly asset: string
  readonly tokenId: bigint | null
  /** What was added, in the smallest unit; negative for what was taken. */
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
 * What is known of a transaction. Addresses are in lower case.
 */
export interface Facts {
  readonly from: string
  /** `null` for a creation. */
  readonly to: string | null
  /** The contract that it created; `null` for none. */
  readonly created: string | null
  readonly value: bigint
  /** 0 for a failed one; `null` before Byzantium. */
  readonly status: number | null
  /** Call data in hex. */
  readonly input: string
  /** The call, where it is decoded. */
  readonly call: Pick<DecodedItem, "label" | "signature"> | null
  readonly transfers: ReadonlyArray<TokenTransfer>
  readonly logs: ReadonlyArray<EventLog>
  /** Movements of the sender without fees; `null` where calls inside may have moved ether that is not known. */
  readonly movements: ReadonlyArray<Change> | null
  /** Why it failed, in words. */
  readonly reason?: string | undefined
}

/**
 * A part of a sentence. Words are those of this module; names were chosen by contracts.
 */
export type Part =
  | { readonly _tag: "Words"; readonly text: string }
  | { readonly _tag: "Name"; readonly text: string }
  | { readonly _tag: "Address"; readonly address: string }
  | { readonly _tag: "Token"; readonly address: string }
  | { readonly _tag: "Amount"; readonly asset: string; readonly tokenId: bigint | null; readonly amount: bigint }

/**
 * What a transaction did, in a word.
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
 * A sentence by its parts, to be written one after another without spaces between them.
 */
export interface Sentence {
  readonly action: Action
  readonly parts: ReadonlyArray<Part>
}
