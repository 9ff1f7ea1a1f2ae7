/** Attacks with time: a system clock that goes backwards or jumps, and block timestamps that do. */
import { Head } from "@daybook/chain"
import * as AttackedChain from "./AttackedChain.ts"
import * as Client from "./Client.ts"
import type { Scenario } from "./Scenario.ts"
import { Receiver } from "../push/Receiver.ts"

const hour = 3_600_000

/** Offsets of the clock, applied in order. */
const shifts = {
  full: [-hour, 2 * hour, -24 * hour, 365 * 24 * hour, 0],
  small: [-hour, 2 * hour],
} as const

const burst = 20

let chain: AttackedChain.AttackedChain | undefined

/** Exceeds the burst of a key; returns the number of accepted requests. */
const exhaust = async (attacked: Client.Target, key: string, wallet: string): Promise<number> => {
  const responses = await Promise.all(
    Array.from({ length: 3 * burst }, () => Client.page(attacked, key, wallet, "&limit=1")),
  )
  return responses.filter(({ status }) => status === 200).length
}

/** Sets the system clock back and forward. */
const machine: Scenario = {
  name: "the system clock set back and forward",
  bound: "intervals use the monotonic clock",
  service: async () => {
    chain = await AttackedChain.start()
    await chain.run(Head.mine(chain.node, 5))
    const attack = { id: 31_337, rpc: [chain.url], pollMillis: 200 }
    return {
      config: { chains: { attack }, rateLimit: { perSecond: 5, burst } },
      role: "all",
      imports: [new URL("./clock.ts", import.meta.url).href],
      close: chain.close,
    }
  },
  run: async (attacked, scale) => {
    const { account, node, run: execute } = chain!
    const faults: Array<string> = []
    const lines: Array<string> = []
    const follower = await attacked.key("follower")
    await AttackedChain.indexed(attacked.url, 5, 30)
    const receiver = new Receiver(`${attacked.url}/api/v2.2/${account}/events?chain=attack&from=now`, follower)
    let isOver = false
    let connections = 0
    const following = (async () => {
      while (!isOver) {
        connections++
        const refused = await receiver.listen(({ type }) => isOver && type === "covered")
        if (refused !== undefined)
          return void faults.push(`events rejected: ${refused.status} ${refused.text.slice(0, 100)}`)
      }
    })()
    for (const clockMillis of shifts[scale]) {
      const name = `${clockMillis / hour} h`
      const key = await attacked.key(`reader at ${name}`)
      await exhaust(attacked, key, account)
      const startedAt = performance.now()
      attacked.notify({ clockMillis })
      await Client.sleep(50)
      const atOnce = await exhaust(attacked, key, account)
      const refilled = Math.ceil((performance.now() - startedAt) / 200) + 1
      if (atOnce > refilled) faults.push(`${name}: ${atOnce} requests beyond the limit, at most ${refilled}`)
      await Client.sleep(1_500)
      const later = await exhaust(attacked, key, account)
      if (later === 0) faults.push(`${name}: a key remains rate-limited`)
      const [from, to] = node.accounts as [string, string]
      await execute(Head.transfer(node, { from, to, valueWei: 1n }))
      const { number } = await execute(Head.mine(node, 2))
      const { last, reached } = await AttackedChain.indexed(attacked.url, number, 20)
      if (!reached) faults.push(`${name}: not indexed: ${last.state}, ${last.message}`)
      if (last.state !== "synced") faults.push(`${name}: state ${last.state}, ${last.message}`)
      const balances = await Client.send(`${attacked.url}/api/v2.2/${account}/balances?chain=attack`, {
        headers: { "x-api-key": await attacked.key(`balances at ${name}`) },
      })
      if (balances.status !== 200) faults.push(`${name}: balances ${balances.status}: ${balances.text.slice(0, 100)}`)
      lines.push(`${name}: ${atOnce} immediately, ${later} after 1.5 s`)
    }
    isOver = true
    const { number } = await execute(Head.mine(node))
    await AttackedChain.indexed(attacked.url, number, 20)
    await following
    const rows = new Set([...receiver.table.values()].map(({ event }) => event.data.row)).size
    if (connections > 1) faults.push(`a stream of events was ended ${connections - 1} times`)
    return { behaviour: `${lines.join("; ")}; ${rows} rows of events in ${connections} connections`, faults }
  },
}

export const scenarios: ReadonlyArray<Scenario> = [machine]
