/**
 * Exports as lines of JSON, one object per movement, with the interface's names. Amounts are decimal text. Pure.
 */
import * as TextFields from "./TextFields.ts"
import type { Entry } from "./ExportEntry.ts"
import type { ExportFormat } from "./ExportFormat.ts"

const valueOf = ({ asset, counterpartyLabel, flags, movement, ...place }: Entry) => ({
  chain_id: asset.chainId,
  address: movement.wallet,
  kind: movement.kind,
  asset: movement.asset,
  token_id: movement.tokenId,
  symbol: asset.symbol,
  decimals: asset.decimals,
  amount: movement.amount.toString(),
  amount_in_units: TextFields.amountOf(movement.amount, asset),
  counterparty: movement.counterparty,
  counterparty_label: counterpartyLabel,
  group: TextFields.groupOf(place),
  transaction_hash: place.transactionHash,
  transaction_index: place.transactionIndex,
  log_index: movement.logIndex,
  block_number: place.blockNumber,
  block_hash: place.blockHash,
  block_timestamp: new Date(place.timestamp * 1e3).toISOString(),
  failed: movement.isFailed,
  flags,
})

/** Makes the format. */
export const make = (): ExportFormat => ({
  head: () => "",
  entry: (entry) => `${JSON.stringify(valueOf(entry))}\n`,
  tail: () => "",
})
