/** Attacks with large blocks: parsing and storing them must not delay pages that are served at the same time. */
import * as BombNode from "../bombs/node.ts"
import * as Client from "./Client.ts"
import type { Scenario } from "./Scenario.ts"

const logs = { full: 40_000, small: 1_000 } as const

const blocks: ReadonlyArray<ReadonlyArray<BombNode.Kind>> = [
  ["plain"],
  ["logs", "logs"],
  ["logs", "logs"],
  ["logs", "logs"],
  ["plain"],
]

/** Time limit for indexing the blocks, in milliseconds. */
const maxMillis = 120_000
/** Delay between two pages of one key, which may request 25 per second. */
const pauseMillis = 50

/** Requests pages until the chain is indexed to its head; returns their statuses. */
const pagesUntilIndexed = async (target: Client.Target, key: string, head: number) => {
  const wallet = `0x${"0".repeat(40)}`
  const statuses: Array<number> = []
  const until = performance.now() + maxMillis
  while (performance.now() < until) {
    statuses.push((await Client.page(target, key, wallet)).status)
    const { text } = await Client.send(`${target.url}/ready?chain=attack`)
    const { indexed } = JSON.parse(text) as { indexed: { to: number } | null }
    if (indexed !== null && indexed.to >= head) return { statuses, isIndexed: true }
    await Client.sleep(pauseMillis)
  }
  return { statuses, isIndexed: false }
}

export const scenarios: ReadonlyArray<Scenario> = [
  {
    name: "blocks of 46 MiB of receipts",
    bound: "the indexer runs in a separate thread",
    service: async (scale) => {
      const node = await BombNode.start(blocks, new Set(), { logs: logs[scale] })
      const attack = { id: 31_337, rpc: [node.url], pollMillis: 200, checks: "links", traces: "off" }
      return { config: { chains: { attack } }, role: "all", close: node.stop }
    },
    run: async (attacked) => {
      const key = await attacked.key("reader")
      const { isIndexed, statuses } = await pagesUntilIndexed(attacked, key, blocks.length - 1)
      const behaviour = `${isIndexed ? "indexed" : "not indexed"}; meanwhile ${statuses.length} pages of another wallet`
      return {
        behaviour,
        faults: [
          ...(isIndexed ? [] : ["the chain is not indexed within two minutes"]),
          ...(statuses.every((status) => status === 200) ? [] : [`pages: ${Client.tally(statuses)}`]),
        ],
      }
    },
  },
]
