/** Attacks with a long ledger: its balances and statements are sums of all movements. */
import * as Rows from "../server/rows.ts"
import * as Client from "./Client.ts"
import * as LongLedger from "./LongLedger.ts"
import type { Scenario } from "./Scenario.ts"

const sizes = {
  full: { movements: 1_000_000, assets: 19_000 },
  small: { movements: 20_000, assets: 2_000 },
} as const

/** Balances and statement of a long ledger. */
export const scenario: Scenario = {
  name: "balances of 1,000,000 movements",
  bound: "slices of 512 positions, 20,000 sums",
  service: async (scale) => ({
    config: { chains: LongLedger.chains, rateLimit: { perSecond: 10_000, burst: 10_000 } },
    role: "serve",
    prepare: async (folder: string) => await LongLedger.fill(folder, sizes[scale]),
  }),
  run: async ({ key, url }, scale) => {
    const requestPage = async (path: string, at: number) => {
      // A separate key for each client, because the bytes in flight per key are limited.
      const headers = { "x-api-key": await key(`attacker-${at}`) }
      return await Client.send(`${url}/api/v2.2/${Rows.alice}/${path}?chain=attack`, { headers })
    }
    const first = await requestPage("balances", 0)
    const others = await Promise.all(
      ["balances", "statement", "statement"].map(async (path, at) => await requestPage(path, at + 1)),
    )
    const { assets } = sizes[scale]
    const all = [first, ...others]
    const { result } = JSON.parse(first.text) as { readonly result?: ReadonlyArray<unknown> }
    const faults = all.filter(({ status }) => status !== 200).map(({ text }) => text.slice(0, 200))
    if (result?.length !== assets) faults.push(`${result?.length} balances of ${assets}`)
    const times = `${Math.round(first.millis)} ms for the first, ${Math.round(others[0]!.millis)} ms for the next`
    return { behaviour: `${assets} balances, ${first.bytes} bytes: ${times}`, faults }
  },
}
