/**
 * `daybook verify` checks what is stored of each chain; `daybook repair` also fetches the blocks with an issue again from the node.
 */
import * as Effect from "effect/Effect"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as BlockSource from "../indexer/BlockSource.ts"
import type { ChainJob } from "../indexer/ChainJob.ts"
import * as Repair from "../maintenance/Repair.ts"
import * as Verify from "../maintenance/Verify.ts"
import type { Audit } from "../store/Audit.ts"
import type { Database } from "../store/Database.ts"
import { CommandError } from "./CommandError.ts"
import * as Selection from "./Selection.ts"
import * as Terminal from "./Terminal.ts"

const { count } = Terminal

const issuesShown = 50
const progressBlocks = 100_000

const total = ({ issues, orphaned }: Verify.Verified): number => issues.length + orphaned.length

const logProgress = (chain: string) => {
  let logged = 0
  return (number: number, head: number): Effect.Effect<void> => {
    if (number - logged < progressBlocks) return Effect.void
    logged = number
    return Effect.logInfo(`${chain}: verified blocks up to ${number} of ${head}`)
  }
}

const printIssues = Effect.fnUntraced(function* (chain: string, verified: Verify.Verified) {
  const { blocks, issues, orphaned, transactions } = verified
  for (const { block, what } of issues.slice(0, issuesShown)) {
    yield* Terminal.print(`${chain}: ${block === null ? "the store" : `block ${block}`}: ${what}`)
  }
  if (issues.length > issuesShown) yield* Terminal.print(`${chain}: and ${issues.length - issuesShown} more`)
  for (const { block, index, key } of orphaned.slice(0, issuesShown)) {
    const where = `transaction ${index} of block ${block}`
    yield* Terminal.print(`${chain}: the history of ${key} refers to ${where}, which is not stored`)
  }
  const found = total(verified)
  const verifiedRows = `verified ${count(blocks, "block")} and ${count(transactions, "transaction")}`
  yield* Terminal.print(`${chain}: ${verifiedRows}: ${found === 0 ? "no issues" : count(found, "issue")}`)
})

/** Repairs what was found and verifies again; gives the number of issues that remain. */
const repairChain = Effect.fnUntraced(function* (audit: Audit, job: ChainJob, verified: Verify.Verified) {
  const { chain } = job
  const { assembling, node } = yield* BlockSource.make(job)
  const repaired = yield* Repair.run(audit, node, verified, { ...assembling, chain })
  for (const { block, why } of repaired.failed) yield* Terminal.print(`${chain}: block ${block} not repaired: ${why}`)
  const fetched = `${count(repaired.blocks.length, "block")} fetched again`
  const removed = `${count(repaired.orphaned, "orphaned entry", "orphaned entries")} removed`
  yield* Terminal.print(`${chain}: ${fetched}, ${removed}`)
  const remaining = total(yield* Verify.run(audit))
  yield* Terminal.print(`${chain}: ${remaining === 0 ? "no issues remain" : `${count(remaining, "issue")} remain`}`)
  return remaining
})

const verifyChain = Effect.fnUntraced(function* (
  database: Database,
  job: ChainJob,
  options: { readonly repair: boolean; readonly from: number | undefined },
) {
  const { chain, chainId } = job
  const { audit } = database.chain({ name: chain, id: chainId })
  const verified = yield* Verify.run(audit, {
    ...(options.from === undefined ? {} : { from: options.from }),
    onProgress: logProgress(chain),
  })
  yield* printIssues(chain, verified)
  return options.repair && total(verified) > 0 ? yield* repairChain(audit, job, verified) : total(verified)
}, Effect.scoped)

const flags = {
  config: Selection.configFlag,
  chain: Selection.chainFlag("Name of a chain in the configuration; may be repeated; by default all chains"),
  from: Selection.blockFlag("First block to verify"),
}

const run = Effect.fnUntraced(function* (
  given: { readonly config: string; readonly chain: ReadonlyArray<string> },
  options: { readonly repair: boolean; readonly from: number | undefined },
) {
  const { database, jobs } = yield* Selection.open(given.config, given.chain)
  let left = 0
  for (const job of jobs) left += yield* verifyChain(database, job, options)
  if (left === 0) return
  const message = options.repair
    ? `Not repaired: ${count(left, "issue")}.`
    : `Found ${count(left, "issue")}. Run "daybook repair" to fetch those blocks again.`
  return yield* new CommandError({ message })
}, Effect.scoped)

/** `daybook verify`: exit code 1 when an issue remains. */
export const verify = Command.make(
  "verify",
  {
    ...flags,
    repair: Flag.Boolean("repair").pipe(
      Flag.withDescription("Also repair what is found, as daybook repair does"),
      Flag.withDefault(false),
    ),
  },
  Effect.fn(function* ({ from, repair, ...given }) {
    yield* run(given, { repair, from: yield* Selection.parseBlock(from) })
  }),
).pipe(
  Command.withDescription("Check the links, counts, documents and histories of the database; may run beside serve"),
)

/** `daybook repair`: exit code 1 when an issue remains. */
export const repair = Command.make(
  "repair",
  flags,
  Effect.fn(function* ({ from, ...given }) {
    yield* run(given, { repair: true, from: yield* Selection.parseBlock(from) })
  }),
).pipe(Command.withDescription("Verify the database and fetch the blocks with an issue again from the node"))
