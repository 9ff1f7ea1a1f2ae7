/** Changes single rows of the ledgers in a store, and verifies the store after each change. */
import { join } from "node:path"
import { Effect } from "effect"
import { Anvil, Scenario } from "@daybook/chain"
import * as Verify from "../../src/maintenance/Verify.ts"
import * as Campaign from "../campaign/Campaign.ts"
import { caughtUp, start } from "../indexer/chain.ts"
import * as Model from "../store/model.ts"
import * as Connection from "../../src/store/sqlite/Connection.ts"
import { temporaryFolder } from "../store/temporaryFolder.ts"
import * as TestStore from "../store/TestStore.ts"
import * as Tampering from "./tampering.ts"

Campaign.main({
  name: "tamper",
  about:
    "Removes, duplicates or changes single ledger rows in the store of a scenario chain, and verifies the store after each change. Fails if a change is not reported at its position.",
  seeds: 1,
  options: { changes: [1_000, "changes per seed"] },
  plan: Effect.fnUntraced(function* ({ changes }, { print }, seeds) {
    const folder = yield* temporaryFolder
    const node = yield* Anvil.make()
    const { lastBlock } = yield* Scenario.run(node, { blobs: false, blocks: 25 })
    yield* Effect.scoped(
      Effect.gen(function* () {
        const indexer = yield* start(yield* TestStore.inFolder(folder), [node.url])
        yield* indexer.until(caughtUp(lastBlock))
        yield* indexer.stop
      }),
    )
    const store = yield* TestStore.inFolder(folder)
    const { audit } = store.database.chain(store.ref)
    const connection = yield* Connection.connect({ file: join(folder, "chain-test.sqlite"), readOnly: false })
    return {
      columns: ["changes", "rows", "blocks", "changes", "reported at its position"],
      cases: Campaign.ofSeeds(
        seeds,
        Effect.fnUntraced(function* (seed, { fail }, size) {
          const { kinds, missed, rows } = yield* Tampering.run(connection, audit, Model.seeded(seed), size)
          const left = Tampering.found(yield* Verify.run(audit)).length
          for (const [name, count] of [...kinds].toSorted(([, one], [, other]) => other - one))
            print(`${count} ${name}`)
          for (const one of missed) fail(`not reported at its position: ${JSON.stringify(one)}`)
          if (left > 0) fail(`${left} issues after the last change was reverted`)
          return [rows, lastBlock + 1, size, size - missed.length]
        }),
        ["changes", changes],
      ),
    }
  }),
})
