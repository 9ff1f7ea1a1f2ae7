/** Streams of the REST client over the service itself, which is killed and restarted while they are read. */
import { createRestClient } from "@daybook/rest/promise"
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { freePort } from "@daybook/harness/FreePort"
import { makeStore, serve, wallet } from "./generated.ts"

/** Orders, each with the number of rows after which the service is killed. */
const orders = [
  ["ASC", 120],
  ["DESC", 1_111],
] as const

describe("stream over a service that is killed", () => {
  it("emits the whole history once, in both orders", { timeout: 180_000 }, () =>
    Effect.gen(function* () {
      const { apiKey, folder, hashes } = yield* makeStore(2_000)
      const port = yield* Effect.promise(freePort)
      const received = yield* Effect.promise(async () => {
        let service = serve(folder, port)
        const retry = { maxAttempts: 100_000, base: 50, cap: 200 }
        const rest = createRestClient({ baseUrl: (await service).url, apiKey, retry, timeout: "3 minutes" })
        let kills = Promise.resolve()
        const kill = async () => {
          await (await service).end("SIGKILL")
          // It restarts while the streams are retrying.
          service = serve(folder, port)
        }
        const read = async ([order, killedAt]: (typeof orders)[number]) => {
          const rows: Array<string> = []
          for await (const { hash } of rest.walletTransactionsStream({ address: wallet, order, limit: 50 })) {
            rows.push(hash)
            if (rows.length === killedAt) await (kills = kills.then(kill))
          }
          return rows
        }
        const both = await Promise.all(orders.map(read))
        await (await service).end("SIGTERM")
        return both
      })

      expect(received).toEqual([hashes, hashes.toReversed()])
    }).pipe(Effect.scoped, Effect.runPromise),
  )
})
