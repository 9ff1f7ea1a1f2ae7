/** The WebSocket client of `@daybook/rpc` against the relay, behind a proxy that cuts connections anywhere. */
import { type AddressInfo, connect, createServer } from "node:net"
import * as WebSocketClient from "@daybook/rpc/WebSocketClient"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import type { BlockRows } from "../../../src/block/BlockRows.ts"
import { Receiver } from "../../push/Receiver.ts"
import * as Model from "../../store/model.ts"
import { chainOf, type Ledger } from "../rest/ledgers.ts"
import * as Rows from "../rows.ts"
import { type Json, start } from "../service.ts"

/** A thousand take about a minute. */
const wantedCuts = Number(process.env["DAYBOOK_CUTS"] ?? 60)

/**
 * A server that forwards bytes to a port, and cuts each connection after some bytes to the client, within a frame or
 * between two.
 */
const cutting = (to: URL, bytes: () => number) =>
  Effect.acquireRelease(
    Effect.callback<{ readonly port: number; readonly cuts: () => number; readonly close: () => void }>((resume) => {
      let cuts = 0
      const server = createServer((client) => {
        const upstream = connect(Number(to.port), to.hostname)
        const end = () => {
          client.destroy()
          upstream.destroy()
        }
        let left = bytes()
        client.on("error", end).on("close", end).pipe(upstream)
        upstream.on("error", end).on("close", end)
        upstream.on("data", (chunk: Buffer) => {
          if (chunk.length < left) {
            left -= chunk.length
            client.write(chunk)
            return
          }
          cuts++
          client.write(chunk.subarray(0, left), end)
          upstream.pause()
        })
      })
      server.listen(0, "127.0.0.1", () => {
        const { port } = server.address() as AddressInfo
        resume(Effect.succeed({ port, cuts: () => cuts, close: () => server.close() }))
      })
    }),
    ({ close }) => Effect.sync(close),
  )

/** A ledger of some movements in each of this many blocks. */
const ledgers: Record<number, Ledger> = Object.fromEntries(
  Array.from({ length: 160 }, (_, number) => [
    number,
    { 0: Array.from({ length: 1 + (number % 3) }, (__, at) => ({ amount: BigInt(number * 10 + at) })) },
  ]),
)
const chain = chainOf(ledgers, 159)
const other: Array<BlockRows> = []
for (let number = 150; number < 160; number++) {
  const parent = other.at(-1) ?? chain.blocks[149]!
  other.push(Rows.block(number, [{ from: Rows.alice, to: Rows.bob }], { fork: "b" }, parent.hash))
}

describe("WebSocketClient", () => {
  it.live(
    "movements: none is lost or sent twice over connections that are cut anywhere, with a reorg in each walk",
    () =>
      Effect.gen(function* () {
        const numbers = Model.seeded(7)
        const service = yield* start({
          config: {
            limits: { pageBytes: 8_192, webSockets: 10_000, webSocketsPerAddress: 10_000, eventStreams: 10_000 },
          },
          chains: { eth: chain },
        })
        const store = service.stores["eth"]!
        const proxy = yield* cutting(new URL(service.url), () => 600 + numbers.below(9_000))
        const client = yield* WebSocketClient.make({
          url: `ws://127.0.0.1:${proxy.port}/rpc/eth/${service.key}`,
          retry: { base: 1, cap: 2, maxAttempts: 50 },
        })
        const branches = [other, chain.blocks.slice(150)]
        const fork = { number: 149, hash: chain.blocks[149]!.hash }
        let [walks, given, doubled] = [0, 0, 0]
        const differences: Array<string> = []
        while (proxy.cuts() < wantedCuts) {
          const branch = branches[walks % 2]!
          const receiver = new Receiver("", "")
          const head = branch.at(-1)!
          let isForked = false
          yield* client.movements({ address: Rows.alice, from: 0 }).pipe(
            Stream.mapEffect(
              Effect.fnUntraced(function* (event) {
                if (event.type === "wallet.movement") {
                  const { revision, row } = event.data
                  if (receiver.table.get(row)?.revision === revision) doubled++
                  given++
                }
                receiver.take(event, event.data.cursor)
                if (isForked || event.type !== "wallet.movement" || event.data.movement.block_number < 155n)
                  return event
                isForked = true
                const last = (walks % 2 === 0 ? chain.blocks : other).at(-1)!
                yield* store.unwind({ number: 159, hash: last.hash }, fork)
                yield* store.append(fork, branch)
                return event
              }),
            ),
            Stream.takeUntil(({ data, type }) => type === "covered" && data.hash === head.hash),
            Stream.runDrain,
          )
          const list: Array<string> = []
          for (let cursor: string | null = ""; cursor !== null;) {
            const query: string = cursor === "" ? "" : `&cursor=${cursor}`
            const { json } = yield* service.get(`/api/v2.2/${Rows.alice}/movements?order=ASC${query}`)
            list.push(...json.result.map((row: Json) => `${row.block_hash} ${row.movement_index} ${row.amount}`))
            cursor = json.cursor
          }
          const table = [...receiver.table.values()].map(({ event: { data } }) =>
            "movement" in data
              ? `${data.movement.block_hash} ${data.movement.movement_index} ${data.movement.amount}`
              : "",
          )
          if (JSON.stringify(table.toSorted()) !== JSON.stringify(list.toSorted())) differences.push(`walk ${walks}`)
          walks++
        }

        expect(differences).toEqual([])
        expect(doubled).toBe(0)
        expect(given).toBeGreaterThan(walks * 300)
      }).pipe(Effect.scoped),
    180_000 + wantedCuts * 1_000,
  )
})
