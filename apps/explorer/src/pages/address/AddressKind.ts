/** What an address is, by its code and storage. */
import type { RpcClient } from "@daybook/rpc/promise"
import { readToken, type TokenDescription } from "../../tokens/useToken.ts"

/** An account, or a contract with what is known about it. */
export type AddressKind =
  | { readonly _tag: "Account"; readonly delegate: string | null }
  | {
      readonly _tag: "Contract"
      readonly bytes: number
      readonly implementation: string | null
      /** Proxy standard that names the implementation. */
      readonly proxy: "EIP-1967" | "EIP-1167" | "beacon" | null
      readonly token: TokenDescription | null
    }

/** The token as which a contract describes itself; `null` for none. */
export const tokenIn = (kind: AddressKind | undefined): TokenDescription | null =>
  kind?._tag === "Contract" ? kind.token : null

/** Storage slots of EIP-1967. */
const implementationSlot = "0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc"
const beaconSlot = "0xa3f0ad74e5423aebfd80d3ef4346578335a9a72aeaee59ff6cb3582b35133d50"

/** Code of a delegating account (EIP-7702), and of a minimal proxy (EIP-1167). */
const delegation = /^0xef0100(?<address>[0-9a-f]{40})$/
const minimalProxy = /^0x363d3d373d3d3d363d73(?<address>[0-9a-f]{40})5af43d82803e903d91602b57fd5bf3$/

const implementationSelector = "0x5c60da1b"

const groupOf = (code: string, pattern: RegExp): string | null => {
  const digits = pattern.exec(code)?.groups?.["address"]
  return digits === undefined ? null : `0x${digits}`
}

/** The address in a word; `null` for zero. */
const addressIn = (word: string): string | null => {
  const digits = word.slice(-40)
  return digits.length < 40 || /^0+$/.test(digits) ? null : `0x${digits}`
}

const readProxy = async (client: RpcClient, address: string, code: string) => {
  const minimal = groupOf(code, minimalProxy)
  if (minimal !== null) return { implementation: minimal, proxy: "EIP-1167" } as const
  const [slot, beacon] = await Promise.all([
    client.eth_getStorageAt(address, implementationSlot, "latest"),
    client.eth_getStorageAt(address, beaconSlot, "latest"),
  ])
  const direct = addressIn(slot)
  if (direct !== null) return { implementation: direct, proxy: "EIP-1967" } as const
  const at = addressIn(beacon)
  if (at === null) return { implementation: null, proxy: null } as const
  const output = await client.eth_call({ to: at, data: implementationSelector }, "latest").catch(() => "0x")
  return { implementation: addressIn(output), proxy: "beacon" } as const
}

/** Reads what an address is. */
export const readKind = async (client: RpcClient, address: string): Promise<AddressKind> => {
  const code = await client.eth_getCode(address, "latest")
  const delegate = groupOf(code, delegation)
  if (code === "0x" || delegate !== null) return { _tag: "Account", delegate }
  const [proxy, token] = await Promise.all([readProxy(client, address, code), readToken(client, address)])
  const isToken = token.symbol !== undefined || token.decimals !== undefined
  return { _tag: "Contract", bytes: (code.length - 2) / 2, ...proxy, token: isToken ? token : null }
}
