/**
 * `daybook compact`: returns the free space of the database to the disk.
 */
import * as Effect from "effect/Effect"
import * as Command from "effect/cli/Command"
import * as Compact from "../maintenance/Compact.ts"
import * as Selection from "./Selection.ts"
import * as Terminal from "./Terminal.ts"

const mebibytes = (bytes: number): string => `${(bytes / 1024 / 1024).toFixed(1)} MiB`

/** `daybook compact`. */
export const compact = Command.make(
  "compact",
  {
    config: Selection.configFlag,
    chain: Selection.chainFlag("Name of a chain in the configuration; may be repeated; by default all chains"),
  },
  Effect.fn(function* ({ chain, config: path }) {
    const { database, jobs } = yield* Selection.open(path, chain)
    for (const job of jobs) {
      const ref = { name: job.chain, id: job.chainId }
      const { after, before } = yield* Compact.run(database, { chain: ref })
      yield* Terminal.print(`${job.chain}: ${mebibytes(before.bytes)} before, ${mebibytes(after.bytes)} after`)
    }
  }, Effect.scoped),
)
