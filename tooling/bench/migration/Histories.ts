/** The whole histories of some wallets as a service gives them, page by page: digests of every row, to compare before and after. */
import { createHash } from "node:crypto"
import { Agent } from "node:http"
import * as LoadGenerator from "../serving/LoadGenerator.ts"

/** Where pages are requested. */
export interface Source {
  readonly origin: string
  readonly key: string
}

/** The rows of each wallet: their number, and a digest of all of them in order. */
export type Histories = ReadonlyMap<string, { readonly rows: number; readonly digest: string }>

interface Page {
  readonly cursor: string | null
  readonly result: ReadonlyArray<unknown>
}

const pageSize = 100

/** A wallet is always read in the same order. */
const orderOf = (wallet: string) => (Number(`0x${wallet.slice(-1)}`) % 2 === 0 ? "ASC" : "DESC")

const read = async (agent: Agent, { key, origin }: Source, wallet: string, lastBlock: number) => {
  const order = orderOf(wallet)
  const hash = createHash("sha256")
  let rows = 0
  let cursor: string | null = null
  do {
    const query = new URLSearchParams({
      ...{ chain: "0x7a69", limit: String(pageSize), order, to_block: String(lastBlock) },
      include: "internal_transactions",
      ...(cursor === null ? {} : { cursor }),
    })
    const url = new URL(`/api/v2.2/${wallet}/verbose?${query.toString()}`, origin)
    const page = JSON.parse(await LoadGenerator.send(agent, { url, headers: { "x-api-key": key } })) as Page
    for (const row of page.result) hash.update(JSON.stringify(row))
    rows += page.result.length
    cursor = page.cursor
  } while (cursor !== null)
  return { rows, digest: hash.digest("hex") }
}

/** Reads the histories of some wallets up to a block, half of them from the end. */
export const load = async (source: Source, wallets: ReadonlyArray<string>, lastBlock: number): Promise<Histories> => {
  const agent = new Agent({ keepAlive: true })
  const histories = new Map<string, { readonly rows: number; readonly digest: string }>()
  for (const wallet of wallets) histories.set(wallet, await read(agent, source, wallet, lastBlock))
  agent.destroy()
  return histories
}

/** Number of rows of all wallets. */
export const rowsOf = (histories: Histories): number => [...histories.values()].reduce((sum, { rows }) => sum + rows, 0)

/** Wallets whose histories differ. */
export const differences = (before: Histories, after: Histories): ReadonlyArray<string> =>
  [...before].filter(([wallet, { digest }]) => after.get(wallet)?.digest !== digest).map(([wallet]) => wallet)
