/**
 * The commands for operators who look after their data: `daybook verify`, `daybook reindex`, `daybook backup`. Results go to
 * standard output, one line each.
 */
import { quote } from "@daybook/schema/Issue"
import { randomUUID } from "node:crypto"
import { writeSync } from "node:fs"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Config from "../config/Config.ts"
import * as ConfigFile from "../config/ConfigFile.ts"
import * as ChainRunner from "../indexer/ChainRunner.ts"
import * as SqliteEngine from "../store/sqlite/SqliteEngine.ts"
import * as Repair from "../maintenance/Repair.ts"
import * as Reindex from "../maintenance/Reindex.ts"
import * as Verify from "../maintenance/Verify.ts"

const standardOutput = 1
const print = (line: string) => Effect.sync(() => writeSync(standardOutput, `${line}\n`))

/** What was asked for cannot be done; the message says why. */
class CannotMaintain extends Data.TaggedError("CannotMaintain")<{ readonly message: string }> {}

const config = Flag.String("config").pipe(
  Flag.withDescription("The configuration file, by default daybook.json; paths in it are relative to its folder"),
  Flag.withDefault("daybook.json"),
)

const chainFlag = (description: string) =>
  Flag.String("chain").pipe(Flag.withDescription(description), Flag.withMetavar("NAME"), Flag.atLeast(0))

const blockFlag = (description: string) =>
  Flag.String("from").pipe(Flag.withDescription(description), Flag.withMetavar("N"), Flag.optional)

/**
 * The block of `--from`; undefined where it is not given.
 */
export const blockOf = (
  given: Option.Option<string>,
  undone: string,
): Effect.Effect<number | undefined, CannotMaintain> => {
  const text = Option.getOrUndefined(given)
  if (text === undefined) return Effect.succeed(undefined)
  if (/^\d+$/.test(text) && Number.isSafeInteger(Number(text))) return Effect.succeed(Number(text))
  const message = `${undone}: "--from" is ${quote(text)}; accepted: a block number in decimal digits, 0 or more and at most ${Number.MAX_SAFE_INTEGER}.`
  return Effect.fail(new CannotMaintain({ message }))
}

const plain = (name: string) =>
  name
    .trim()
    .toLowerCase()
    .replace(/[\s_-]+/g, " ")

/** The chains that are meant, with their database. */
const open = Effect.fnUntraced(function* (path: string, named: ReadonlyArray<string>) {
  const { baseFolder, config } = yield* ConfigFile.read(path)
  const served = yield* Effect.fromResult(Config.servedChains(config))
  const isNamed = (name: string) => (chain: Config.ServedChain) =>
    [chain.key, chain.name].some((one) => plain(one) === plain(name))
  const unknown = named.find((name) => !served.some(isNamed(name)))
  if (unknown !== undefined) {
    const message = `No chain of the configuration is named ${quote(unknown)}; it has: ${served.map(({ key }) => key).join(", ")}.`
    return yield* new CannotMaintain({ message })
  }
  const chains = served.filter((chain) => named.length === 0 || named.some((name) => isNamed(name)(chain)))
  const database = yield* SqliteEngine.fromConfig(config.database, baseFolder)
  const owner = `maintenance ${randomUUID()}`
  const plans = chains.map((one) => ChainRunner.fromChain(one, { database: config.database, baseFolder, owner }))
  return { database, plans, owner }
})

const count = (number: number, noun: string) => `${number} ${noun}${number === 1 ? "" : "s"}`

const flawsShown = 50
const progressBlocks = 100_000

const verifyChain = Effect.fnUntraced(function* (
  database: SqliteEngine.SqliteEngine,
  plan: ChainRunner.ChainRunner,
  options: { readonly repair: boolean; readonly from: number | undefined },
) {
  const { chain, chainId } = plan
  const audit = yield* database.chainAudit(chain, chainId, options.repair ? "write" : "read")
  let told = 0
  const verified = yield* Verify.run(audit, {
    ...(options.from === undefined ? {} : { from: options.from }),
    onProgress: (number, head) => {
      if (number - told < progressBlocks) return Effect.void
      told = number
      return Effect.logInfo(`${chain}: looked at blocks up to ${number} of ${head}`)
    },
  })
  const { blocks, issues, strays, transactions } = verified
  for (const { block, what } of issues.slice(0, flawsShown)) {
    yield* print(`${chain}: ${block === null ? "the store" : `block ${block}`}: ${what}`)
  }
  if (issues.length > flawsShown) yield* print(`${chain}: and ${issues.length - flawsShown} more`)
  for (const { address, block, index } of strays.slice(0, flawsShown)) {
    yield* print(
      `${chain}: the history of ${address} names transaction ${index} of block ${block}, which is not stored`,
    )
  }
  const found = issues.length + strays.length
  const looked = `${count(blocks, "block")} and ${count(transactions, "transaction")} looked at`
  if (found === 0) {
    yield* print(`${chain}: ${looked}, no flaw`)
    return 0
  }
  yield* print(`${chain}: ${looked}, ${count(found, "flaw")}`)
  if (!options.repair) return found
  const { assembling, node } = yield* ChainRunner.source(plan)
  const mended = yield* Repair.run(audit, node, verified, { ...assembling, chain })
  for (const { block, why } of mended.failed) yield* print(`${chain}: block ${block} is not mended: ${why}`)
  yield* print(`${chain}: ${count(mended.blocks.length, "block")} fetched again, entries removed: ${mended.strays}`)
  const left = yield* Verify.run(audit)
  const remaining = left.issues.length + left.strays.length
  yield* print(`${chain}: ${remaining === 0 ? "no flaw is left" : `left: ${count(remaining, "flaw")}`}`)
  return remaining
}, Effect.scoped)

