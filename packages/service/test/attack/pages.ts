/** Attacks with large rows: many concurrent pages, and clients that do not read them. */
import * as Client from "./Client.ts"
import * as LargeRows from "./LargeRows.ts"
import type { Scale, Scenario } from "./Scenario.ts"

const sizes = {
  full: { count: 4, calldataBytes: 100_000, logs: 10_000, internalBytes: 8_000_000 },
  small: { count: 3, calldataBytes: 100_000, logs: 1_500, internalBytes: 1_000_000 },
} as const

const service = async (scale: Scale) => ({
  config: { chains: LargeRows.chains, rateLimit: { perSecond: 10_000, burst: 10_000 } },
  role: "serve",
  prepare: async (folder: string) => await LargeRows.fill(folder, sizes[scale]),
})

const pageBytes = 2 * 1024 * 1024

/** Upper limit of the bytes of a page with a single row, which is never truncated. */
const rowBytes = { calldata: 300_000, logs: 12_000_000, internal: 18_000_000 } as const

type Kind = keyof typeof rowBytes

interface Walked {
  readonly hashes: ReadonlyArray<string>
  readonly pages: ReadonlyArray<number>
}

/** Reads all pages of a wallet; a row larger than a page must be the only row of its page. */
const walk = async (
  attacked: Parameters<Scenario["run"]>[0],
  key: string,
  kind: Kind,
  faults: Array<string>,
): Promise<Walked> => {
  const hashes: Array<string> = []
  const pages: Array<number> = []
  for (let cursor = ""; ;) {
    const include = kind === "internal" ? "&include=internal_transactions" : ""
    const response = await Client.page(attacked, key, LargeRows.wallets[kind], `${include}${cursor}`)
    if (response.status === 429) {
      // The bytes in flight of this key are limited: a client retries.
      await Client.sleep(1_000)
      continue
    }
    if (response.status !== 200) {
      faults.push(`status ${response.status} of a page`)
      return { hashes, pages }
    }
    const json = JSON.parse(response.text) as { cursor: string | null; result: ReadonlyArray<{ hash: string }> }
    pages.push(response.bytes)
    hashes.push(...json.result.map(({ hash }) => hash))
    if (response.bytes > pageBytes * 1.1 && json.result.length > 1) faults.push(`a page of ${response.bytes} bytes`)
    if (response.bytes > rowBytes[kind] + pageBytes) faults.push(`a row of ${response.bytes} bytes`)
    if (json.cursor === null) return { hashes, pages }
    cursor = `&cursor=${json.cursor}`
  }
}

const many = (kind: Kind, name: string): Scenario => ({
  name,
  bound: "limits.pageBytes, responsesInFlight",
  service,
  run: async (attacked, scale) => {
    const faults: Array<string> = []
    const key = await attacked.key("attacker")
    const clients = scale === "full" ? 50 : 5
    const walks = await Promise.all(
      Array.from({ length: clients }, async () => await walk(attacked, key, kind, faults)),
    )
    const { count } = sizes[scale]
    for (const { hashes } of walks) {
      if (new Set(hashes).size !== count || hashes.length !== count) faults.push(`${hashes.length} of ${count} rows`)
    }
    const [first] = walks
    const behaviour = `${clients} concurrent clients: ${first!.pages.length} pages each, at most ${Math.max(...first!.pages)} bytes`
    return { behaviour, faults: [...new Set(faults)] }
  },
})

export const scenarios: ReadonlyArray<Scenario> = [
  many("calldata", "pages of 100 kB calldata"),
  many("logs", "pages of 10,000 logs"),
  many("internal", "pages of 8 MB internal transactions"),
  {
    name: "pipelined requests",
    bound: "32 requests of a connection, one at a time",
    service,
    run: async (attacked, scale) => {
      const [key, other] = [await attacked.key("attacker"), await attacked.key("other")]
      const path = `/api/v2.2/${LargeRows.wallets.calldata}/verbose?chain=attack`
      const text = `GET ${path} HTTP/1.1\r\nhost: localhost\r\nx-api-key: ${key}\r\n\r\n`
      const [count, clients] = scale === "full" ? [20_000, 5] : [2_000, 2]
      const sockets = await Promise.all(
        Array.from({ length: clients }, async () => await Client.open(attacked, text.repeat(count))),
      )
      const statuses: Array<number> = []
      for (let turn = 0; turn < (scale === "full" ? 50 : 5); turn++) {
        statuses.push((await Client.page(attacked, other, LargeRows.wallets.small)).status)
        await Client.sleep(20)
      }
      for (const socket of sockets) socket.destroy()
      const faults = statuses.every((status) => status === 200) ? [] : [`another key: ${Client.tally(statuses)}`]
      return {
        behaviour: `${clients} clients send ${count} requests each; another key: ${Client.tally(statuses)}`,
        faults,
      }
    },
  },
  {
    name: "slow readers",
    bound: "limits.responsesInFlight, writeSeconds",
    service: async (scale) => {
      const options = await service(scale)
      return { ...options, config: { ...options.config, limits: { writeSeconds: scale === "full" ? 5 : 1 } } }
    },
    run: async (attacked, scale) => {
      const [key, other] = [await attacked.key("attacker"), await attacked.key("other")]
      const path = `/api/v2.2/${LargeRows.wallets.internal}/verbose?chain=attack&include=internal_transactions`
      const text = `GET ${path} HTTP/1.1\r\nhost: localhost\r\nx-api-key: ${key}\r\n\r\n`
      const count = scale === "full" ? 100 : 10
      const sockets = await Promise.all(
        Array.from({ length: count }, async () => await Client.open(attacked, text.repeat(3))),
      )
      const statuses: Array<number> = []
      for (let turn = 0; turn < (scale === "full" ? 50 : 20); turn++) {
        statuses.push((await Client.page(attacked, other, LargeRows.wallets.small)).status)
        await Client.sleep(scale === "full" ? 200 : 100)
      }
      const laterPage = await Client.page(attacked, key, LargeRows.wallets.small)
      for (const socket of sockets) socket.destroy()
      const faults = statuses.every((status) => status === 200) ? [] : [`another key: ${Client.tally(statuses)}`]
      const behaviour = `${count} clients do not read; another key: ${Client.tally(statuses)}; then the same key: ${laterPage.status}`
      return { behaviour, faults }
    },
  },
]
