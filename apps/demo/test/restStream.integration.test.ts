/** Streams of the REST client over the service itself, which is killed and restarted or reorgs while they are read. */
import { Head } from "@daybook/chain"
import { RestClient } from "@daybook/rest"
import { createRestClient } from "@daybook/rest/promise"
import { Effect, Layer, Logger, Stream } from "effect"
import { describe, expect, it } from "vitest"
import * as Local from "../src/Local.ts"
import * as Screen from "../src/Screen.ts"
import { freePort, makeStore, serve, wallet } from "./generated.ts"
import { untilIndexed } from "./untilIndexed.ts"

const noOutput = Layer.succeed(Screen.Screen, Screen.make({ write: () => undefined }, {}))
const started = Local.start({ blobs: false, config: { rateLimit: { perSecond: 1_000_000, burst: 1_000_000 } } }).pipe(
  Effect.provide(noOutput),
)
const orders = ["ASC", "DESC"] as const

describe("stream over a service that is killed", () => {
  for (const order of orders) {
    it(`emits the whole history once, ${order}`, { timeout: 180_000 }, () =>
      Effect.gen(function* () {
        const { apiKey, folder, hashes } = yield* makeStore(2_000)
        const port = yield* Effect.promise(freePort)
        const received: Array<string> = []
        const kills: Array<Promise<unknown>> = []
        yield* Effect.promise(async () => {
          let service = await serve(folder, port)
          const retry = { maxAttempts: 100, base: 50, cap: 200 }
          const rest = createRestClient({ baseUrl: service.url, apiKey, retry })
          for await (const { hash } of rest.walletTransactionsStream({ address: wallet, order, limit: 50 })) {
            received.push(hash)
            if (received.length !== 120 && received.length !== 1_111) continue
            await service.end("SIGKILL")
            // It restarts while the stream is retrying.
            kills.push(serve(folder, port).then((again) => (service = again)))
          }
          await Promise.all(kills)
          await service.end("SIGTERM")
        })

        expect(kills.length).toBe(2)
        expect(received).toEqual(order === "ASC" ? hashes : hashes.toReversed())
      }).pipe(Effect.scoped, Effect.runPromise),
    )
  }
})

describe("stream over a chain that reorgs", () => {
  it(
    "marks the reverted rows and emits their replacements, or fails with the block to resume from",
    { timeout: 90_000 },
    () =>
      Effect.gen(function* () {
        const { node, provider } = yield* started
        const rest = yield* RestClient.make({ baseUrl: provider.baseUrl, apiKey: provider.apiKey })
        const address = node.accounts[0] ?? ""
        for (const order of orders) {
          const query = { address, order, limit: 5 }
          yield* untilIndexed(rest, node)
          let kept: ReadonlyArray<{ readonly hash: string; readonly block: bigint }> = []
          const marks: Array<bigint> = []
          let emitted = 0
          let fromBlock = 0n
          const reorganise = Effect.gen(function* () {
            const { ancestor } = yield* Head.reorganise(node, { depth: 6, moreBlocks: 1 })
            fromBlock = BigInt(ancestor.number + 1)
            yield* untilIndexed(rest, node)
          })
          yield* rest.walletTransactionsStream(query, { onStaleCursor: "restart" }).pipe(
            Stream.runForEach((value) => {
              if ("_tag" in value) {
                marks.push(value.fromBlock)
                kept = kept.filter(({ block }) => block < value.fromBlock)
                return Effect.void
              }
              kept = [...kept, { hash: value.hash, block: value.block_number }]
              return ++emitted === 12 ? reorganise : Effect.void
            }),
          )
          const current = yield* Stream.runCollect(rest.walletTransactionsStream(query))

          expect(marks).toEqual([fromBlock])
          expect(new Set(kept.map(({ hash }) => hash)).size).toBe(kept.length)
          const inOrder = kept.toSorted((a, b) => Number(order === "ASC" ? a.block - b.block : b.block - a.block))
          expect(inOrder.map(({ block }) => block)).toEqual(current.map((row) => row.block_number))
          expect(new Set(kept.map(({ hash }) => hash))).toEqual(new Set(current.map(({ hash }) => hash)))

          emitted = 0
          const error = yield* rest.walletTransactionsStream(query).pipe(
            Stream.runForEach(() => (++emitted === 12 ? reorganise : Effect.void)),
            Effect.flip,
          )
          expect(error._tag === "StaleCursor" && error.resumeFromBlock).toBe(fromBlock)
        }
      }).pipe(Effect.scoped, Effect.provide(Logger.layer([])), Effect.runPromise),
  )
})
