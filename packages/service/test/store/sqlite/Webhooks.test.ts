import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import * as KeysFile from "../../../src/store/sqlite/KeysFile.ts"
import * as Webhooks from "../../../src/store/sqlite/Webhooks.ts"
import { temporaryFolder } from "../temporaryFolder.ts"

describe("Webhooks", () => {
  it.effect("what is read from time to time is in an index, without the content of a webhook", () =>
    Effect.gen(function* () {
      const file = join(yield* temporaryFolder, "daybook.sqlite")
      yield* (yield* KeysFile.make(file)).writing
      const database = new DatabaseSync(file)
      const planOf = (sql: string) =>
        database
          .prepare(`EXPLAIN QUERY PLAN ${sql}`)
          .all()
          .map((row) => String(row["detail"]))
      const { counts, ofHolder, overview } = Webhooks.statements
      const plans = [overview, counts, ofHolder].map(planOf)
      database.close()

      expect(plans).toEqual([
        ["SCAN webhook USING COVERING INDEX webhook_look"],
        ["SCAN webhook USING COVERING INDEX webhook_look", "USE TEMP B-TREE FOR GROUP BY"],
        ["SEARCH webhook USING INDEX webhook_look (holder=?)", "USE TEMP B-TREE FOR ORDER BY"],
      ])
    }),
  )
})
