/** A viem client over `daybookTransport` on the embedded chain behind a hostile node, compared with the transport of viem. */
import { inspect, isDeepStrictEqual } from "node:util"
import { describe, expect, layer } from "@effect/vitest"
import { Anvil, Scenario } from "@daybook/chain"
import { HostileNode, NodeScript } from "@daybook/hostile"
import { Effect, Layer } from "effect"
import { createPublicClient, http, parseAbi, type PublicClient, type Transport } from "viem"
import { daybookTransport } from "@daybook/rpc/viem"

const chain = Scenario.layer({ seed: 5, blocks: 8, blobs: false }).pipe(Layer.provideMerge(Anvil.layer({ chainId: 1 })))

const scripts = Number(process.env["DAYBOOK_VIEM_SCRIPTS"] ?? 24)
const timeout = 300

const hung = Symbol("hung")

/** Waits for a read until well after its deadline, which a busy machine may miss by seconds. */
const withinTime = <A>(promise: Promise<A>, millis: number): Promise<A | typeof hung> => {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<typeof hung>((resolve) => {
    timer = setTimeout(() => resolve(hung), timeout * 4 + millis)
  })
  return Promise.race([promise, late]).finally(() => clearTimeout(timer))
}

const abi = parseAbi(["function balanceOf(address) view returns (uint256)"])

describe("viem under hostile scripts", () => {
  layer(chain, { timeout: "120 seconds" })((it) => {
    it.effect(
      "viem under hostile scripts: daybookTransport returns no wrong value and no call hangs",
      () =>
        Effect.gen(function* () {
          const node = yield* Anvil.Anvil
          const world = yield* Scenario.Scenario
          const last = BigInt(world.lastBlock)
          const reads = (client: PublicClient): ReadonlyArray<() => Promise<unknown>> => [
            () => client.getBlock({ blockNumber: last, includeTransactions: true }),
            () => client.getBlock({ blockNumber: last - 1n }),
            () => client.getTransaction({ hash: world.transactions.swap }),
            () => client.getTransactionReceipt({ hash: world.transactions.swap }),
            () => client.getLogs({ fromBlock: BigInt(world.firstBlock), toBlock: last }),
            () => client.getBalance({ address: world.accounts.alice, blockNumber: last }),
            () =>
              client.readContract({
                address: world.contracts.gold,
                abi,
                functionName: "balanceOf",
                args: [world.accounts.alice],
              }),
          ]
          const direct = createPublicClient({ transport: http(node.url) })
          const expected = yield* Effect.promise(() => Promise.all(reads(direct).map((read) => read())))

          const under = async (transport: (url: string) => Transport, extraMillis: number) => {
            const counts = { right: 0, error: 0, wrong: 0, hung: 0 }
            const wrong: Array<string> = []
            const one = async (seed: number): Promise<void> => {
              const { steps } = NodeScript.make(seed)
              const hostile = await HostileNode.start({ script: steps, upstream: node.url })
              try {
                const client = createPublicClient({ transport: transport(hostile.url) })
                const ends = await Promise.allSettled(reads(client).map((read) => withinTime(read(), extraMillis)))
                for (const [at, end] of ends.entries()) {
                  if (end.status === "fulfilled" && end.value === hung) counts.hung++
                  else if (end.status === "rejected") counts.error++
                  else if (isDeepStrictEqual(end.value, expected[at])) counts.right++
                  else {
                    counts.wrong++
                    wrong.push(
                      `seed ${seed}, read ${at}, under ${steps.map(({ fault }) => fault).join(" ")}: ${inspect(end.value).slice(0, 200)}`,
                    )
                  }
                }
              } finally {
                await hostile.stop()
              }
            }
            const seeds = Array.from({ length: scripts }, (_, seed) => seed)
            const worker = async () => {
              for (let seed = seeds.pop(); seed !== undefined; seed = seeds.pop()) await one(seed)
            }
            await Promise.all(Array.from({ length: 8 }, worker))
            return { counts, wrong }
          }
          const local = yield* Effect.promise(() =>
            under(
              (url) =>
                daybookTransport({
                  url,
                  timeout: timeout * 4,
                  maxBytes: 1024 * 1024,
                  maxItemBytes: 512 * 1024,
                  retry: { base: 5, cap: 20, attemptTimeout: timeout },
                }),
              30_000,
            ),
          )
          const remote = yield* Effect.promise(() =>
            under((url) => http(url, { batch: true, timeout, retryCount: 3, retryDelay: 5 }), 1_000),
          )

          console.log(
            `${scripts} scripts, daybookTransport:`,
            local.counts,
            "viem http({ batch: true }):",
            remote.counts,
          )
          expect(local.wrong).toEqual([])
          expect(local.counts.hung).toBe(0)
          expect(local.counts.right).toBeGreaterThan(0)
        }),
      180_000,
    )
  })
})
