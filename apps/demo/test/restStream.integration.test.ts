/** The REST client's streams over the service itself: killed and started again under a walk, and overtaken by a reorganisation. */
import { type Anvil, Head } from "@daybook/chain"
import { RestClient } from "@daybook/rest"
import { createRestClient } from "@daybook/rest/promise"
import { Effect, Layer, Logger, Stream } from "effect"
import { describe, expect, it } from "vitest"
import * as Local from "../src/Local.ts"
import * as Screen from "../src/Screen.ts"
import { freePort, makeStore, serve, wallet } from "./generated.ts"

const silent = Layer.succeed(Screen.Screen, Screen.make({ write: () => undefined }, {}))
const started = Local.start({ blobs: false, config: { rateLimit: { perSecond: 1_000_000, burst: 1_000_000 } } }).pipe(
  Effect.provide(silent),
)
const orders = ["ASC", "DESC"] as const

/** Waits until the service stands on the node's own head. */
const untilIndexed = Effect.fnUntraced(function* (rest: RestClient.Client, node: Anvil.Node) {
  const head = yield* Head.current(node)
  const at = BigInt(head.number)
  const query = { address: node.accounts[0] ?? "", from_block: at, to_block: at }
  for (;;) {
    const { indexCoverage, page } = yield* rest.walletTransactionsWithResponse(query)
    if (indexCoverage.indexedTo === at && page.result.every((row) => row.block_hash === head.hash)) return
    yield* Effect.sleep("50 millis")
  }
})

describe("a walk over a service that is killed", () => {
  for (const order of orders) {
    it(`gives the whole history once, ${order}`, { timeout: 60_000 }, () =>
      Effect.gen(function* () {
        const { apiKey, folder, hashes } = yield* makeStore(2_000)
        const port = yield* Effect.promise(freePort)
        const got: Array<string> = []
        const kills: Array<Promise<unknown>> = []
        yield* Effect.promise(async () => {
          let service = await serve(folder, port)
          const retry = { maxAttempts: 100, base: 50, cap: 200 }
          const rest = createRestClient({ baseUrl: service.url, apiKey, retry })
          for await (const { hash } of rest.walletTransactionsStream({ address: wallet, order, limit: 50 })) {
            got.push(hash)
            if (got.length !== 120 && got.length !== 1_111) continue
            await service.end("SIGKILL")
            // It comes back while the walk is trying.
            kills.push(serve(folder, port).then((again) => (service = again)))
          }
          await Promise.all(kills)
          await service.end("SIGTERM")
        })

        expect(kills.length).toBe(2)
        expect(got).toEqual(order === "ASC" ? hashes : hashes.toReversed())
      }).pipe(Effect.scoped, Effect.runPromise),
    )
  }
})

describe("a walk over a chain that reorganises", () => {
  it("tells which rows are void and gives what replaces them, or fails where to resume", { timeout: 90_000 }, () =>
    Effect.gen(function* () {
      const { node, provider } = yield* started
      const rest = yield* RestClient.make({ baseUrl: provider.baseUrl, apiKey: provider.apiKey })
      const address = node.accounts[0] ?? ""
      for (const order of orders) {
        const query = { address, order, limit: 5 }
        yield* untilIndexed(rest, node)
        let kept: ReadonlyArray<{ readonly hash: string; readonly block: bigint }> = []
        const marks: Array<bigint> = []
        let given = 0
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
            return ++given === 12 ? reorganise : Effect.void
          }),
        )
        const truth = yield* Stream.runCollect(rest.walletTransactionsStream(query))

        expect(marks).toEqual([fromBlock])
        expect(new Set(kept.map(({ hash }) => hash)).size).toBe(kept.length)
        const inOrder = kept.toSorted((a, b) => Number(order === "ASC" ? a.block - b.block : b.block - a.block))
        expect(inOrder.map(({ block }) => block)).toEqual(truth.map((row) => row.block_number))
        expect(new Set(kept.map(({ hash }) => hash))).toEqual(new Set(truth.map(({ hash }) => hash)))

        given = 0
        const error = yield* rest.walletTransactionsStream(query).pipe(
          Stream.runForEach(() => (++given === 12 ? reorganise : Effect.void)),
          Effect.flip,
        )
        expect(error._tag === "StaleCursor" && error.resumeFromBlock).toBe(fromBlock)
      }
    }).pipe(Effect.scoped, Effect.provide(Logger.layer([])), Effect.runPromise),
  )
})
