import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import * as KeysFile from "../../../src/store/sqlite/KeysFile.ts"
import * as Webhooks from "../../../src/store/sqlite/Webhooks.ts"
import * as WebhookWallets from "../../../src/store/sqlite/WebhookWallets.ts"
import { notBegun } from "../../../src/store/WebhookWallets.ts"
import { webhookContract } from "../webhookContract.ts"
import { temporaryFolder } from "../temporaryFolder.ts"

webhookContract(
  Effect.gen(function* () {
    return Webhooks.make(yield* KeysFile.make(join(yield* temporaryFolder, "daybook.sqlite")))
  }),
)

/** A webhook of the version before wallets had separate rows: two wallets, one of which has a position. */
const earlier = JSON.stringify({
  addresses: ["0xa", "0xb"],
  positions: { "0xa": "e1.4-abc.2.17.10.0123456789ab" },
})

/** Returns the plan of a statement, in a new database. */
const planner = Effect.gen(function* () {
  const file = join(yield* temporaryFolder, "daybook.sqlite")
  yield* (yield* KeysFile.make(file)).writing
  const open = Effect.sync(() => new DatabaseSync(file))
  const database = yield* Effect.acquireRelease(open, (opened) => Effect.sync(() => opened.close()))
  return (sql: string): ReadonlyArray<string> =>
    database
      .prepare(`EXPLAIN QUERY PLAN ${sql}`)
      .all()
      .map((row) => String(row["detail"]))
})

describe("Webhooks", () => {
  /** A webhook of more wallets than one turn removes, and its removal after its first turn. */
  const removing = Effect.gen(function* () {
    const webhooks = Webhooks.make(yield* KeysFile.make(join(yield* temporaryFolder, "daybook.sqlite")))
    const wallets = Array.from({ length: 1_001 }, (_, at) => notBegun(`0x${at}`))
    yield* webhooks.add("books", { holder: null, state: "active", content: "{}" }, wallets)
    const removal = yield* Effect.forkChild(webhooks.remove("books"), { startImmediately: true })
    return { webhooks, removal }
  })

  it.live("remove: removes many wallets in turns of the event loop, even if the caller is interrupted", () =>
    Effect.gen(function* () {
      const { removal, webhooks } = yield* removing
      const left = yield* webhooks.walletsOf("books", {})
      yield* Fiber.interrupt(removal)

      expect(left).toHaveLength(1)
      expect([yield* webhooks.find("books"), yield* webhooks.walletsOf("books", {})]).toEqual([null, []])
    }).pipe(Effect.scoped),
  )

  it.live("remove: removes the webhook before its wallets, so that a crash leaves none with fewer of them", () =>
    Effect.gen(function* () {
      const { removal, webhooks } = yield* removing
      const found = yield* webhooks.find("books")

      expect(found).toBeNull()
      expect(yield* Fiber.join(removal)).toBe(true)
    }).pipe(Effect.scoped),
  )

  it.live("add: a webhook with the name of a removed one has only its own wallets", () =>
    Effect.gen(function* () {
      const { removal, webhooks } = yield* removing
      yield* webhooks.add("books", { holder: null, state: "active", content: "{}" }, [notBegun("0xa")])
      yield* Fiber.join(removal)

      expect(yield* webhooks.walletsOf("books", {})).toEqual([notBegun("0xa")])
      expect(yield* webhooks.find("books")).toMatchObject({ wallets: 1 })
    }).pipe(Effect.scoped),
  )

  it.effect("an earlier file keeps the wallets of its webhooks with their positions", () =>
    Effect.gen(function* () {
      const file = join(yield* temporaryFolder, "daybook.sqlite")
      const database = new DatabaseSync(file)
      const { applicationId, firstVersion, steps } = KeysFile.schema
      const before = steps.slice(0, 4)
      for (const step of before) database.exec(step)
      database.exec(`PRAGMA application_id=${applicationId}; PRAGMA user_version=${firstVersion + before.length - 1}`)
      database.prepare("INSERT INTO webhook (name, content, revision) VALUES (?, ?, ?)").run("books", earlier, 3)
      database.close()
      const webhooks = Webhooks.make(yield* KeysFile.make(file))

      expect(yield* webhooks.find("books")).toEqual({
        name: "books",
        holder: null,
        content: earlier,
        revision: 3,
        wallets: 2,
      })
      expect(yield* webhooks.walletsOf("books", {})).toEqual([
        { wallet: "0xa", journal: "4-abc", next: 17, start: 2, highest: 9 },
        notBegun("0xb"),
      ])
    }),
  )

  it.effect(
    "the wallets of a block, of a position and of a reorg are found with indexes, however many a webhook has",
    () =>
      Effect.gen(function* () {
        const planOf = yield* planner
        const selections = [
          { position: "shared", among: [] },
          { position: "own" },
          { position: "shared", highestFrom: 3 },
        ] as const
        const plans = selections.map((selection) => planOf(WebhookWallets.selecting(selection)[0]).join("; "))
        const having = planOf(WebhookWallets.having).join("; ")

        expect(plans[0]).toContain("SEARCH webhook_wallet USING PRIMARY KEY (webhook=? AND wallet=?)")
        expect(plans[1]).toContain("SEARCH webhook_wallet USING INDEX webhook_wallet_own (webhook=?)")
        expect(plans[2]).toContain("SEARCH webhook_wallet USING INDEX webhook_wallet_sent (webhook=? AND highest>?)")
        expect(having).toContain("SEARCH webhook_wallet USING COVERING INDEX webhook_wallet_look (wallet=?)")
      }),
  )

  it.effect("periodic reads use an index, without the content of a webhook", () =>
    Effect.gen(function* () {
      const planOf = yield* planner
      const { counts, ofHolder, overview } = Webhooks.statements
      const plans = [overview, counts, ofHolder].map(planOf)

      expect(plans).toEqual([
        ["SCAN webhook USING COVERING INDEX webhook_look"],
        ["SCAN webhook USING COVERING INDEX webhook_look", "USE TEMP B-TREE FOR GROUP BY"],
        ["SEARCH webhook USING INDEX webhook_look (holder=?)", "USE TEMP B-TREE FOR ORDER BY"],
      ])
    }),
  )
})
