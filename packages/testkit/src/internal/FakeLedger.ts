/**
 * Movements of a wallet on a fake chain, by the rules of the service: fee, value, calls and logs of each transaction, then the withdrawals
 * of the block.
 */
import * as TokenTransfer from "@daybook/schema/TokenTransfer"
import type { FakeBlock, FakeTransaction } from "../FakeChain.ts"
import * as Traffic from "./Traffic.ts"

/** One change in a wallet's holdings. */
export interface Movement {
  readonly kind: "fee" | "value" | "internal" | "withdrawal" | "erc20" | "erc721" | "erc1155" | "genesis"
  readonly asset: string
  readonly tokenId: bigint | null
  readonly amount: bigint
  readonly counterparty: string | null
  readonly logIndex: number | null
  readonly isFailed: boolean
}

/** The part of a wallet in a transaction or block. */
export interface Entry {
  readonly block: FakeBlock
  /** `null` for the movements of the block itself. */
  readonly transaction: FakeTransaction | null
  readonly roles: ReadonlyArray<string>
  readonly movements: ReadonlyArray<Movement>
}

/** The roles that occur on this chain, in the order of the service. */
const roleOrder = [
  "sender",
  "recipient",
  "internal_caller",
  "internal_callee",
  "token_sender",
  "token_recipient",
  "withdrawal_recipient",
] as const

type Role = (typeof roleOrder)[number]

const gwei = 10n ** 9n
const zeroAddress = `0x${"0".repeat(40)}`

/** Collects roles and movements of a wallet. */
const collect = (wallet: string) => {
  const roles = new Set<Role>()
  const movements: Array<Movement> = []
  const native = { asset: "native", tokenId: null, logIndex: null, isFailed: false }
  return {
    role: (account: string, role: Role): void => void (account === wallet && roles.add(role)),
    change: (change: Pick<Movement, "kind" | "amount"> & Partial<Movement>): void =>
      void (change.amount !== 0n && movements.push({ counterparty: null, ...native, ...change })),
    transfer: (from: string, to: string, moved: Pick<Movement, "kind" | "amount"> & Partial<Movement>): void => {
      const { amount } = moved
      const sides = [
        { holder: from, other: to, signed: -amount },
        { holder: to, other: from, signed: amount },
      ]
      for (const { holder, other, signed } of sides) {
        if (holder !== wallet || holder === zeroAddress || amount === 0n) continue
        const counterparty = other === zeroAddress ? null : other
        movements.push({ ...native, ...moved, amount: signed, counterparty })
      }
    },
    entry: (block: FakeBlock, transaction: FakeTransaction | null): ReadonlyArray<Entry> =>
      roles.size === 0 && movements.length === 0
        ? []
        : [{ block, transaction, movements, roles: roleOrder.filter((role) => roles.has(role)) }],
  }
}

const ofTransaction = (wallet: string, block: FakeBlock, transaction: FakeTransaction): ReadonlyArray<Entry> => {
  const { calls, firstLogIndex, from, gasPrice, gasUsed, logs, succeeded, to, value } = transaction
  const { change, entry, role, transfer } = collect(wallet)
  role(from, "sender")
  role(to, "recipient")
  if (from === wallet) change({ kind: "fee", amount: -gasUsed * gasPrice, isFailed: !succeeded })
  if (succeeded) transfer(from, to, { kind: "value", amount: value })
  for (const call of calls) {
    role(call.from, "internal_caller")
    role(call.to, "internal_callee")
    transfer(call.from, call.to, { kind: "internal", amount: call.value })
  }
  for (const [at, log] of logs.entries()) {
    const found = TokenTransfer.fromLog(log)
    if (found === null) continue
    if (found.from !== zeroAddress) role(found.from, "token_sender")
    if (found.to !== zeroAddress) role(found.to, "token_recipient")
    for (const [tokenId, amount] of found.items) {
      const { standard: kind } = found
      transfer(found.from, found.to, { kind, asset: log.address, tokenId, amount, logIndex: firstLogIndex + at })
    }
  }
  return entry(block, transaction)
}

