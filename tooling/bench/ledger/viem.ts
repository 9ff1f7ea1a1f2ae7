/** Fees and token movements of a receipt according to viem's formatters and decoders. Shares no code with the ledger. */
import { erc1155Abi, erc20Abi, erc721Abi, formatTransactionReceipt, parseAbi, parseEventLogs, zeroAddress } from "viem"
import { chainConfig } from "viem/op-stack"
import type { RecordedReceipt } from "../../../tooling/harness/src/RecordedReceipts.ts"
import { add, keyOf } from "../../../packages/service/test/ledger/recordedReceipts.ts"
import type { Result, TokenKind } from "../../../packages/service/test/ledger/recordedReceipts.ts"

/** Fees for L1 data that the receipt itself contains. */
export interface ViemResult extends Result {
  readonly l1Fee: bigint
}

const opStack: ReadonlySet<number> = new Set([10, 8453])
const depositType = "0x7e"

/** Contracts that represent the native currency as a token: their transfers are not token movements. */
const nativeTokens: ReadonlySet<string> = new Set([
  "0x0000000000000000000000000000000000001010",
  "0xdeaddeaddeaddeaddeaddeaddeaddeaddead0000",
])

/** Wrapped native currency by chain. Source: the token lists of the chains. */
const wrapped: Readonly<Record<number, string>> = {
  1: "0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2",
  10: "0x4200000000000000000000000000000000000006",
  100: "0xe91d153e0b41518a2ce8dd3d7944fa863463a97d",
  137: "0x0d500b1d8e8ef31e21c99d1db9a6444d3adf1270",
  8453: "0x4200000000000000000000000000000000000006",
  42_161: "0x82af49447d8a07e3bd95bd0d56f35241523fbab1",
}

const wrappedAbi = parseAbi([
  "event Deposit(address indexed account, uint256 amount)",
  "event Withdrawal(address indexed account, uint256 amount)",
])

type Receipt = ReturnType<typeof formatTransactionReceipt>

/** The sender's fee, and its part for data on L1. */
const feesOf = ({ chain, receipt: raw, transaction }: RecordedReceipt) => {
  // Sound: the formatters accept a node's JSON.
  const common = formatTransactionReceipt(raw as never)
  const { l1Fee } = chainConfig.formatters.transactionReceipt.format(raw as never)
  const l1 = opStack.has(chain) && transaction["type"] !== depositType ? (l1Fee ?? 0n) : 0n
  const { blobGasPrice, blobGasUsed, effectiveGasPrice, gasUsed } = common
  const price = effectiveGasPrice ?? BigInt(String(transaction["gasPrice"] ?? "0x0"))
  const blob = (blobGasUsed ?? 0n) * (blobGasPrice ?? 0n)
  return { fee: gasUsed * price + blob + l1, l1Fee: l1 }
}

/** Moves an amount between two holders; the zero address is not a holder. */
const move = (
  sums: Map<string, bigint>,
  kind: TokenKind,
  asset: string,
  id: bigint | null,
  [from, to, amount]: readonly [from: string, to: string, amount: bigint],
): void => {
  if (from !== zeroAddress) add(sums, keyOf(kind, asset, from, id), -amount)
  if (to !== zeroAddress) add(sums, keyOf(kind, asset, to, id), amount)
}

const addFungible = (sums: Map<string, bigint>, logs: Receipt["logs"], chain: number): void => {
  const transfers = parseEventLogs({ abi: erc20Abi, eventName: "Transfer", logs, strict: true })
  const minted: Array<string> = []
  for (const { address, args } of transfers) {
    move(sums, "erc20", address, null, [args.from, args.to, args.value])
    minted.push(`${address} ${args.from} ${args.to} ${args.value}`.toLowerCase())
  }
  for (const { address, args, eventName } of parseEventLogs({ abi: wrappedAbi, logs, strict: true })) {
    if (address.toLowerCase() !== wrapped[chain]) continue
    const [from, to] = eventName === "Deposit" ? [zeroAddress, args.account] : [args.account, zeroAddress]
    const at = minted.indexOf(`${address} ${from} ${to} ${args.amount}`.toLowerCase())
    if (at === -1) move(sums, "erc20", address, null, [from, to, args.amount])
    else minted.splice(at, 1)
  }
}

const addCollectibles = (sums: Map<string, bigint>, logs: Receipt["logs"]): void => {
  for (const { address, args } of parseEventLogs({ abi: erc721Abi, eventName: "Transfer", logs, strict: true }))
    move(sums, "erc721", address, args.tokenId, [args.from, args.to, 1n])
  for (const { address, args } of parseEventLogs({ abi: erc1155Abi, eventName: "TransferSingle", logs, strict: true }))
    move(sums, "erc1155", address, args.id, [args.from, args.to, args.value])
  for (const { address, args } of parseEventLogs({ abi: erc1155Abi, eventName: "TransferBatch", logs, strict: true }))
    for (const [at, id] of args.ids.entries())
      move(sums, "erc1155", address, id, [args.from, args.to, args.values[at] ?? 0n])
}

/** Derives the same result as the ledger. */
export const derive = (recorded: RecordedReceipt): ViemResult => {
  const { logs: all } = formatTransactionReceipt(recorded.receipt as never)
  const logs = all.filter(({ address }) => !nativeTokens.has(address.toLowerCase()))
  const tokens = new Map<string, bigint>()
  addFungible(tokens, logs, recorded.chain)
  addCollectibles(tokens, logs)
  return { ...feesOf(recorded), tokens }
}
