/** Indexes a chain in a folder until all searches of the past are complete. Arguments: folder, URL of the node, configured wallets. */
import { Effect, Exit } from "effect"
import { Eventually } from "@daybook/harness"
import { start } from "../indexer/chain.ts"
import * as TestStore from "../store/TestStore.ts"
import { isSearching, searchCallsPerMinute } from "./Watch.ts"

const [folder = "", url = "", wallets = ""] = process.argv.slice(2)

const program = Effect.gen(function* () {
  const store = yield* TestStore.inFolder(folder)
  yield* start(store, [url], { watch: new Set(wallets.split(",")), searchCallsPerMinute })
  const isDone = Effect.map(isSearching(store), (is) => !is)
  yield* Eventually.untilEffect(isDone, { everyMillis: 50, withinMillis: 600_000, what: "the end of the search" })
})

const exit = await Effect.runPromiseExit(Effect.scoped(program))
process.exit(Exit.isSuccess(exit) ? 0 : 1)
