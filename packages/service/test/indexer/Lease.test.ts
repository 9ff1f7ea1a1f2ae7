import { describe, expect, it } from "@effect/vitest"
import { Effect, Fiber, Logger } from "effect"
import * as ChainIndexer from "../../src/indexer/ChainIndexer.ts"
import * as Node from "../../src/node/Node.ts"
import { Store } from "../../src/store/Store.ts"
import { decoder, openStore } from "./chain.ts"

describe("Indexer", () => {
  it.live("says once that another process indexes the chain, however long it waits", () =>
    Effect.gen(function* () {
      const store = yield* openStore
      yield* store.lease("the other", 60_000)
      const node = yield* Node.make({ urls: ["http://127.0.0.1:65535"], chainId: 31337, traces: "auto" })
      const lines: Array<string> = []
      const logger = Logger.make(({ message }) => void lines.push(String(message)))

      const fiber = yield* Effect.forkScoped(
        ChainIndexer.run(node, { chain: "test", owner: "me", decoder, pollMillis: 10 }).pipe(
          Effect.provideService(Store, store),
          Effect.provide(Logger.layer([logger])),
        ),
      )
      yield* Effect.sleep(300)
      yield* Fiber.interrupt(fiber)

      expect(lines).toEqual(["test: another process indexes this chain; waiting for it to end"])
    }),
  )
})
