/**
 * Token movements, approvals and wrappings in the logs of a transaction. Malformed logs are ignored. What a contract logs is not trusted
 * further: its tokens may be worthless. Pure.
 *
 * Source: ERC-20, ERC-721, ERC-1155, ERC-2309; decision 0048.
 */
import * as Address from "@daybook/schema/Address"
import * as TokenTransfer from "@daybook/schema/TokenTransfer"
import type { LedgerRules } from "./LedgerRules.ts"
import type { SourceLog, SourceTransaction } from "./LedgerSource.ts"
import type { WalletRows } from "./WalletRows.ts"

/** Topic 0 of the supported events. */
export const topics = {
  ...TokenTransfer.topics,
  consecutiveTransfer: "0xdeaa91b6123d068f5821d0fb0678463d1a8a6079fe8af5de3ce5e896dcf9133d",
  approval: "0x8c5be1e5ebec7d5bd14f71427d1e84f3dd0314c0f7b2291e5b200ac8c7c3b925",
  approvalForAll: "0x17307eab39ab6107e8899845ad3d59bd9653f200f220920489ca2b5937696c31",
  deposit: "0xe1fffcc4923d04b559f4d29a8bfc6cda04eb5b0d3c460751c2402c5c5cc9109c",
  withdrawal: "0x7fcf532c15f0a6db0bd6d0e038bea71d30d808c7d98cb3bf7268a95bf5081b65",
} as const

const zeroAddress = `0x${"0".repeat(40)}`

/** True if the data of a log is one word. */
const isWord = ({ data }: TokenTransfer.EventLog): boolean => data.length === 66

interface Parties {
  readonly from: Address.Address
  readonly to: Address.Address
}

const partiesOf = (from: string | undefined, to: string | undefined): Parties | null => {
  const [sender, recipient] = [Address.fromTopic(from), Address.fromTopic(to)]
  return sender === undefined || recipient === undefined ? null : { from: sender, to: recipient }
}

/** The zero address mints and burns, so it is not a holder. */
const holder = (address: string): string | null => (address === zeroAddress ? null : address)

const addTransfer = (rows: WalletRows, log: SourceLog, transfer: TokenTransfer.LogTransfer): void => {
  const { from, items, standard: kind, to } = transfer
  if (holder(from) !== null) rows.role(from, "token_sender")
  if (holder(to) !== null) rows.role(to, "token_recipient")
  for (const [id, amount] of items) {
    if (rows.isFull()) return rows.incomplete()
    rows.transfer({
      asset: log.address,
      kind,
      amount,
      from: holder(from),
      to: holder(to),
      logIndex: log.logIndex,
      tokenId: id?.toString(),
    })
  }
}

/** A range of ids transferred by one event. */
export interface IdRange extends Parties {
  readonly first: bigint
  readonly count: bigint
}

const rangeOf = (log: TokenTransfer.EventLog): IdRange | null => {
  const [topic0, start, from, to] = log.topics
  if (topic0 !== topics.consecutiveTransfer || log.topics.length !== 4 || !isWord(log)) return null
  const parties = partiesOf(from, to)
  const first = BigInt(start!)
  const count = BigInt(log.data) - first + 1n
  return parties && count > 0n ? { ...parties, first, count } : null
}

const idsOf = function* ({ count, first }: IdRange): Generator<TokenTransfer.Item> {
  for (let at = 0n; at < count; at++) yield [first + at, 1n]
}

/** Gas for one word of log data. */
const gasPerWord = 256n

/** Reads the transfer in a log; returns a range of ids that is too long for the transaction, or `null` for any other event. */
export type TransferReader = (log: TokenTransfer.EventLog) => TokenTransfer.LogTransfer | IdRange | null

/**
 * Reads the transfers in the logs of a transaction, in order. One log may name a range of arbitrarily many ids, so only as many count as
 * transfers as the gas would allow in a log with a word per id.
 */
export const transferReader = (gasUsed: bigint): TransferReader => {
  let left = gasUsed / gasPerWord
  return (log) => {
    const range = rangeOf(log)
    if (range === null) return TokenTransfer.fromLog(log)
    if (range.count > left) return range
    left -= range.count
    return { from: range.from, to: range.to, standard: "erc721", items: idsOf(range) }
  }
}

/** Marks the parties of a range that is too long; its token becomes a candidate of a proof. */
const addLongRange = (rows: WalletRows, { address }: SourceLog, { from, to }: IdRange): void => {
  for (const [wallet, role] of [
    [from, "token_sender"],
    [to, "token_recipient"],
  ] as const) {
    if (holder(wallet) === null) continue
    rows.role(wallet, role)
    rows.candidate(wallet, address, "erc721")
    rows.incomplete(wallet)
  }
}

