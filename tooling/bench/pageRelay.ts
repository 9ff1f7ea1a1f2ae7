/** A call through the relay, kept by it or not, beside a relay written by hand and the node itself. */
import { Effect } from "effect"
import * as Anvil from "../chain/src/Anvil.ts"
import * as Scenario from "../chain/src/Scenario.ts"
import { cells, fill, forMillis, type Load, ratio, type Shot } from "./pageLoad.ts"
import { type Configured, configure, ready, service, start, withoutCache } from "./pageService.ts"

/** The method and parameters of one call of many. */
export type Call = (index: number) => readonly [method: string, params: ReadonlyArray<unknown>]

/** Blocks with their transactions, from a number on. */
export const blockOf =
  (first: number): Call =>
  (index) => ["eth_getBlockByNumber", [`0x${(first + index).toString(16)}`, true]]

/** The newest block, which no cache may keep. */
export const newest: Call = () => ["eth_getBlockByNumber", ["latest", false]]

const different = 50

const shotsOf = (url: string, call: Call): ReadonlyArray<Shot> =>
  Array.from({ length: different }, (_, index) => {
    const [method, params] = call(index)
    const body = JSON.stringify({ jsonrpc: "2.0", id: index, method, params })
    return { url: new URL(url), headers: { "content-type": "application/json" }, body }
  })

/** Makes a comparison, which prints its rows. The index of the configuration must be finished. */
export const comparing =
  (options: { readonly rounds: number; readonly lanes: number; readonly millis: number }) =>
  async (name: string, node: string, configured: Configured, call: Call): Promise<void> => {
    const { lanes, millis, rounds } = options
    const uncached = await service(withoutCache(configured).file, "serve")
    const cached = await service(configured.file, "serve")
    const byHand = await start("pageRelayByHand.ts", [node])
    try {
      const at = (origin: string) => shotsOf(`${origin}/rpc/bench/${configured.key}`, call)
      const subjects = {
        "relayed, nothing kept": at(uncached.origin),
        "relayed, kept where it may be": at(cached.origin),
        "relayed by hand": shotsOf(`http://127.0.0.1:${byHand.line}/`, call),
        "to the node": shotsOf(node, call),
      }
      const found = new Map(Object.keys(subjects).map((subject) => [subject, [] as Array<Load>]))
      for (let round = 0; round <= rounds; round++) {
        for (const [subject, shots] of Object.entries(subjects)) {
          const load = await fill(shots, lanes, forMillis(millis))
          if (round > 0) found.get(subject)!.push(load)
        }
      }
      const direct = found.get("to the node")!
      for (const [subject, loads] of found) {
        console.log(`| ${name}: ${subject} | ${cells(loads)} | ${ratio(loads, direct)} |`)
      }
    } finally {
      await uncached.stop()
      await cached.stop()
      await byHand.stop()
    }
  }

/** Starts a real node with a hundred and fifty blocks of 20 transactions, indexes it, and uses it. */
export const withRealNode = (
  folder: string,
  use: (url: string, configured: Configured) => Promise<void>,
): Promise<void> =>
  Effect.gen(function* () {
    const node = yield* Anvil.make()
    yield* Scenario.run(node, { blocks: 150, size: 20, blobs: false })
    yield* Effect.promise(async () => {
      const configured = configure(folder, node.url)
      const indexing = await service(configured.file, "all")
      await ready(indexing.origin)
      await indexing.stop()
      await use(node.url, configured)
    })
  }).pipe(Effect.scoped, Effect.runPromise)
