/**
 * The compiled contracts of `artifacts/`, with the encoders that a scenario or a test needs.
 *
 * The artifacts come from `contracts/` by `pnpm --filter @daybook/chain contracts`.
 */
import { readFileSync } from "node:fs"
import { encodeDeployData, encodeFunctionData, encodePacked, getContractAddress, keccak256 } from "viem"
import type { Abi, Hex } from "viem"

/** Names of the contracts that can be deployed. */
export const names = [
  "Collectible",
  "Counter",
  "DoubleCounter",
  "FailingCreation",
  "MultiCollectible",
  "Multicall",
  "Multisend",
  "OldCaller",
  "Orders",
  "Pair",
  "PairFactory",
  "Proxy",
  "Reverter",
  "Router",
  "SmartAccount",
  "Token",
  "Vault",
  "VaultFactory",
  "WrappedEther",
] as const

export type Name = (typeof names)[number]

/** What solc made of one contract. */
export interface Artifact {
  readonly contractName: string
  readonly abi: Abi
  /** Creation code, without constructor arguments. */
  readonly bytecode: Hex
}

const loaded = new Map<Name, Artifact>()

/** Reads an artifact; each is read once. */
export const artifact = (name: Name): Artifact => {
  const known = loaded.get(name)
  if (known !== undefined) return known
  const file = new URL(`../artifacts/${name}.json`, import.meta.url)
  const read = JSON.parse(readFileSync(file, "utf8")) as Artifact
  loaded.set(name, read)
  return read
}

/** Calldata of one call. Throws when the arguments do not fit the ABI. */
export const encodeCall = (name: Name, functionName: string, args: ReadonlyArray<unknown> = []): Hex =>
  encodeFunctionData({ abi: artifact(name).abi, functionName, args })

/** Creation code with constructor arguments. Throws when they do not fit the ABI. */
export const encodeCreation = (name: Name, args: ReadonlyArray<unknown> = []): Hex => {
  const { abi, bytecode } = artifact(name)
  return encodeDeployData({ abi, bytecode, args })
}

/** Address that a CREATE by `from` with `nonce` gives, lower case. */
export const createdAddress = (from: Hex, nonce: number): Hex =>
  getContractAddress({ from, nonce: BigInt(nonce) }).toLowerCase() as Hex

/** Address that a CREATE2 by `from` gives, lower case. */
export const create2Address = (from: Hex, salt: Hex, initCode: Hex): Hex =>
  getContractAddress({ opcode: "CREATE2", from, salt, bytecode: initCode }).toLowerCase() as Hex

/** Salt by which `PairFactory` makes the pool of two tokens; `token0` sorts before `token1`. */
export const pairSalt = (token0: Hex, token1: Hex): Hex =>
  keccak256(encodePacked(["address", "address"], [token0, token1]))
