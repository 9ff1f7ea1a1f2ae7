/** Fills a store with generated rows by this checkout: `node fillPresent.ts <folder> <transactions>`; the file is that of `LeasedStore`. */
import { Effect } from "effect"
import * as FilledStore from "../growth/FilledStore.ts"
import * as GeneratedRows from "../growth/GeneratedRows.ts"
import * as LeasedStore from "../growth/LeasedStore.ts"
import * as RecordedRows from "../growth/RecordedRows.ts"

const [folder = "", wanted = "0"] = process.argv.slice(2)
const nextBlock = GeneratedRows.make(await RecordedRows.load())
const { transactions } = await Effect.runPromise(
  Effect.scoped(
    Effect.flatMap(LeasedStore.open(folder), (store) =>
      FilledStore.fill(store, nextBlock, (transactions) => transactions >= Number(wanted)),
    ),
  ),
)
console.log(JSON.stringify({ transactions }))
