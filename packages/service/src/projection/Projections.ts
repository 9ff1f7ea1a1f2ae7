/**
 * The projections of an index. To add one, write it in this folder and add it to `make`. The indexer fills it from the blocks of an
 * existing index, appends its rows with each block, and unwinds them with the block. Pure.
 */
import type { Decoder } from "@daybook/abi/Decoder"
import type * as FeeRules from "@daybook/schema/FeeRules"
import * as DecodedDocuments from "./DecodedDocuments.ts"
import type { Projection } from "../block/Projection.ts"
import * as WalletLedger from "./WalletLedger.ts"
import * as WalletTransactions from "./WalletTransactions.ts"

/** All projections of a chain, by its EIP-155 id and configured fee rules, with documents decoded by a decoder. */
export const make = (decoder: Decoder, chainId: number, feeRules?: FeeRules.Name): ReadonlyArray<Projection> => [
  WalletTransactions.projection,
  DecodedDocuments.make(decoder),
  WalletLedger.make(chainId, feeRules),
]
