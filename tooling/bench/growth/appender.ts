/**
 * Appends blocks to a store at a steady rate in its own process, as an indexer does. Prints the milliseconds of each append, and ends on
 * SIGTERM. Arguments: folder, transactions so far, transactions per second, form of documents, blocks of the recorded chain.
 */
import { setTimeout as sleep } from "node:timers/promises"
import { Effect } from "effect"
import type { BlockRows } from "../../../packages/service/src/block/BlockRows.ts"
import * as FilledStore from "./FilledStore.ts"
import * as GeneratedRows from "./GeneratedRows.ts"
import * as LeasedStore from "./LeasedStore.ts"
import * as RecordedRows from "./RecordedRows.ts"

const [folder = "", before = "0", perSecond = "1000", form, blocks = "1000"] = process.argv.slice(2)
const documents = form === "plain" ? "plain" : "zstd"
const appendsPerSecond = 5

let isStopping = false
process.on("SIGTERM", () => (isStopping = true))

const nextBlock = GeneratedRows.make(await RecordedRows.load(Number(blocks)))

const run = Effect.gen(function* () {
  const store = yield* LeasedStore.open(folder, { documents })
  const checkpoint = yield* store.reader.snapshot((snapshot) => snapshot.checkpoint)
  let serial = Number(before)
  // A stored header is sufficient as a parent: only its number and hash are read.
  let head = checkpoint!.head as BlockRows
  let dueAt = performance.now()
  while (!isStopping) {
    const batch: Array<BlockRows> = []
    const end = serial + Number(perSecond) / appendsPerSecond
    while (serial < end) {
      const block = nextBlock(batch.at(-1) ?? head, serial)
      batch.push(block)
      serial += block.transactions.length
    }
    const millis = yield* FilledStore.timed(store.append({ number: head.number, hash: head.hash }, batch))
    console.log(millis.toFixed(2))
    head = batch.at(-1)!
    dueAt = Math.max(dueAt + 1000 / appendsPerSecond, performance.now())
    yield* Effect.promise(() => sleep(dueAt - performance.now()))
  }
})

await Effect.runPromise(Effect.scoped(run))
