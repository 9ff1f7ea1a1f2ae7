/**
 * Tampers with one row of the ledgers after another in the store of a scenario chain, verifies the store each time, and prints how many
 * changes were found, and where: `pnpm --filter @daybook/service tamper [cases] [seed]`, by default 1,000 cases.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"
import { Anvil, Scenario } from "@daybook/chain"
import * as Verify from "../../src/maintenance/Verify.ts"
import { caughtUp, start } from "../indexer/chain.ts"
import * as Model from "../store/model.ts"
import * as Connection from "../../src/store/sqlite/Connection.ts"
import * as TestStore from "../store/TestStore.ts"
import * as Tampering from "./tampering.ts"

const [cases = 1_000, seed = 1] = process.argv.slice(2).map(Number)
const print = (line: string) => void process.stdout.write(`${line}\n`)
const folder = mkdtempSync(join(tmpdir(), "daybook-tamper-"))

const program = Effect.gen(function* () {
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
  const began = performance.now()
  const { kinds, missed, rows } = yield* Tampering.run(connection, audit, Model.seeded(seed), cases)
  const seconds = ((performance.now() - began) / 1000).toFixed(0)
  const left = Tampering.found(yield* Verify.run(audit)).length
  print(`${rows} rows of ${lastBlock + 1} blocks, ${cases} cases, seed ${seed}, ${seconds} s`)
  for (const [name, count] of [...kinds].toSorted(([, one], [, other]) => other - one)) print(`${count} ${name}`)
  for (const one of missed) print(`not found or not located: ${JSON.stringify(one)}`)
  print(`${cases - missed.length} of ${cases} found and located; ${left} issues after the last was reverted`)
  if (missed.length > 0 || left > 0) process.exitCode = 1
})

await Effect.runPromise(Effect.scoped(program)).finally(() => rmSync(folder, { recursive: true, force: true }))
