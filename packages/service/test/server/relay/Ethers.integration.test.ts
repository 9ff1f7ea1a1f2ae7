/** Unmodified JSON-RPC providers of ethers 6, with their default options, at the relay of a service. */
import { describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { id, JsonRpcProvider } from "ethers"
import type { Log } from "ethers"
import { expect } from "vitest"
import * as Node from "../node.ts"
import { start } from "../service.ts"

const token = `0x${"0a".repeat(20)}`
const transfer = id("Transfer(address,address,uint256)")

const hex = (number: number): string => `0x${number.toString(16)}`

const logOf = (block: string) => ({
  address: token,
  topics: [transfer],
  data: "0x",
  blockNumber: block,
  blockHash: `0x${"0b".repeat(32)}`,
  transactionHash: `0x${"0c".repeat(32)}`,
  transactionIndex: "0x0",
  logIndex: "0x0",
  removed: false,
})

/** A node with a new block for each request of its number, and a log in each block. */
const growing = () => {
  let head = 10
  return ({ method, params }: Node.Call): Node.Reply => {
    if (method === "eth_blockNumber") return Node.result(JSON.stringify(hex(head++)))
    if (method !== "eth_getLogs") return Node.result('"0x1"')
    const [{ fromBlock }] = params as [{ fromBlock: string }]
    return Node.result(JSON.stringify([logOf(fromBlock)]))
  }
}

const provide = Effect.fnUntraced(function* (rateLimit: { readonly perSecond?: number; readonly burst?: number } = {}) {
  const node = yield* Node.start(growing())
  const { key, url } = yield* start({ chains: { eth: { config: { rpc: [node.url] } } }, config: { rateLimit } })
  const provider = yield* Effect.acquireRelease(
    Effect.sync(() => new JsonRpcProvider(`${url}/rpc/eth/${key}`)),
    (own) => Effect.sync(() => own.destroy()),
  )
  return { node, provider }
})

describe("Relay with ethers 6", () => {
  it.live("a listener receives logs by polling, because nodes keep no filters for it", () =>
    Effect.gen(function* () {
      const { node, provider } = yield* provide()
      provider.pollingInterval = 20

      const log = yield* Effect.promise(
        () => new Promise<Log>((resolve) => void provider.on({ address: token, topics: [transfer] }, resolve)),
      )

      expect([log.address.toLowerCase(), log.topics]).toEqual([token, [transfer]])
      expect(node.calls.map(({ method }) => method)).toContain("eth_getLogs")
    }),
  )

  it.live("a batch has as many calls as the provider puts into one, if the burst permits it", () =>
    Effect.gen(function* () {
      const { provider } = yield* provide({ burst: 100 })
      const addresses = Array.from(
        { length: 90 },
        (_, at) =>
          `0x${hex(at + 1)
            .slice(2)
            .padStart(40, "0")}`,
      )

      const balances = yield* Effect.promise(() => Promise.all(addresses.map((one) => provider.getBalance(one))))

      expect(balances).toEqual(addresses.map(() => 1n))
    }),
  )

  it.live("a call that exceeds the rate limit succeeds after the requested wait", () =>
    Effect.gen(function* () {
      const { provider } = yield* provide({ perSecond: 2, burst: 2 })

      const found: Array<bigint> = []
      for (let calls = 0; calls < 4; calls++) found.push(yield* Effect.promise(() => provider.getBalance(token)))

      expect(found).toEqual([1n, 1n, 1n, 1n])
    }),
  )
})
