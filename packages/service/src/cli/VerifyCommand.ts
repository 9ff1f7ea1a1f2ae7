/**
 * `daybook verify` checks what is stored for each chain; `daybook repair` also refetches blocks with issues from the node.
 */
import type { InvalidOption } from "@daybook/transport/ClientError"
import * as Endpoint from "@daybook/transport/Endpoint"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as BlockSource from "../indexer/job/BlockSource.ts"
import type { ChainJob } from "../indexer/job/ChainJob.ts"
import * as FillGaps from "../fetch/FillGaps.ts"
import * as Repair from "../maintenance/Repair.ts"
import * as TraceComparison from "../maintenance/TraceComparison.ts"
import * as IntegrityIssue from "../maintenance/IntegrityIssue.ts"
import * as Verify from "../maintenance/Verify.ts"
import * as VerifyAgainstNode from "../maintenance/VerifyAgainstNode.ts"
import type { Audit } from "../store/Audit.ts"
import type { ChainStore, Database } from "../store/Database.ts"
import type { StoreError } from "../store/StoreError.ts"
import { CommandError, invalidOption } from "./CommandError.ts"
import * as Selection from "./Selection.ts"
import * as Terminal from "./Terminal.ts"

const { count } = Terminal

const issuesShown = 50
const progressBlocks = 100_000

const total = ({ issues, orphaned, removable }: Verify.Verified): number =>
  issues.length + orphaned.length + removable.length

const logProgress = (chain: string) => {
  let logged = 0
  return (number: number, head: number): Effect.Effect<void> => {
    if (number - logged < progressBlocks) return Effect.void
    logged = number
    return Effect.logInfo(`${chain}: verified blocks up to ${number} of ${head}`)
  }
}

const printIssues = Effect.fnUntraced(function* (chain: string, verified: Verify.Verified) {
  const { blocks, issues, orphaned, removable, transactions } = verified
  for (const { block, what } of issues.slice(0, issuesShown)) {
    yield* Terminal.print(`${chain}: ${block === null ? "the store" : `block ${block}`}: ${what}`)
  }
  if (issues.length > issuesShown) yield* Terminal.print(`${chain}: and ${issues.length - issuesShown} more`)
  for (const appearance of orphaned.slice(0, issuesShown)) {
    yield* Terminal.print(`${chain}: ${IntegrityIssue.ofOrphan(appearance)}`)
  }
  for (const { what } of removable.slice(0, issuesShown)) yield* Terminal.print(`${chain}: ${what}`)
  const found = total(verified)
  const verifiedRows = `verified ${count(blocks, "block")} and ${count(transactions, "transaction")}`
  yield* Terminal.print(`${chain}: ${verifiedRows}: ${found === 0 ? "no issues" : count(found, "issue")}`)
})

const parseSample = (given: Option.Option<number>): Effect.Effect<number | undefined, CommandError> => {
  const sample = Option.getOrUndefined(given)
  if (sample === undefined || sample >= 1) return Effect.succeed(sample)
  return Effect.fail(invalidOption("--sample", "a number of blocks of at least 1", `${sample}`))
}

/** Blocks to compare with a node; `null` for none. */
type Comparison = { readonly sample: number | undefined } | null

interface Options {
  readonly repair: boolean
  readonly from: number | undefined
  /** Last block whose gaps are to be filled. */
  readonly to?: number | undefined
  /** URL of the node to fetch from, instead of the configured nodes. */
  readonly node?: string | undefined
  readonly comparison: Comparison
}

const failuresShown = 5

const printComparison = Effect.fnUntraced(function* (
  chain: string,
  compared: VerifyAgainstNode.Compared,
  isSample: boolean,
) {
  const { blocks, failed, issues, ofBlocks, transactions, unwatched } = compared
  for (const { block, why } of failed.slice(0, failuresShown)) {
    yield* Terminal.print(`${chain}: block ${block} not compared: ${why}`)
  }
  if (unwatched > 0) {
    const belong = unwatched === 1 ? "belongs" : "belong"
    yield* Terminal.print(
      `${chain}: ${count(unwatched, "transaction")} ${belong} to wallets no longer in "watch"; not compared.`,
    )
  }
  const untraced = TraceComparison.format(compared.untraced)
  if (untraced !== null) yield* Terminal.print(`${chain}: ${untraced}`)
  const rows = `${blocks} of ${count(ofBlocks, "block")} and ${count(transactions, "transaction")}`
  const outcome = issues.length === 0 ? "no differences" : count(issues.length, "difference")
  const what = isSample ? `only a sample, ${rows},` : rows
  yield* Terminal.print(`${chain}: compared ${what} with the node: ${outcome}`)
})