/** `daybook verify`: walks the stores; exit code 1 when a flaw is left. */
export const verify = Command.make(
  "verify",
  {
    config,
    chain: chainFlag("Name of the chain, as in the configuration; may be repeated; by default all chains"),
    repair: Flag.Boolean("mend").pipe(
      Flag.withDescription("Fetch blocks with a flaw again from the node and put them right"),
      Flag.withDefault(false),
    ),
    from: blockFlag("First block to look at, a number of 0 or more"),
  },
  Effect.fn(function* ({ chain, config: path, from: given, repair }) {
    const from = yield* blockOf(given, "Nothing is verified")
    const { database, plans } = yield* open(path, chain)
    let left = 0
    for (const plan of plans) {
      left += yield* verifyChain(database, plan, { repair, from })
    }
    if (left > 0) {
      const message = repair
        ? `Not mended: ${count(left, "flaw")}.`
        : `${count(left, "flaw")}; "daybook verify --mend" mends.`
      return yield* new CannotMaintain({ message })
    }
  }),
).pipe(
  Command.withDescription("Walk the stores and check links, counts, documents and histories; may run beside serve"),
)

/** `daybook reindex`: removes blocks, which the indexer then fetches again. */
export const reindex = Command.make(
  "reindex",
  {
    config,
    chain: chainFlag("Name of the chain, as in the configuration; may be repeated; needed where there are several"),
    allChains: Flag.Boolean("all-chains").pipe(
      Flag.withDescription("Do it to every chain of the configuration"),
      Flag.withDefault(false),
    ),
    from: blockFlag("First block to fetch again, a number of 0 or more"),
    all: Flag.Boolean("all").pipe(
      Flag.withDescription("Fetch every block again: the whole index is removed"),
      Flag.withDefault(false),
    ),
  },
  Effect.fn(function* ({ all, allChains, chain, config: path, from: given }) {
    const first = yield* blockOf(given, "Nothing is removed")
    if (all === (first !== undefined)) {
      const message = all
        ? 'Both "--from" and "--all" are given: give one of them.'
        : 'Nothing is removed: say "--from N" for the blocks from N on, or "--all" for the whole index.'
      return yield* new CannotMaintain({ message })
    }
    if (allChains && chain.length > 0) {
      const message = 'Both "--chain" and "--all-chains" are given: give one of them.'
      return yield* new CannotMaintain({ message })
    }
    const { database, owner, plans } = yield* open(path, chain)
    if (plans.length > 1 && chain.length === 0 && !allChains) {
      const names = plans.map((plan) => plan.chain).join(", ")
      const message = `Nothing is removed: the configuration has several chains (${names}): say which with "--chain NAME", or "--all-chains".`
      return yield* new CannotMaintain({ message })
    }
    const from = first ?? 0
    for (const plan of plans) {
      const store = yield* database.chainStore(plan.chain, plan.chainId, "write")
      const { blocks, head } = yield* Reindex.run(store, { chain: plan.chain, owner, from })
      const left = head === null ? "nothing is left" : `block ${head.number} is the last`
      yield* print(
        `${plan.chain}: ${count(blocks, "block")} removed, ${left}; "daybook serve" fetches the others again`,
      )
    }
  }, Effect.scoped),
).pipe(
  Command.withDescription("Remove blocks from the index, so that the next serve fetches them again; stop serve first"),
)

/** `daybook backup`: copies the database while it is in use. */
export const backup = Command.make(
  "backup",
  {
    config,
    folder: Argument.String("folder").pipe(Argument.withDescription("A folder for the copies; it is made")),
  },
  Effect.fn(function* ({ config: path, folder }) {
    const { database, plans } = yield* open(path, [])
    const copies = yield* database.backup(
      plans.map(({ chain }) => chain),
      folder,
    )
    for (const { bytes, file } of copies) yield* print(`${file}\t${bytes} bytes`)
  }),
).pipe(Command.withDescription('Copy the database while it is in use; to restore, name the folder as "database"'))
