/** One row of the ledgers is removed, duplicated or changed: verification finds each change and its location. */
import { join } from "node:path"
import { describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { expect } from "vitest"
import * as Verify from "../../src/maintenance/Verify.ts"
import * as WalletLedger from "../../src/projection/WalletLedger.ts"
import * as WalletTransactions from "../../src/projection/WalletTransactions.ts"
import * as Connection from "../../src/store/sqlite/Connection.ts"
import * as Rows from "../server/rows.ts"
import * as Model from "../store/model.ts"
import * as TestStore from "../store/TestStore.ts"
import { damage } from "./damage.ts"
import * as Tampering from "./tampering.ts"
import { temporaryFolder } from "../store/temporaryFolder.ts"

const ref = { name: "test", id: 31337 }
const projections = [WalletTransactions.projection, WalletLedger.make(ref.id)]

/** A store of blocks whose transactions move ether and tokens; the file, and its audit. */
const stored = Effect.gen(function* () {
  const path = yield* temporaryFolder
  const { alice, block, bob, contract, stranger, transferTopics } = Rows
  const blocks = Array.from({ length: 6 }, (_, number) =>
    block(number, [
      { from: alice, to: contract, topics: transferTopics },
      { from: bob, to: number % 2 === 0 ? stranger : alice },
    ]),
  )
  const store = yield* TestStore.inFolder(path, ref, { projections })
  yield* store.append(null, blocks)
  return { file: join(path, "chain-test.sqlite"), audit: store.database.chain(ref).audit }
})

describe("Verify", () => {
  it.live("run: finds a removed, duplicated or changed row of a ledger, with its block, wallet and assets", () =>
    Effect.gen(function* () {
      const { audit, file } = yield* stored
      const connection = yield* Connection.connect({ file, readOnly: false })
      const { missed, rows } = yield* Tampering.run(connection, audit, Model.seeded(48), 24)

      expect(rows).toBeGreaterThan(20)
      expect(missed).toEqual([])
      expect(Tampering.found(yield* Verify.run(audit))).toEqual([])
    }),
  )

  it.live("run: finds a block's list of ledgers that was removed, changed or belongs to no stored block", () =>
    Effect.gen(function* () {
      const { audit, file } = yield* stored
      const reported = Effect.map(Verify.run(audit), (verified) => Tampering.found(verified).map(({ text }) => text))
      damage(file, "UPDATE ledger_block SET block = 90 WHERE block = 2")
      const moved = yield* reported
      damage(file, "UPDATE ledger_block SET block = 2, places = substr(places, 1, 22) WHERE block = 90")
      const changed = yield* reported

      expect(moved).toContain("the list of its ledgers is missing")
      expect(moved).toContain("the list of the ledgers of block 90 refers to a block that is not stored")
      expect(changed).toEqual(["the list of its ledgers does not match its checksum"])
    }),
  )

  it.live("removeOrphaned: removes the rows and lists that no block names, and leaves the others", () =>
    Effect.gen(function* () {
      const { audit, file } = yield* stored
      damage(
        file,
        "INSERT INTO ledger (wallet, id, body, checksum) SELECT wallet, id + 3 * 1048576 * 7, body, checksum FROM ledger WHERE id < 1048576",
        "INSERT INTO ledger_block VALUES (80, x'', 0)",
      )
      const { orphaned } = yield* Verify.run(audit)
      yield* Effect.flatMap(audit.repairer, ({ removeOrphaned }) => removeOrphaned(orphaned))
      const after = yield* Verify.run(audit)

      expect(orphaned.length).toBeGreaterThan(3)
      expect(Tampering.found(after)).toEqual([])
    }),
  )
})
