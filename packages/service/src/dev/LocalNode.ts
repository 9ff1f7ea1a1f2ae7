/**
 * A node of a local chain: what `daybook dev` queries before and while it is indexed.
 *
 * Source: decision 0060.
 */
import { visibleStart } from "@daybook/schema/VisibleText"
import { createRpcClient, isRpcError } from "@daybook/rpc/promise"
import * as Effect from "effect/Effect"

/** A node that responds. */
export interface LocalNode {
  readonly url: string
  readonly chainId: number
  /** Name and version of its client. */
  readonly client: string
  /** Last block of the chain that it forks; `null` if it is not a fork. */
  readonly forkBlock: number | null
  /** Accounts that the node signs for, lower case. */
  readonly accounts: ReadonlyArray<string>
}

/** A forking node may take seconds; a missing node refuses the connection at once. */
const timeoutMillis = 10_000
const maxAccounts = 100

type Ask = (method: string) => Promise<unknown>

const askerOf = (url: string): Ask => {
  const client = createRpcClient({ url, timeout: timeoutMillis, retry: { maxAttempts: 1 } })
  return async (method) => {
    const result: unknown = await client.request({ method, params: [] })
    return result
  }
}

/** Result of a call that a node may not support. If a node does not answer, it is busy or has ended, and its support is unknown. */
const optional = async (answer: Promise<unknown>): Promise<unknown> => {
  try {
    return await answer
  } catch (error) {
    if (isRpcError(error) && (error._tag === "TimeoutError" || error._tag === "TransportError")) throw error
    return undefined
  }
}

const fieldOf = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>)[name] : undefined

const blockIn = (value: unknown): number | null => {
  const number = typeof value === "string" && /^0x[0-9a-f]{1,13}$/i.test(value) ? Number(value) : value
  return typeof number === "number" && Number.isSafeInteger(number) && number >= 0 ? number : null
}

/** Block from which anvil or hardhat forks. */
const forkBlockOf = async (ask: Ask): Promise<number | null> => {
  const [anvil, hardhat] = await Promise.all([optional(ask("anvil_nodeInfo")), optional(ask("hardhat_metadata"))])
  return (
    blockIn(fieldOf(fieldOf(anvil, "forkConfig"), "forkBlockNumber")) ??
    blockIn(fieldOf(fieldOf(hardhat, "forkedNetwork"), "forkBlockNumber"))
  )
}

const accountsIn = (value: unknown): ReadonlyArray<string> =>
  (Array.isArray(value) ? (value as ReadonlyArray<unknown>) : [])
    .flatMap((one) => (typeof one === "string" && /^0x[0-9a-fA-F]{40}$/.test(one) ? [one.toLowerCase()] : []))
    .slice(0, maxAccounts)

const clientIn = (value: unknown): string => (typeof value === "string" ? visibleStart(value, 80) : "unknown client")

const read = async (url: string): Promise<LocalNode | null> => {
  const ask = askerOf(url)
  const chainId = blockIn(await optional(ask("eth_chainId")))
  if (chainId === null || chainId === 0) return null
  const [client, forkBlock, accounts] = await Promise.all([
    optional(ask("web3_clientVersion")),
    forkBlockOf(ask),
    optional(ask("eth_accounts")),
  ])
  return { url, chainId, client: clientIn(client), forkBlock, accounts: accountsIn(accounts) }
}

/** The node at a URL; `null` if none responds, or not to all of these calls. */
export const find = (url: string): Effect.Effect<LocalNode | null> =>
  Effect.promise(() =>
    read(url).catch((error: unknown) => {
      if (isRpcError(error)) return null
      throw error
    }),
  )

/** Identity of a node for its index: a node that restarts or resets with the same identity keeps its index. */
export const identityOf = ({ chainId, forkBlock }: LocalNode): string => `${chainId} ${forkBlock ?? "no fork"}`
