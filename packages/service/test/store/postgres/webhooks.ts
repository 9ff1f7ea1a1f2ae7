/** Tests that the webhooks of a key are found with an index. */
import * as Eventually from "@daybook/harness/Eventually"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { ofHolder } from "../../../src/store/postgres/Webhooks.ts"
import { notBegun } from "../../../src/store/WebhookWallets.ts"
import { webhookContract } from "../webhookContract.ts"
import * as TestServer from "./TestServer.ts"

const fill = `INSERT INTO daybook.webhook (name, holder, content, revision)
  SELECT 'webhook ' || at, 'key ' || at % 100, repeat('content ', 20), 1 FROM generate_series(1, 1000) AS at`

/** A slow change in one transaction. */
const addition = `DO $$ BEGIN
  UPDATE daybook.webhook SET revision = revision + 1 WHERE name = 'books';
  INSERT INTO daybook.webhook_wallet (webhook, wallet, journal, next, start, highest) VALUES ('books', '0xb', '', 0, 0, -1);
  PERFORM pg_sleep(0.5);
END $$`
const additions = `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'PgSleep'`

/** Registers the tests of webhooks on a server. */
export const webhooks = (server: () => string): void => {
  webhookContract(
    Effect.gen(function* () {
      const { url } = yield* TestServer.emptied(server())
      const { webhooks: engineWebhooks } = yield* TestServer.connect(url)
      for (const { name } of yield* engineWebhooks.list) yield* engineWebhooks.remove(name)
      return engineWebhooks
    }),
  )

  describe("Webhooks", () => {
    it.effect("ofHolder: finds the webhooks of a key with an index", () =>
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

    it.live("remove: also removes the wallets that a concurrent change adds", () =>
      Effect.gen(function* () {
        const { rows, url } = yield* TestServer.emptied(server())
        const { webhooks: engineWebhooks } = yield* TestServer.connect(url)
        yield* engineWebhooks.add("books", { holder: null, state: "active", content: "{}" }, [notBegun("0xa")])
        const adding = yield* Effect.forkChild(TestServer.rowsOf(url, addition))
        const isAdding = Effect.map(rows(additions), (found) => found.length > 0)
        yield* Eventually.untilEffect(isAdding, { what: "the addition" })
        const isRemoved = yield* engineWebhooks.remove("books")
        yield* Fiber.join(adding)

        expect(isRemoved).toBe(true)
        expect(yield* engineWebhooks.walletsOf("books", {})).toEqual([])
      }),
    )
  })
}
