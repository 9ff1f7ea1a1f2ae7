/**
 * A contract that logs its input, so that tests can emit any token event on a real chain, and that stores one word per slot. A call of
 * 64 bytes sets a slot, a call with a selector and one word reads a slot, and a call with a selector and two words returns nothing. Any
 * other call emits a log: four topics followed by data, or for 129 bytes three topics and one word.
 */
import { Effect } from "effect"
import type { Anvil } from "@daybook/chain"

/** Creation code, by the purpose of each part. */
const code = [
  ["returns what follows", "606780600b6000396000f3"],
  ["a word, a slot or two words, by the size of the call", "366024146039573660401460465736604414604f57"],
  ["three topics and a word, of 129 bytes", "36608114605157"],
  ["copies the data of the log", "608036036080600037"],
  ["pushes its topics", "606035604035602035600035"],
  ["logs", "608036036000a400"],
  ["gives a slot", "5b6004355460005260206000f3"],
  ["sets a slot", "5b6020356000355500"],
  ["gives nothing", "5b00"],
  ["logs three topics and a word", "5b60603560005260403560203560003560206000a300"],
] as const

/** Encodes a number or an address as a word. */
const word = (value: bigint | number | string): string => BigInt(value).toString(16).padStart(64, "0")

const hashes = {
  transfer: "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef",
  transferBatch: "0x4a39dc06d4c0dbc64b70af90fd698a233a518aa5d07e595d983b8c0526c8f7fb",
  consecutiveTransfer: "0xdeaa91b6123d068f5821d0fb0678463d1a8a6079fe8af5de3ce5e896dcf9133d",
} as const

/** Sends a transaction, and mines it into a separate block; returns the block number. */
const send = Effect.fnUntraced(function* (node: Anvil.Node, to: string | null, data: string) {
  const [from = ""] = node.accounts
  yield* node.call("eth_sendTransaction", [{ from, to: to ?? undefined, data, gas: "0x1000000" }])
  yield* node.call("evm_mine")
  return Number(yield* node.call<string>("eth_blockNumber"))
})

/** Deploys the contract. */
export const make = Effect.fnUntraced(function* (node: Anvil.Node) {
  const block = yield* send(node, null, `0x${code.map(([, part]) => part).join("")}`)
  const { transactions } = yield* node.call<{ readonly transactions: ReadonlyArray<string> }>("eth_getBlockByNumber", [
    `0x${block.toString(16)}`,
    false,
  ])
  const receipt = yield* node.call<{ readonly contractAddress: string }>("eth_getTransactionReceipt", transactions)
  return receipt.contractAddress
})

/** Sets the owner of a token id, or the balance of an owner, without an event. */
export const set = (node: Anvil.Node, contract: string, slot: bigint | string, value: bigint | string) =>
  send(node, contract, `0x${word(slot)}${word(value)}`)

/** Emits an ERC-20 transfer to a wallet. */
export const transferAmount = (node: Anvil.Node, contract: string, to: string, amount: bigint) =>
  send(node, contract, `0x${word(hashes.transfer)}${word(0)}${word(to)}${word(amount)}00`)

/** Emits an ERC-721 transfer. */
export const transfer = (
  node: Anvil.Node,
  contract: string,
  { from, id, to }: { readonly from: string; readonly to: string; readonly id: bigint },
) => send(node, contract, `0x${word(hashes.transfer)}${word(from)}${word(to)}${word(id)}`)

/** Emits an ERC-1155 transfer to a wallet of one token of each id from 1 to a number. */
export const transferBatch = (node: Anvil.Node, contract: string, to: string, ids: number) => {
  const list = (item: (at: number) => number) =>
    word(ids) + Array.from({ length: ids }, (_, at) => word(item(at))).join("")
  const lists = `${word(64)}${word(96 + ids * 32)}${list((at) => at + 1)}${list(() => 1)}`
  return send(node, contract, `0x${word(hashes.transferBatch)}${word(0)}${word(0)}${word(to)}${lists}`)
}

/** Emits ERC-721 transfers to a wallet of the ids from 1 to a number. */
export const transferRange = (node: Anvil.Node, contract: string, to: string, ids: number) =>
  send(node, contract, `0x${word(hashes.consecutiveTransfer)}${word(1)}${word(0)}${word(to)}${word(ids)}`)
