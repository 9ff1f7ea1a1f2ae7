/**
 * `daybook reindex`: removes blocks from the index, so that the indexer fetches them again.
 */
import * as Effect from "effect/Effect"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Reindex from "../maintenance/Reindex.ts"
import { CommandError } from "./CommandError.ts"
import * as Selection from "./Selection.ts"
import * as Terminal from "./Terminal.ts"

const reject = (message: string) => new CommandError({ message: `${message} Nothing was removed.`, isUsage: true })

const flags = {
  config: Selection.configFlag,
  chain: Selection.chainFlag("Name of a chain in the configuration; may be repeated; required if there are several"),
  allChains: Flag.Boolean("all-chains").pipe(
    Flag.withDescription("Select every chain of the configuration"),
    Flag.withDefault(false),
  ),
  from: Selection.blockFlag("First block to remove and fetch again"),
  all: Flag.Boolean("all").pipe(Flag.withDescription("Remove the whole index"), Flag.withDefault(false)),
}

/** `daybook reindex`. */
export const reindex = Command.make(
  "reindex",
  flags,
  Effect.fn(function* ({ all, allChains, chain, config: path, from: given }) {
    const first = yield* Selection.parseBlock(given)
    if (all && first !== undefined) return yield* reject('Both "--from" and "--all" are given. Give one of them.')
    if (!all && first === undefined) {
      return yield* reject(
        'Neither "--from N" (blocks from N) nor "--all" (the whole index) is given. Give one of them.',
      )
    }
    if (allChains && chain.length > 0) {
      return yield* reject('Both "--chain" and "--all-chains" are given. Give one of them.')
    }
    const { database, owner, jobs } = yield* Selection.open(path, chain)
    if (jobs.length > 1 && chain.length === 0 && !allChains) {
      const names = jobs.map((job) => job.chain).join(", ")
      return yield* reject(
        `The configuration has several chains: ${names}. Select some with "--chain NAME", or all with "--all-chains".`,
      )
    }
    for (const job of jobs) {
      const ref = { name: job.chain, id: job.chainId }
      const { blocks, head } = yield* Reindex.run(database, { chain: ref, owner, from: first ?? 0 })
      const left = head === null ? "the index is empty" : `the last block is ${head.number}`
      if (blocks === 0) {
        yield* Terminal.print(`${job.chain}: Nothing to remove: ${left}.`)
        continue
      }
      const removed = `${Terminal.count(blocks, "block")} removed, ${left}`
      yield* Terminal.print(
        `${job.chain}: ${removed}. The next "daybook serve" fetches them again. The file keeps its size.`,
      )
    }
  }, Effect.scoped),
)
