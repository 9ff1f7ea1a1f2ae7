/**
 * Token movements and approvals in the logs of a transaction. The number of topics and the length of the data decide which standard an
 * event follows; a log of another form is none. What a contract logs is not trusted further: its tokens may be worthless. Pure.
 *
 * Source: ERC-20, ERC-721, ERC-1155; decision 0048.
 */
import type { LedgerRules } from "./LedgerRules.ts"
import type { SourceLog } from "./LedgerSource.ts"
import type { WalletRows } from "./WalletRows.ts"

const topics = {
  transfer: "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef",
  transferSingle: "0xc3d58168c5ae7397731d063d5bbf3d657854427343f4c083240f7aacaa2d0f62",
  transferBatch: "0x4a39dc06d4c0dbc64b70af90fd698a233a518aa5d07e595d983b8c0526c8f7fb",
  approval: "0x8c5be1e5ebec7d5bd14f71427d1e84f3dd0314c0f7b2291e5b200ac8c7c3b925",
  approvalForAll: "0x17307eab39ab6107e8899845ad3d59bd9653f200f220920489ca2b5937696c31",
  deposit: "0xe1fffcc4923d04b559f4d29a8bfc6cda04eb5b0d3c460751c2402c5c5cc9109c",
  withdrawal: "0x7fcf532c15f0a6db0bd6d0e038bea71d30d808c7d98cb3bf7268a95bf5081b65",
} as const

export { topics }

const wordDigits = 64
const zeroAddress = `0x${"0".repeat(40)}`

/** The address in an indexed topic; `null` where it is none. */
export const addressOf = (topic: string | undefined): string | null =>
  topic !== undefined && /^0x0{24}/.test(topic) ? `0x${topic.slice(26)}` : null

const bytesOf = ({ data }: SourceLog): number => (data.length - 2) / 2

const wordAt = (data: string, at: number): bigint => BigInt(`0x${data.slice(2 + at * 2, 2 + at * 2 + wordDigits)}`)

/** Position and length of an array in the data of a log; `null` where it does not fit. */
const arrayAt = (log: SourceLog, head: number): { readonly at: number; readonly length: number } | null => {
  const bytes = bytesOf(log)
  const offset = wordAt(log.data, head)
  if (offset > BigInt(bytes - 32)) return null
  const length = wordAt(log.data, Number(offset))
  const at = Number(offset) + 32
  return length > BigInt(Math.floor((bytes - at) / 32)) ? null : { at, length: Number(length) }
}

type Item = readonly [id: bigint | null, amount: bigint]

/** Ids and amounts, read as they are asked for: a log may claim more of them than the rows of a transaction hold. */
const batchItems = function* (log: SourceLog, ids: number, amounts: number, length: number): Generator<Item> {
  for (let at = 0; at < length; at++) yield [wordAt(log.data, ids + at * 32), wordAt(log.data, amounts + at * 32)]
}

/** Ids and amounts of a TransferBatch; `null` for data of another form. */
const batchOf = (log: SourceLog): Iterable<Item> | null => {
  if (bytesOf(log) < 128) return null
  const [ids, amounts] = [arrayAt(log, 0), arrayAt(log, 32)]
  if (ids === null || amounts === null || ids.length !== amounts.length) return null
  return batchItems(log, ids.at, amounts.at, ids.length)
}

interface Parties {
  readonly from: string
  readonly to: string
}

const partiesOf = (from: string | undefined, to: string | undefined): Parties | null => {
  const [sender, recipient] = [addressOf(from), addressOf(to)]
  return sender === null || recipient === null ? null : { from: sender, to: recipient }
}

/** The zero address mints and burns: it is no wallet of a token. */
const holder = (address: string): string | null => (address === zeroAddress ? null : address)

/** A transfer of a token by a log. */
interface TokenTransfer extends Parties {
  readonly kind: "erc20" | "erc721" | "erc1155"
  /** Can be read once. */
  readonly items: Iterable<Item>
}

/** Parties and amount of an ERC-20 transfer; `null` for another event. */
const fungibleOf = (log: SourceLog): (Parties & { readonly amount: bigint }) | null => {
  const [topic0, topic1, topic2] = log.topics
  if (topic0 !== topics.transfer || log.topics.length !== 3 || bytesOf(log) !== 32) return null
  const parties = partiesOf(topic1, topic2)
  return parties === null ? null : { ...parties, amount: wordAt(log.data, 0) }
}

