/**
 * Token transfers of a wallet, from logs, including those of amount 0, which are not movements.
 *
 * Source: decision 0070.
 */
import type { LogWire } from "@daybook/schema/Log"
import * as TokenTransfer from "@daybook/schema/TokenTransfer"
import * as TokenLogs from "../ledger/TokenLogs.ts"
import * as Role from "../ledger/Role.ts"
import * as TransactionParts from "./TransactionParts.ts"
import * as WalletPage from "./WalletPage.ts"

/** A transfer of one token, or of one id of a batch. */
export interface Transfer {
  readonly standard: TokenTransfer.Standard
  /** Lower case. */
  readonly token: string
  readonly from: string
  readonly to: string
  /** `null` for a fungible token. */
  readonly tokenId: bigint | null
  readonly amount: bigint
  readonly logIndex: string
}

/** The used topics of a log. */
export const topicsOf = ({ topic0, topic1, topic2, topic3 }: LogWire): ReadonlyArray<string> =>
  [topic0, topic1, topic2, topic3].filter((topic) => typeof topic === "string" && topic !== "") as ReadonlyArray<string>

const transfersIn = (log: LogWire, transferOf: TokenLogs.TransferReader): ReadonlyArray<Transfer> => {
  if (log.address === TokenTransfer.etherLogger) return []
  const transfer = transferOf({ data: log.data, topics: topicsOf(log) })
  if (transfer === null || !("items" in transfer)) return []
  const { from, items, standard, to } = transfer
  return [...items].map(([tokenId, amount]) => ({
    standard,
    token: log.address,
    from,
    to,
    tokenId,
    amount,
    logIndex: log.log_index,
  }))
}

const readerOf = (roles: number, isListed: (transfer: Transfer, address: string) => boolean) =>
  WalletPage.make(
    TransactionParts.sourceOf<Transfer>({
      roles,
      internal: false,
      partsOf: ({ transaction: { logs, receipt_gas_used: gasUsed } }, address) => {
        const transferOf = TokenLogs.transferReader(BigInt(gasUsed))
        return logs.flatMap((log) => transfersIn(log, transferOf)).filter((transfer) => isListed(transfer, address))
      },
    }),
  )

const { created, internal_callee, recipient, token_recipient, token_sender } = Role.bits

/**
 * Reads a page of transfers, filtered by the selection.
 *
 * **Errors**
 * - `Stale`, `NotDerived`, `StoreError`: as for all pages.
 * - `NotWatched`: the index does not cover the wallet.
 * - `TooManyTexts`: the rows before the page are too far apart to count them.
 */
export const read = readerOf(token_sender | token_recipient, ({ from, to }, wallet) => from === wallet || to === wallet)

/**
 * Reads a page of the transfers of a contract. It logs them when it is called or created, which traces show, so they are only complete in
 * blocks with traces and all calls of the contract.
 *
 * **Errors**
 * - As for `read`.
 */
export const readOfToken = readerOf(recipient | internal_callee | created, ({ token }, contract) => token === contract)
