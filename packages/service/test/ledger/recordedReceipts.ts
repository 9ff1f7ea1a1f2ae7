/** Sums of the fees and token movements that the ledger derives from recorded receipts. */
import * as Schema from "effect/Schema"
import * as Block from "@daybook/schema/Block"
import * as Receipt from "@daybook/schema/Receipt"
import * as Transaction from "@daybook/schema/Transaction"
import type * as RecordedReceipts from "@daybook/harness/RecordedReceipts"
import * as Ledger from "../../src/ledger/Ledger.ts"
import * as LedgerRules from "../../src/ledger/LedgerRules.ts"
import * as LedgerSource from "../../src/ledger/LedgerSource.ts"
import * as BlockFacts from "../../src/block/BlockFacts.ts"
import type { MinedBlock } from "../../src/verification/MinedBlock.ts"

const decodeBlock = Schema.decodeUnknownSync(Block.HydratedBlock)
const decodeReceipt = Schema.decodeUnknownSync(Receipt.Receipt)
const decodeTransaction = Schema.decodeUnknownSync(Transaction.Transaction)

/** A decoded recording. */
export const decode = (recorded: RecordedReceipts.RecordedReceipt) => ({
  // Sound: a block with a receipt has a number and a hash.
  block: decodeBlock({ size: "0x0", ...recorded.block }) as MinedBlock,
  transaction: decodeTransaction(recorded.transaction),
  receipt: decodeReceipt(recorded.receipt),
})

/** Fee and token movements of a transaction. */
export interface Result {
  /** In wei. */
  readonly fee: bigint
  /** Sums that are not 0, by `keyOf`. */
  readonly tokens: ReadonlyMap<string, bigint>
}

export type TokenKind = "erc20" | "erc721" | "erc1155"

/** Key of a sum; `id` is `null` for a fungible token. */
export const keyOf = (kind: TokenKind, asset: string, wallet: string, id: bigint | null): string =>
  `${kind} ${asset} ${wallet} ${id ?? ""}`.toLowerCase()

/** Adds an amount to a sum, and removes the sum if it becomes 0. */
export const add = (sums: Map<string, bigint>, key: string, amount: bigint): void => {
  const sum = (sums.get(key) ?? 0n) + amount
  if (sum === 0n) sums.delete(key)
  else sums.set(key, sum)
}

const isToken = (kind: string): kind is TokenKind => kind === "erc20" || kind === "erc721" || kind === "erc1155"

/** Derives the sums of a recorded transaction. */
export const derive = (recorded: RecordedReceipts.RecordedReceipt): Result => {
  const { block, receipt, transaction } = decode(recorded)
  const executed = [{ transaction, receipt }]
  const facts = BlockFacts.fromBlock({ block, rows: executed, gasFees: null })
  const source = LedgerSource.fromResponses({ block, executed, internal: null, facts })
  let fee = 0n
  const tokens = new Map<string, bigint>()
  for (const { movements } of Ledger.derive(source, LedgerRules.fromChainId(recorded.chain))) {
    for (const { amount, asset, kind, tokenId, wallet } of movements) {
      if (kind === "fee") fee -= amount
      else if (isToken(kind)) add(tokens, keyOf(kind, asset, wallet, tokenId === null ? null : BigInt(tokenId)), amount)
    }
  }
  return { fee, tokens }
}
