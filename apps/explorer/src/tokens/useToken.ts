/** Tokens as their contracts describe themselves. */
import type { RpcClient } from "@daybook/rpc/promise"
import { useRpc } from "../service/Service.tsx"
import { readDecimals, readText, readWord } from "./TokenText.ts"

/** A token description; a field is undefined if the contract does not return it. */
export interface TokenDescription {
  readonly name: string | undefined
  readonly symbol: string | undefined
  readonly decimals: number | undefined
}

const selectors = {
  name: "0x06fdde03",
  symbol: "0x95d89b41",
  decimals: "0x313ce567",
  totalSupply: "0x18160ddd",
} as const

const call = (client: RpcClient, to: string, data: `0x${string}`): Promise<string> =>
  // A contract without the function reverts, or has no output.
  client.eth_call({ to, data }, "latest").catch<string>((error: unknown) => {
    const kind = typeof error === "object" && error !== null && "kind" in error ? error.kind : undefined
    if (kind === "reverted" || kind === "unknown" || kind === "internal") return "0x"
    throw error
  })

/** Reads the description of a contract. */
export const readToken = async (client: RpcClient, address: string): Promise<TokenDescription> => {
  const [name, symbol, decimals] = await Promise.all([
    call(client, address, selectors.name),
    call(client, address, selectors.symbol),
    call(client, address, selectors.decimals),
  ])
  return { name: readText(name), symbol: readText(symbol), decimals: readDecimals(decimals) }
}

/** The total supply of a token, in its smallest unit; `null` if the contract does not report it. */
export const readSupply = async (client: RpcClient, address: string): Promise<bigint | null> =>
  readWord(await call(client, address, selectors.totalSupply))

/** The description of a contract; undefined until it is read, `null` if it could not be read. */
export const useToken = (address: string, enabled = true): TokenDescription | null | undefined => {
  const { data, error } = useRpc(["token", address], (client) => readToken(client, address), { enabled })
  return data ?? (error === null ? undefined : null)
}
