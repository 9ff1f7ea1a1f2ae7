/** The webhooks of a key are found by an index. */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { ofHolder } from "../../../src/store/postgres/Webhooks.ts"
import { webhookContract } from "../webhookContract.ts"
import * as TestServer from "./TestServer.ts"

const fill = `INSERT INTO daybook.webhook (name, holder, content, revision)
  SELECT 'webhook ' || at, 'key ' || at % 100, repeat('content ', 20), 1 FROM generate_series(1, 1000) AS at`

/** Runs the suite of webhooks on a server. */
export const webhooks = (server: () => string): void => {
  webhookContract(
    Effect.gen(function* () {
      const { url } = yield* TestServer.emptied(server())
      const { webhooks: own } = yield* TestServer.connect(url)
      for (const { name } of yield* own.list) yield* own.remove(name)
      return own
    }),
  )

  describe("Webhooks", () => {
    it.effect("ofHolder: the webhooks of a key are found by an index", () =>
      Effect.gen(function* () {
        const { rows, url } = yield* TestServer.emptied(server())
        const database = yield* TestServer.connect(url)
        yield* database.webhooks.counts
        yield* rows(fill)
        yield* rows("ANALYZE daybook.webhook")
        const plan = JSON.stringify(yield* rows(`EXPLAIN ${ofHolder.replace("$1", "'key 7'")}`))
        const found = yield* database.webhooks.ofHolder("key 7")
        yield* rows("DELETE FROM daybook.webhook")

        expect(plan).toContain("webhook_holder")
        expect(plan).not.toContain("Seq Scan")
        expect(found).toHaveLength(10)
      }),
    )
  })
}