/** Adds differences from the node to the issues of the store itself. */
const compareChain = Effect.fnUntraced(function* (
  audit: Audit,
  job: ChainJob,
  { from, sample }: { readonly from: number | undefined; readonly sample: number | undefined },
) {
  const { chain } = job
  const { assembling, node } = yield* BlockSource.make(job)
  const compared = yield* VerifyAgainstNode.run(audit, node, {
    assembling,
    from,
    sample,
    onProgress: logProgress(chain),
  })
  yield* printComparison(chain, compared, sample !== undefined && sample < compared.ofBlocks)
  return compared
})

/** Verifies a chain by itself and, if requested, against a node. */
const findIssues = Effect.fnUntraced(function* (audit: Audit, job: ChainJob, { comparison, from }: Options) {
  const { chain } = job
  const verified = yield* Verify.run(audit, {
    from,
    onProgress: logProgress(chain),
  })
  if (comparison === null) return { verified, notCompared: 0 }
  const compared = yield* compareChain(audit, job, { from, sample: comparison.sample })
  const known = new Set(verified.issues.map(({ block }) => block))
  const differences = compared.issues.filter(({ block }) => !known.has(block))
  return {
    verified: { ...verified, issues: [...verified.issues, ...differences] },
    notCompared: compared.failed.length,
  }
})

/** Remaining issues of a chain, and blocks that could not be compared. */
interface Left {
  readonly issues: number
  readonly notCompared: number
}

/** Nodes to fetch from: the given one, or else those of the configuration. */
const sourceOf = (job: ChainJob, { node }: Options) =>
  node === undefined ? BlockSource.make(job) : BlockSource.make(job, [node])

/** Fills the gaps of a chain. */
const fillGaps = Effect.fnUntraced(function* (
  store: ChainStore,
  job: ChainJob,
  options: Options,
): Effect.fn.Return<void, StoreError | InvalidOption | CommandError, Scope.Scope> {
  const { chain } = job
  const { from, to } = options
  if ((yield* FillGaps.nextOf(store.reader, from ?? 0, to ?? Number.MAX_SAFE_INTEGER)) === null) return
  const { assembling, node } = yield* sourceOf(job, options)
  const { failed, filled, remaining } = yield* FillGaps.run(store, node, {
    assembling,
    from,
    to,
  })
  for (const { block, why } of failed) yield* Terminal.print(`${chain}: gap in block ${block} not filled: ${why}`)
  yield* Terminal.print(`${chain}: ${count(filled, "gap")} filled, ${count(remaining, "gap")} left`)
})

/** Repairs the issues and verifies again. */
const repairChain = Effect.fnUntraced(function* (
  audit: Audit,
  job: ChainJob,
  verified: Verify.Verified,
  options: Options,
): Effect.fn.Return<Left, StoreError | InvalidOption | CommandError, Scope.Scope> {
  const { chain } = job
  const { assembling, node } = yield* sourceOf(job, options)
  const repaired = yield* Repair.run(audit, node, verified, { ...assembling, chain })
  for (const { block, why } of repaired.failed) yield* Terminal.print(`${chain}: block ${block} not repaired: ${why}`)
  const fetched = `${count(repaired.blocks.length, "block")} fetched again`
  const removed = `${count(repaired.orphaned, "orphaned entry", "orphaned entries")} removed`
  const others = repaired.removed === 0 ? "" : `, ${count(repaired.removed, "other row")} removed`
  yield* Terminal.print(`${chain}: ${fetched}, ${removed}${others}`)
  const { notCompared, verified: after } = yield* findIssues(audit, job, options)
  const issues = total(after)
  yield* Terminal.print(`${chain}: ${issues === 0 ? "no issues remain" : `${count(issues, "issue")} remain`}`)
  return { issues, notCompared }
})