const ofBlock = (wallet: string, block: FakeBlock): ReadonlyArray<Entry> => {
  const { change, entry, role } = collect(wallet)
  for (const { address, amountGwei } of block.withdrawals) {
    role(address, "withdrawal_recipient")
    if (address === wallet) change({ kind: "withdrawal", amount: amountGwei * gwei })
  }
  return entry(block, null)
}

/** Entries by wallet, cached per block, since blocks never change: each page of a list needs the entries of all blocks. */
const known = new WeakMap<FakeBlock, Map<string, ReadonlyArray<Entry>>>()

const entriesIn = (block: FakeBlock, wallet: string): ReadonlyArray<Entry> => {
  const ofWallets = known.get(block) ?? new Map<string, ReadonlyArray<Entry>>()
  const found = ofWallets.get(wallet) ?? [
    ...block.transactions.flatMap((transaction) => ofTransaction(wallet, block, transaction)),
    ...ofBlock(wallet, block),
  ]
  known.set(block, ofWallets.set(wallet, found))
  return found
}

/** The entries of a wallet, oldest first. */
export const entries = (blocks: ReadonlyArray<FakeBlock>, wallet: string): ReadonlyArray<Entry> =>
  blocks.flatMap((block) => entriesIn(block, wallet))

/** Opening balances of every account before the first block. */
export const openings: ReadonlyArray<Movement> = Traffic.openings.map(({ amount, asset }) => ({
  kind: "genesis",
  asset,
  amount,
  tokenId: null,
  counterparty: null,
  logIndex: null,
  isFailed: false,
}))

/** Identifies a holding: an asset, or one id of an ERC-1155 contract. */
export const holdingOf = ({ asset, kind, tokenId }: Pick<Movement, "asset" | "kind" | "tokenId">): string =>
  kind === "erc1155" ? `${asset} ${tokenId}` : asset

/** Current and past holdings of a wallet, as far as the chain shows. */
export const holdings = (blocks: ReadonlyArray<FakeBlock>, wallet: string): ReadonlySet<string> =>
  new Set([...openings, ...entries(blocks, wallet).flatMap(({ movements }) => movements)].map(holdingOf))

/** True if an account has an entry on the chain. */
export const isOnChain = (blocks: ReadonlyArray<FakeBlock>, wallet: string): boolean =>
  blocks.some((block) => entries([block], wallet).length > 0)

/** Balance of an account after a block: its opening balance plus its movements. */
export const heldAt = (
  blocks: ReadonlyArray<FakeBlock>,
  wallet: string,
  {
    asset,
    number,
    tokenId = null,
  }: Pick<Movement, "asset"> & {
    readonly number: number
    readonly tokenId?: bigint | null
  },
): bigint =>
  [
    ...openings,
    ...entries(
      blocks.filter((block) => block.number <= number),
      wallet,
    ).flatMap(({ movements }) => movements),
  ]
    .filter((one) => one.asset === asset && (tokenId === null || one.tokenId === tokenId))
    .reduce((sum, { amount }) => sum + amount, 0n)

/** Owner of an id of an ERC-721 contract after a block; undefined if it has none. */
export const ownerAt = (
  blocks: ReadonlyArray<FakeBlock>,
  { asset, number, tokenId }: Pick<Movement, "asset"> & { readonly number: number; readonly tokenId: bigint },
): string | undefined => {
  const transfers = blocks
    .filter((block) => block.number <= number)
    .flatMap(({ transactions }) => transactions.flatMap(({ logs }) => logs))
    .flatMap((log) => (log.address === asset ? (TokenTransfer.fromLog(log) ?? []) : []))
  const last = transfers.findLast(({ items }) => [...items].some(([id]) => id === tokenId))
  return last === undefined || last.to === zeroAddress ? undefined : last.to
}