/** Adds the roles of an approval. */
const addApproval = (rows: WalletRows, log: SourceLog): void => {
  const [topic0, topic1, topic2] = log.topics
  const count = log.topics.length
  const isForAll = topic0 === topics.approvalForAll && count === 3 && isWord(log)
  const isOne = topic0 === topics.approval && ((count === 3 && isWord(log)) || (count === 4 && log.data === "0x"))
  const parties = isForAll || isOne ? partiesOf(topic1, topic2) : null
  if (parties === null) return
  if (holder(parties.from) !== null) {
    rows.role(parties.from, "approval_owner")
    rows.candidate(parties.from, log.address, isForAll || count === 4 ? "erc721" : "erc20")
  }
  if (holder(parties.to) !== null) rows.role(parties.to, isForAll ? "approval_operator" : "approval_spender")
}

/** Deposit or Withdrawal of a wrapped token: account whose tokens are minted or burned, and amount. */
const wrappingOf = (log: SourceLog) => {
  const [topic0, topic1] = log.topics
  const isDeposit = topic0 === topics.deposit
  if ((!isDeposit && topic0 !== topics.withdrawal) || log.topics.length !== 2 || !isWord(log)) return null
  const account = Address.fromTopic(topic1)
  return account === undefined ? null : { account, amount: BigInt(log.data), isDeposit }
}

/** A side of a token transfer that is not a holder: the zero address and, for an unlisted contract, the contract itself. */
const isSource = (address: string, { address: token }: SourceLog, isListed: boolean): boolean =>
  address === zeroAddress || (!isListed && address === token)

/** Key of a mint or burn. The amount is only part of it for listed contracts, since others may mint shares. */
const keyOf = (token: string, account: string, isMint: boolean, amount: bigint, isListed: boolean): string =>
  `${token}:${account}:${isMint}:${isListed ? amount : ""}`

/** Counted mints and burns in transfer logs. */
const mintsOf = (logs: ReadonlyArray<SourceLog>, { wrappedTokens }: LedgerRules): Map<string, number> => {
  const found = new Map<string, number>()
  for (const log of logs) {
    const transfer = TokenTransfer.fromLog(log)
    if (transfer?.standard !== "erc20") continue
    const { from, to } = transfer
    const isListed = wrappedTokens.has(log.address)
    const isMint = isSource(from, log, isListed)
    if (isMint === isSource(to, log, isListed)) continue
    const key = keyOf(log.address, isMint ? to : from, isMint, BigInt(log.data), isListed)
    found.set(key, (found.get(key) ?? 0) + 1)
  }
  return found
}

/**
 * Mints and burns of wrapped native currency, unless transfers report them too. Any contract may log such an event. That of an unlisted
 * contract only counts if the same amount of native currency moved to or from the contract, using each such movement once. Otherwise its
 * token becomes a candidate of a proof.
 */
const wrapper = (rows: WalletRows, logs: ReadonlyArray<SourceLog>, rules: LedgerRules) => {
  let mints: Map<string, number> | undefined
  return (log: SourceLog): void => {
    const wrapping = wrappingOf(log)
    if (wrapping === null || holder(wrapping.account) === null) return
    const { account, amount, isDeposit } = wrapping
    const isListed = rules.wrappedTokens.has(log.address)
    mints ??= mintsOf(logs, rules)
    const key = keyOf(log.address, account, isDeposit, amount, isListed)
    const stated = mints.get(key) ?? 0
    if (stated > 0) {
      mints.set(key, stated - 1)
      return
    }
    rows.role(account, isDeposit ? "token_recipient" : "token_sender")
    if (!isListed && !rows.takeNative(log.address, isDeposit ? amount : -amount)) {
      rows.candidate(account, log.address, "erc20")
      // The contract received or paid a different amount: it may have minted or burned without a log.
      if (rows.hasNative(log.address, isDeposit)) rows.incomplete(account)
      return
    }
    const [from, to] = isDeposit ? [null, account] : [account, null]
    rows.transfer({ asset: log.address, kind: "erc20", amount, from, to, logIndex: log.logIndex })
  }
}

/** Adds token activity in the logs of a transaction. */
export const add = (
  rows: WalletRows,
  { gasUsed, logs }: Pick<SourceTransaction, "gasUsed" | "logs">,
  rules: LedgerRules,
): void => {
  const wrap = wrapper(rows, logs, rules)
  const transferOf = transferReader(gasUsed)
  for (const log of logs) {
    if (log.topics.length < 2 || rules.nativeTokens.has(log.address)) continue
    const transfer = transferOf(log)
    if (transfer === null) {
      addApproval(rows, log)
      wrap(log)
    } else if ("items" in transfer) addTransfer(rows, log, transfer)
    else addLongRange(rows, log, transfer)
  }
}
