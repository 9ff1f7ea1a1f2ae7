/**
 * The words for one transaction: its direction, its counterparty, its amount, its call.
 */
import { Address, type DecodedItem, type InternalTransaction, type WalletTransaction } from "@daybook/schema"

type Transaction = WalletTransaction.WalletTransaction

/** Wei as ether: decimal text without trailing zeros, exact. */
export const ether = (wei: bigint): string => {
  const digits = wei.toString().padStart(19, "0")
  const fraction = digits.slice(-18).replace(/0+$/, "")
  return fraction === "" ? digits.slice(0, -18) : `${digits.slice(0, -18)}.${fraction}`
}

/** Wei as ether with at most six digits after the point; what was cut off is shown by a tilde. */
export const shortEther = (wei: bigint): string => {
  const text = ether(wei)
  const point = text.indexOf(".")
  return point < 0 || text.length - point <= 7 ? text : `~${text.slice(0, point + 7)}`
}

/** An address for a person: checksummed, and shortened in the middle. */
export const shortAddress = (address: Address.Address): string => {
  const text = Address.checksum(address)
  return `${text.slice(0, 8)}…${text.slice(-4)}`
}

/** Where the transaction went, seen from the wallet. */
export const direction = (wallet: Address.Address, transaction: Transaction): "in" | "out" | "self" | "made" =>
  transaction.receipt_contract_address === wallet
    ? "made"
    : transaction.from_address !== wallet
      ? "in"
      : transaction.to_address === wallet
        ? "self"
        : "out"

/** The other side of the transaction: its label if the server knows one, else its address. */
export const counterparty = (wallet: Address.Address, transaction: Transaction): string => {
  if (transaction.from_address !== wallet)
    return transaction.from_address_label ?? shortAddress(transaction.from_address)
  if (transaction.to_address !== null) return transaction.to_address_label ?? shortAddress(transaction.to_address)
  return transaction.receipt_contract_address === null
    ? "new contract"
    : `new ${shortAddress(transaction.receipt_contract_address)}`
}

/** What was called: the decoded name, the selector where it is not known, or a plain transfer. */
export const call = (transaction: Transaction): string =>
  transaction.decoded_call !== null
    ? transaction.decoded_call.label
    : transaction.to_address === null
      ? "create"
      : transaction.input === "0x"
        ? "transfer"
        : transaction.input.slice(0, 10)

/** `ok`, `failed`, or `?` before the chain kept a status. */
export const status = (transaction: Transaction): string =>
  transaction.receipt_status === 1 ? "ok" : transaction.receipt_status === 0 ? "failed" : "?"

/** Time to the second, in UTC. */
export const time = (date: Date): string => date.toISOString().slice(0, 19).replace("T", " ")

/** A decoded event or call on one line. */
export const decoded = (item: DecodedItem.DecodedItem): string =>
  `${item.label}(${item.params.map((param) => (param.name === "" ? param.value : `${param.name}: ${param.value}`)).join(", ")})`

/** A call inside a transaction on one line. */
export const internalCall = (item: InternalTransaction.InternalTransaction): string =>
  [
    item.type,
    shortAddress(item.from),
    "->",
    item.to === null ? "nothing" : shortAddress(item.to),
    `${ether(item.value)} ether,`,
    `${item.gas_used} gas`,
    ...(item.error == null ? [] : [`(${item.error})`]),
  ].join(" ")
