/**
 * Formats the parts of a transaction for the terminal: direction, counterparty, amount, call.
 */
import { Address, type DecodedItem, type InternalTransaction, type WalletTransaction, Wei } from "@daybook/schema"

type Transaction = WalletTransaction.WalletTransaction

/** An amount in ether with at most six decimals; a tilde marks a truncated one. */
export const shortEther = (wei: bigint): string => {
  const text = Wei.formatEther(wei)
  const point = text.indexOf(".")
  return point < 0 || text.length - point <= 7 ? text : `~${text.slice(0, point + 7)}`
}

/** A checksummed address, shortened in the middle. */
export const shortAddress = (address: Address.Address): string => {
  const text = Address.checksum(address)
  return `${text.slice(0, 8)}…${text.slice(-4)}`
}

/** Direction of a transaction relative to the wallet. */
export const direction = (
  wallet: Address.Address,
  transaction: Transaction,
): "in" | "out" | "self" | "contract_creation" =>
  transaction.receipt_contract_address === wallet
    ? "contract_creation"
    : transaction.from_address !== wallet
      ? "in"
      : transaction.to_address === wallet
        ? "self"
        : "out"

/** The other party of a transaction: its label if the server has one, otherwise its address. */
export const counterparty = (wallet: Address.Address, transaction: Transaction): string => {
  if (transaction.from_address !== wallet)
    return transaction.from_address_label ?? shortAddress(transaction.from_address)
  if (transaction.to_address !== null) return transaction.to_address_label ?? shortAddress(transaction.to_address)
  return transaction.receipt_contract_address === null
    ? "new contract"
    : `new ${shortAddress(transaction.receipt_contract_address)}`
}

/** The called function: its decoded name, otherwise its selector; `create` or `transfer` for a transaction without a call. */
export const call = (transaction: Transaction): string =>
  transaction.decoded_call !== null
    ? transaction.decoded_call.label
    : transaction.to_address === null
      ? "create"
      : transaction.input === "0x"
        ? "transfer"
        : transaction.input.slice(0, 10)

/** `ok`, `failed`, or `?` for a receipt without a status (before Byzantium). */
export const status = (transaction: Transaction): string =>
  transaction.receipt_status === 1 ? "ok" : transaction.receipt_status === 0 ? "failed" : "?"

/** Time in UTC, to the second. */
export const time = (date: Date): string => date.toISOString().slice(0, 19).replace("T", " ")

/** A decoded event or call on one line. */
export const decoded = (item: DecodedItem.DecodedItem): string =>
  `${item.label}(${item.params.map((param) => (param.name === "" ? param.value : `${param.name}: ${param.value}`)).join(", ")})`

/** An internal transaction on one line. */
export const internalCall = (item: InternalTransaction.InternalTransaction): string =>
  [
    item.type,
    shortAddress(item.from),
    "->",
    item.to === null ? "none" : shortAddress(item.to),
    `${Wei.formatEther(item.value)} ether,`,
    `${item.gas_used} gas`,
    ...(item.error == null ? [] : [`(${item.error})`]),
  ].join(" ")