/** The transfer that a log states; `null` for another event. */
const transferOf = (log: SourceLog): TokenTransfer | null => {
  const fungible = fungibleOf(log)
  if (fungible !== null) return { ...fungible, kind: "erc20", items: [[null, fungible.amount]] }
  const [topic0, topic1, topic2, topic3] = log.topics
  const [count, bytes] = [log.topics.length, bytesOf(log)]
  if (topic0 === topics.transfer && count === 4 && bytes === 0) {
    const parties = partiesOf(topic1, topic2)
    return parties === null ? null : { ...parties, kind: "erc721", items: [[BigInt(topic3!), 1n]] }
  }
  if (count !== 4 || (topic0 !== topics.transferSingle && topic0 !== topics.transferBatch)) return null
  const parties = partiesOf(topic2, topic3)
  if (parties === null) return null
  const single = bytes === 64 ? [[wordAt(log.data, 0), wordAt(log.data, 32)] as const] : null
  const items = topic0 === topics.transferSingle ? single : batchOf(log)
  return items === null ? null : { ...parties, kind: "erc1155", items }
}

const addTransfer = (rows: WalletRows, log: SourceLog, { from, items, kind, to }: TokenTransfer): void => {
  if (holder(from) !== null) rows.role(from, "token_sender")
  if (holder(to) !== null) rows.role(to, "token_recipient")
  for (const [id, amount] of items) {
    if (rows.isFull()) return rows.incomplete()
    rows.transfer({
      ...{ asset: log.address, kind, amount, from: holder(from), to: holder(to), logIndex: log.logIndex },
      ...(id === null ? {} : { tokenId: id.toString() }),
    })
  }
}

/** Adds the roles of an approval. */
const addApproval = (rows: WalletRows, log: SourceLog): void => {
  const [topic0, topic1, topic2] = log.topics
  const [count, bytes] = [log.topics.length, bytesOf(log)]
  const isForAll = topic0 === topics.approvalForAll && count === 3 && bytes === 32
  const isOne = topic0 === topics.approval && ((count === 3 && bytes === 32) || (count === 4 && bytes === 0))
  const parties = isForAll || isOne ? partiesOf(topic1, topic2) : null
  if (parties === null) return
  if (holder(parties.from) !== null) rows.role(parties.from, "approval_owner")
  if (holder(parties.to) !== null) rows.role(parties.to, isForAll ? "approval_operator" : "approval_spender")
}

/** Deposit or Withdrawal of a wrapped token: the account whose tokens are minted or burned, and the amount. */
const wrappingOf = (log: SourceLog) => {
  const [topic0, topic1] = log.topics
  const isDeposit = topic0 === topics.deposit
  if ((!isDeposit && topic0 !== topics.withdrawal) || log.topics.length !== 2 || bytesOf(log) !== 32) return null
  const account = addressOf(topic1)
  return account === null ? null : { account, amount: wordAt(log.data, 0), isDeposit }
}

/** A side of a token that is no holder of it: the zero address, and of a contract that is not listed the contract itself. */
const isSource = (address: string, { address: token }: SourceLog, isListed: boolean): boolean =>
  address === zeroAddress || (!isListed && address === token)

/** Names a mint or burn; the amount counts for listed contracts alone, since others may mint shares. */
const keyOf = (token: string, account: string, isMint: boolean, amount: bigint, isListed: boolean): string =>
  `${token}:${account}:${isMint}:${isListed ? amount : ""}`

/** Mints and burns that logs of transfers state, counted. */
const mintsOf = (logs: ReadonlyArray<SourceLog>, { wrappedTokens }: LedgerRules): Map<string, number> => {
  const found = new Map<string, number>()
  for (const log of logs) {
    const transfer = fungibleOf(log)
    if (transfer === null) continue
    const { amount, from, to } = transfer
    const isListed = wrappedTokens.has(log.address)
    const isMint = isSource(from, log, isListed)
    if (isMint === isSource(to, log, isListed)) continue
    const key = keyOf(log.address, isMint ? to : from, isMint, amount, isListed)
    found.set(key, (found.get(key) ?? 0) + 1)
  }
  return found
}

/**
 * Mints and burns of wrapped native currency, unless a transfer states them too. Any contract may log such an event: of one that is not
 * listed it counts where the same amount of native currency moved to or from the contract, each such movement once.
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
    if (!isListed && !rows.takeNative(log.address, isDeposit ? amount : -amount)) return
    rows.role(account, isDeposit ? "token_recipient" : "token_sender")
    const [from, to] = isDeposit ? [null, account] : [account, null]
    rows.transfer({ asset: log.address, kind: "erc20", amount, from, to, logIndex: log.logIndex })
  }
}

/** Adds what the logs of a transaction state of tokens. */
export const add = (rows: WalletRows, logs: ReadonlyArray<SourceLog>, rules: LedgerRules): void => {
  const wrap = wrapper(rows, logs, rules)
  for (const log of logs) {
    if (log.topics.length < 2 || rules.nativeTokens.has(log.address)) continue
    const transfer = transferOf(log)
    if (transfer !== null) addTransfer(rows, log, transfer)
    else {
      addApproval(rows, log)
      wrap(log)
    }
  }
}
