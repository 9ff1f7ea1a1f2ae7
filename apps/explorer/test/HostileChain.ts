/**
 * A chain on which contracts and senders chose hostile texts: names and symbols of tokens, reasons of reverts, call data and parameters that
 * are text; and a project whose ABIs have them as names.
 */
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Head } from "@daybook/chain"
import { encodeFunctionData, numberToHex, stringToHex } from "viem"
import type * as World from "./World.ts"

const word = (value: number): string => value.toString(16).padStart(64, "0")

/** The token that has the text at this place. */
export const addressAt = (index: number): string => `0x${(0xbad0_0000_0000 + index).toString(16).padStart(40, "0")}`

/** `string` as a contract returns it. */
const encoded = (text: string): string => {
  const hex = stringToHex(text).slice(2)
  return `${word(32)}${word(hex.length / 2)}${hex.padEnd(Math.ceil(hex.length / 64) * 64, "0")}`
}

const errorSelector = "08c379a0"

/**
 * Code of a token. A call of four bytes returns the text, so that it is name and symbol. One with the first byte 0 emits a transfer of
 * 1 to the caller; any other reverts with the text as its reason.
 */
const codeOf = (text: string): string => {
  const [value, reason] = [encoded(text), `${errorSelector}${encoded(text)}`]
  const size = (hex: string): string => (hex.length / 2).toString(16).padStart(4, "0")
  const transfer = "ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef"
  const push = (at: number): string => `61${at.toString(16).padStart(4, "0")}`
  /** Copies data of the code to memory, and leaves with it by `RETURN` or `REVERT`. */
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

/** Tokens of a block. */
const perBlock = 20

/**
 * Has alice receive a transfer of each token, and call each in vain: with the text as call data, or as a parameter. Gives the hashes of
 * the failed transactions, in the order of the texts.
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

/** Labels of every second token, so that pages without a label are seen too. */
export const labelsOf = (texts: ReadonlyArray<string>): Readonly<Record<string, string>> =>
  Object.fromEntries(texts.flatMap((text, index) => (index % 2 === 0 ? [[addressAt(index), text]] : [])))

/** Whether the contract at this place has a name of Solidity in the project. */
export const isNamed = (index: number): boolean => index % 4 !== 0

/** Writes a project with an ABI of each token, whose names are the text wherever a file can have one. */
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
