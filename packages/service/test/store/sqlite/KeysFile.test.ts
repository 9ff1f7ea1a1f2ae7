import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { expect } from "vitest"
import * as ApiKeys from "../../../src/store/sqlite/ApiKeys.ts"
import * as KeysFile from "../../../src/store/sqlite/KeysFile.ts"
import * as Webhooks from "../../../src/store/sqlite/Webhooks.ts"
import { temporaryFolder } from "../temporaryFolder.ts"

const walletOf = (digit: number) => `0x${String(digit).repeat(40)}`

const placed = (digit: number, highest = -1) => ({ wallet: walletOf(digit), journal: null, next: 0, start: 0, highest })

const content = { content: "{}", state: "active" } as const

/** Webhooks and keys in a file, as returned by SQLite. */
const contentsOf = (file: string) => {
  const database = new DatabaseSync(file, { readOnly: true })
  try {
    return ["webhook", "webhook_wallet", "api_key"].map((table) =>
      database.prepare(`SELECT * FROM ${table} ORDER BY 1, 2`).all(),
    )
  } finally {
    database.close()
  }
}

describe("KeysFile", () => {
  it.live("copy: makes the rows of a file equal to another one's, and writes only those that differ", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const [from, to] = [join(folder, "from.sqlite"), join(folder, "to.sqlite")]
      const file = yield* KeysFile.make(from)
      const [webhooks, keys] = [Webhooks.make(file), ApiKeys.make(file)]
      for (const name of ["kept", "gone"]) yield* keys.add({ name, operator: false, empty: null })
      yield* webhooks.add(
        "hook",
        { ...content, holder: "kept" },
        [1, 2, 3].map((digit) => placed(digit)),
      )
      yield* KeysFile.copy(from, to)
      const copied = contentsOf(to)
      const database = new DatabaseSync(to)
      database.exec(`CREATE TABLE written (row TEXT);
        CREATE TRIGGER of_wallet AFTER INSERT ON webhook_wallet BEGIN INSERT INTO written VALUES (new.wallet); END;
        CREATE TRIGGER of_key AFTER INSERT ON api_key BEGIN INSERT INTO written VALUES (new.name); END;`)
      database.close()
      const { revision } = (yield* webhooks.find("hook"))!
      yield* webhooks.change("hook", revision, content, { move: [placed(2, 7)], remove: [walletOf(3)] })
      yield* keys.revoke("gone")
      yield* keys.rotate("kept", 0)
      yield* KeysFile.copy(from, to)
      const after = new DatabaseSync(to, { readOnly: true })
      const written = after.prepare("SELECT row FROM written ORDER BY row").all()
      after.close()

      expect(copied).not.toEqual(contentsOf(from))
      expect(contentsOf(to)).toEqual(contentsOf(from))
      expect(written.map(({ row }) => row)).toEqual([walletOf(2), "kept"])
    }),
  )
})