const verifyChain = Effect.fnUntraced(function* (database: Database, job: ChainJob, options: Options) {
  const { chain, chainId, config } = job
  const store = database.chain({ name: chain, id: chainId, feeRules: config.feeRules })
  const { audit } = store
  const { notCompared, verified } = yield* findIssues(audit, job, options)
  yield* printIssues(chain, verified)
  const issues = total(verified)
  if (options.repair) yield* fillGaps(store, job, options)
  const left =
    options.repair && issues > 0 ? yield* repairChain(audit, job, verified, options) : { issues, notCompared }
  return { ...left, blocks: verified.blocks }
}, Effect.scoped)

const flags = {
  config: Selection.configFlag,
  chain: Selection.chainFlag("Name of a chain in the configuration; may be repeated; by default all chains"),
  from: Selection.blockFlag("First block to verify"),
}

const messageOf = ({ issues, notCompared }: Left, isRepaired: boolean): string => {
  const missed = notCompared === 0 ? "" : ` Not compared with a node: ${count(notCompared, "block")}.`
  if (issues === 0) return missed.trim()
  return isRepaired
    ? `Not repaired: ${count(issues, "issue")}.${missed}`
    : `Found ${count(issues, "issue")}. Run "daybook repair" to fetch those blocks again.${missed}`
}

const run = Effect.fnUntraced(function* (
  given: { readonly config: string; readonly chain: ReadonlyArray<string> },
  options: Options,
) {
  const { database, jobs } = yield* Selection.open(given.config, given.chain)
  const left = { issues: 0, notCompared: 0 }
  let blocks = 0
  for (const job of jobs) {
    const ofChain = yield* verifyChain(database, job, options)
    left.issues += ofChain.issues
    left.notCompared += ofChain.notCompared
    blocks += ofChain.blocks
  }
  if (left.issues + left.notCompared > 0) return yield* new CommandError({ message: messageOf(left, options.repair) })
  if (blocks === 0 && options.from !== undefined) {
    return yield* new CommandError({
      message: `No blocks verified: the index has none from block ${options.from} onwards.`,
    })
  }
}, Effect.scoped)

/** `daybook verify`: exits with code 1 if an issue remains. */
export const verify = Command.make(
  "verify",
  {
    ...flags,
    repair: Flag.Boolean("repair").pipe(
      Flag.withDescription("Also repair the issues found, as daybook repair does"),
      Flag.withDefault(false),
    ),
    againstNode: Flag.Boolean("against-node").pipe(
      Flag.withDescription(
        "Also fetch the blocks from a node again and compare them with what is stored: all, without --sample",
      ),
      Flag.withDefault(false),
    ),
    sample: Flag.Int("sample").pipe(
      Flag.withDescription(
        "Compare only this number of blocks with the node, spread over the index; implies --against-node",
      ),
      Flag.withMetavar("N"),
      Flag.optional,
    ),
  },
  Effect.fn(function* ({ againstNode, from, repair, sample, ...given }) {
    const blocks = yield* parseSample(sample)
    const comparison = againstNode || blocks !== undefined ? { sample: blocks } : null
    yield* run(given, { repair, comparison, from: yield* Selection.parseBlock(from) })
  }),
)

/** `daybook repair`: exits with code 1 if an issue remains. */
export const repair = Command.make(
  "repair",
  {
    ...flags,
    to: Selection.blockFlag("Last block whose gaps are filled", "to"),
    node: Flag.String("node").pipe(
      Flag.withDescription("URL of the node to fetch from, instead of the configured ones"),
      Flag.withMetavar("URL"),
      Flag.optional,
    ),
  },
  Effect.fn(function* ({ from: givenFrom, node: givenNode, to: givenTo, ...given }) {
    const from = yield* Selection.parseBlock(givenFrom)
    const to = yield* Selection.parseBlock(givenTo, "to")
    if (from !== undefined && to !== undefined && to < from) {
      return yield* invalidOption("--to", `at least the block of --from, ${from}`, String(to))
    }
    const node = Option.getOrUndefined(givenNode)
    if (node !== undefined) yield* Endpoint.make({ url: node, option: "--node" })
    yield* run(given, { repair: true, comparison: null, node, from, to })
  }),
)
