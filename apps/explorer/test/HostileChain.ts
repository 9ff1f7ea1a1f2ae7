/**
 * A chain on which contracts and senders chose hostile texts: names and symbols of tokens, revert reasons, call data and string
 * parameters; and a project whose ABIs use the texts as names.
 */
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Head } from "@daybook/chain"
import { encodeFunctionData, numberToHex, stringToHex } from "viem"
import type * as World from "./World.ts"

const word = (value: number): string => value.toString(16).padStart(64, "0")

/** Address of the token with the text at an index. */
export const addressAt = (index: number): string => `0x${(0xbad0_0000_0000 + index).toString(16).padStart(40, "0")}`

/** ABI encoding of a `string`. */
const encoded = (text: string): string => {
  const hex = stringToHex(text).slice(2)
  return `${word(32)}${word(hex.length / 2)}${hex.padEnd(Math.ceil(hex.length / 64) * 64, "0")}`
}

const errorSelector = "08c379a0"

/**
 * Code of a token. A call of four bytes returns the text, as name and symbol. A call whose first byte is 0 emits a transfer of 1 to the
 * caller; any other call reverts with the text as reason.
 */
const codeOf = (text: string): string => {
  const [value, reason] = [encoded(text), `${errorSelector}${encoded(text)}`]
  const size = (hex: string): string => (hex.length / 2).toString(16).padStart(4, "0")
  const transfer = "ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef"
  const push = (at: number): string => `61${at.toString(16).padStart(4, "0")}`
  /** Copies data of the code to memory, and ends with `RETURN` or `REVERT`. */
  const leave = (data: string, at: number, by: "f3" | "fd"): string =>
    `5b61${size(data)}${push(at)}5f3961${size(data)}5f${by}`
  const emit = `5b60015f52335f7f${transfer}60205fa300`
  /** Length of the jumps at the start. */
  const head = 21
  const [textAt, emitAt] = [head, head + 14]
  const reasonAt = emitAt + emit.length / 2
  const dataAt = reasonAt + 14
  const start = `36600414${push(textAt)}575f355f1a15${push(emitAt)}57${push(reasonAt)}56`
  return `0x${start}${leave(value, dataAt, "f3")}${emit}${leave(reason, dataAt + value.length / 2, "fd")}${value}${reason}`
}

const claim = {
  type: "function",
  name: "claim",
  inputs: [{ name: "text", type: "string" }],
  outputs: [],
  stateMutability: "nonpayable",
} as const

const gas = numberToHex(300_000)

/** Tokens per block. */
const perBlock = 20

/**
 * Transfers each token to alice, and sends a failing call to each, with the text as call data or as a parameter. Returns the hashes of
 * the failed transactions in the order of the texts.
 */
export const send = async (world: World.World, texts: ReadonlyArray<string>): Promise<ReadonlyArray<string>> => {
  const { alice } = world.scenario.accounts
  const failed: Array<string> = []
  for (const [index, text] of texts.entries()) {
    await world.call("anvil_setCode", [addressAt(index), codeOf(text)])
    const base = { from: alice, to: addressAt(index), gas }
    const asText = stringToHex(`.....${text}`)
    const data = index % 2 === 0 ? asText : encodeFunctionData({ abi: [claim], args: [text] })
    await world.call("eth_sendTransaction", [{ ...base, data: "0x0000" }])
    failed.push(await world.call<string>("eth_sendTransaction", [{ ...base, data }]))
    if (index % perBlock === perBlock - 1 || index === texts.length - 1) await world.run(Head.mine(world.node))
  }
  await world.indexed()
  return failed
}

/** Labels for every second token, so that pages without a label are tested too. */
export const labelsOf = (texts: ReadonlyArray<string>): Readonly<Record<string, string>> =>
  Object.fromEntries(texts.flatMap((text, index) => (index % 2 === 0 ? [[addressAt(index), text]] : [])))

/** Whether the name of the contract at an index is a valid Solidity name in the project. */
export const isNamed = (index: number): boolean => index % 4 !== 0

/** Writes a project with an ABI of each token that uses the text wherever a file can contain a name. */
export const writeProject = (folder: string, texts: ReadonlyArray<string>): void => {
  const [artifacts, deployments] = [join(folder, "artifacts"), join(folder, "ignition/deployments/chain-1")]
  for (const path of [artifacts, deployments]) mkdirSync(path, { recursive: true })
  const deployed = texts.map((text, index) => {
    const parameter = { name: text, type: "string", internalType: text }
    const abi = [
      claim,
      { ...claim, name: text },
      { ...claim, name: "read", inputs: [parameter], outputs: [parameter], stateMutability: "view" },
      { type: "event", name: "Said", inputs: [parameter], anonymous: false },
      { type: "error", name: text, inputs: [parameter] },
      { type: "error", name: "Refused", inputs: [{ name: "text", type: text }] },
    ]
    const contractName = isNamed(index) ? `Token${index}` : text
    writeFileSync(join(artifacts, `Token${index}.json`), JSON.stringify({ contractName, abi, bytecode: "0x" }))
    return [`${text}#${contractName}`, addressAt(index)]
  })
  writeFileSync(join(deployments, "deployed_addresses.json"), JSON.stringify(Object.fromEntries(deployed)))
}
