/**
 * Compiled contracts and the encoders that scenarios and tests need.
 *
 * `pnpm --filter @daybook/chain contracts` compiles `contracts/` into `artifacts/`.
 */
import { readFileSync } from "node:fs"
import { encodeDeployData, encodeFunctionData, encodePacked, getContractAddress, keccak256 } from "viem"
import type { Abi, Hex } from "viem"

/** Names of the deployable contracts. */
export const names = [
  "Collectible",
  "Counter",
  "DoubleCounter",
  "EntryPoint",
  "FailingCreation",
  "HostileResolver",
  "MultiCollectible",
  "Multicall",
  "Multisend",
  "NameRegistry",
  "NameResolver",
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
  "WildcardResolver",
  "WrappedEther",
] as const

export type Name = (typeof names)[number]

/** Compiler output for one contract. */
export interface Artifact {
  readonly contractName: string
  readonly abi: Abi
  /** Creation code, without constructor arguments. */
  readonly bytecode: Hex
}

const loaded = new Map<Name, Artifact>()

/** Loads an artifact; each file is read once. */
export const artifact = (name: Name): Artifact => {
  const known = loaded.get(name)
  if (known !== undefined) return known
  const file = new URL(`../artifacts/${name}.json`, import.meta.url)
  const read = JSON.parse(readFileSync(file, "utf8")) as Artifact
  loaded.set(name, read)
  return read
}

/** Calldata of a function call. Throws when the arguments do not match the ABI. */
export const encodeCall = (name: Name, functionName: string, args: ReadonlyArray<unknown> = []): Hex =>
  encodeFunctionData({ abi: artifact(name).abi, functionName, args })

/** Creation code with constructor arguments. Throws when they do not match the ABI. */
export const encodeCreation = (name: Name, args: ReadonlyArray<unknown> = []): Hex => {
  const { abi, bytecode } = artifact(name)
  return encodeDeployData({ abi, bytecode, args })
}

/** Address of a contract created by CREATE, lower case. */
export const createdAddress = (from: Hex, nonce: number): Hex =>
  getContractAddress({ from, nonce: BigInt(nonce) }).toLowerCase() as Hex

/** Address of a contract created by CREATE2, lower case. */
export const create2Address = (from: Hex, salt: Hex, initCode: Hex): Hex =>
  getContractAddress({ opcode: "CREATE2", from, salt, bytecode: initCode }).toLowerCase() as Hex

/** Salt with which `PairFactory` creates the pool of two tokens; `token0` sorts before `token1`. */
export const pairSalt = (token0: Hex, token1: Hex): Hex =>
  keccak256(encodePacked(["address", "address"], [token0, token1]))
