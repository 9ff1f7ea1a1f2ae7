/**
 * `daybook watch`: lists the wallets of an index of watched wallets, with the indexed blocks of each and how far it is proved; adds and
 * removes wallets while the indexer runs.
 *
 * Source: decision 0055.
 */
import * as Effect from "effect/Effect"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import { visibleLine } from "@daybook/schema/VisibleText"
import * as ChainJob from "../indexer/job/ChainJob.ts"
import * as Throughput from "../indexer/Throughput.ts"
import { shellWord } from "../supervision/ShellWord.ts"
import * as Proof from "../proof/Proof.ts"
import { isProved, type WalletProof } from "../store/Proofs.ts"
import type { Checkpoint } from "../block/BlockRows.ts"
import type { Database } from "../store/Database.ts"
import type { IndexerStatus, PastProgress } from "../store/StatusBoard.ts"
import * as WatchList from "../store/WatchList.ts"
import { CommandError } from "./CommandError.ts"
import * as Selection from "./Selection.ts"
import * as Terminal from "./Terminal.ts"
import * as WalletFlags from "./WalletFlags.ts"

/** A watched wallet. */
interface Watched {
  readonly address: string
  readonly chain: string
  /** First block from which all of its transactions are indexed, and last indexed block; `null` if nothing is indexed. */
  readonly indexed: { readonly from: number; readonly to: number } | null
  /** Last block up to which its past is searched, and whether the search is still running; `null` if it was not added later. */
  readonly search: {
    readonly to: number | null
    readonly end: number
    readonly isRunning: boolean
    /** Progress of the running search; `null` for none. */
    readonly progress: PastProgress | null
  } | null
  /** Last comparison with the chain; `null` for none. */
  readonly proof: WalletProof | null
}

const differencesOf = ({ holdings }: WalletProof): number =>
  holdings.filter(({ expected, found }) => !Proof.isEqual(expected, found)).length

const toJson = ({ address, chain, indexed, proof, search }: Watched) => ({
  address,
  chain,
  indexed,
  searched_to: search?.to ?? null,
  calls_left: search?.progress?.callsLeft ?? null,
  millis_left: search?.progress?.etaMillis ?? null,
  search_issue: search?.progress?.issue ?? null,
  proved_to: proof?.provedBlock ?? null,
  compared_at: proof?.block.number ?? null,
  differences: proof === null ? null : differencesOf(proof),
  not_checked: proof?.unchecked ?? [],
})

const formatProof = (proof: WalletProof | null): string => {
  if (proof === null) return "not compared with the chain yet"
  if (isProved(proof)) return `proved at block ${proof.block.number}`
  const before = proof.provedBlock === null ? "" : `, proved at block ${proof.provedBlock}`
  const unchecked = proof.unchecked.length === 0 ? "" : `, ${proof.unchecked.length} not checked`
  return `${Terminal.count(differencesOf(proof), "difference")} at block ${proof.block.number}${unchecked}${before}`
}

const formatRange = (indexed: Watched["indexed"]): string => {
  if (indexed === null) return "nothing indexed"
  const { from, to } = indexed
  return from > to ? `indexed from block ${from} on` : `indexed ${from} to ${to}`
}

const formatSearch = (search: Watched["search"]): string => {
  if (search === null) return ""
  const { end, isRunning, progress, to } = search
  if (!isRunning) return `, found by a search up to block ${end}, which does not find calls of value 0 by others`
  const reached = to === null ? ", its past is not searched yet" : `, its past is searched up to block ${to} of ${end}`
  if (progress === null) return reached
  const { callsLeft, etaMillis, issue } = progress
  const time = etaMillis === undefined ? "" : ` (${Throughput.formatMillis(etaMillis)})`
  const why = issue === undefined ? "" : `, stalled: ${visibleLine(issue)}`
  return `${reached}, at least ${callsLeft} calls left${time}${why}`
}

const toText = ({ address, chain, indexed, proof, search }: Watched): string =>
  `${address} on ${chain}: ${formatRange(indexed)}${formatSearch(search)}, ${formatProof(proof)}`

const searchOf = (checkpoint: Checkpoint, wallet: string, status: IndexerStatus | null): Watched["search"] => {
  const from = WatchList.completeFrom(checkpoint, wallet)
  if (from <= checkpoint.first) return null
  const [to, isRunning] = [WatchList.searchedTo(checkpoint, wallet), WatchList.isSearching(checkpoint, wallet)]
  const { past } = status ?? {}
  return { to, end: from - 1, isRunning, progress: past?.wallets.includes(wallet) === true ? past : null }
}

const everyWallet = (chain: string): string => `${chain}: every wallet is indexed`

const list = Command.make(
  "list",
  {
    config: Selection.configFlag,
    chain: Selection.chainFlag("Name of a chain in the configuration; may be repeated; by default all chains"),
    json: Flag.Boolean("json").pipe(Flag.withDescription("Print one JSON object per wallet"), Flag.withDefault(false)),
  },
  Effect.fn(function* ({ chain: names, config, json }) {
    const { database, jobs } = yield* Selection.open(config, names)
    for (const job of jobs) {
      const { chain, chainId } = job
      const configured = ChainJob.watchedWallets(job)
      if (configured === null) {
        yield* Terminal.note(everyWallet(chain))
        continue
      }
      const { reader } = database.chain({ name: chain, id: chainId })
      const stored = yield* reader.snapshot((snapshot) => snapshot.checkpoint)
      const wallets = stored?.watch ?? configured
      for (const address of wallets) {
        const found = yield* reader.snapshot((snapshot) =>
          Effect.all({ checkpoint: snapshot.checkpoint, proof: snapshot.proof(address), status: snapshot.status }),
        )
        const { checkpoint, proof, status } = found
        const indexed = checkpoint && {
          from: WatchList.firstBlock(checkpoint, address),
          to: checkpoint.head.number,
        }
        const search = checkpoint && searchOf(checkpoint, address, status)
        const watched = { address, chain, indexed, search, proof }
        yield* Terminal.print(json ? JSON.stringify(toJson(watched)) : toText(watched))
      }
    }
  }, Effect.scoped),
).pipe(Command.withDescription("List the watched wallets with the indexed blocks and how far each is proved"))

/** Flags of the commands that change the list. */
const flags = {
  addresses: Argument.String("ADDRESS").pipe(
    Argument.withDescription("Address of a wallet or contract"),
    Argument.atLeast(1),
  ),
  config: Selection.configFlag,
  chain: Selection.chainFlag(
    "Name of a chain in the configuration; may be repeated; by default all chains with watched wallets",
  ),
}

/** Opens the chains whose index is limited to watched wallets. */
const openLimited = Effect.fnUntraced(function* (config: string, names: ReadonlyArray<string>) {
  const { database, jobs } = yield* Selection.open(config, names)
  const limited = jobs.filter((job) => ChainJob.watchedWallets(job) !== null)
  if (limited.length > 0) return { database, jobs: limited }
  const chains = jobs.map(({ chain }) => chain).join(", ")
  const message = `Every wallet is indexed: ${chains}. No wallet needs to be added; "watch" in the configuration limits an index to some wallets.`
  return yield* new CommandError({ message })
})

/** Rejects the removal of configured wallets, since they would be indexed again at the next start. */
const refuseConfigured = Effect.fnUntraced(function* (job: ChainJob.ChainJob, wallets: ReadonlyArray<string>) {
  const configured = ChainJob.watchedWallets(job)
  const named = wallets.find((wallet) => configured?.has(wallet) === true)
  if (named === undefined) return
  const message = `Wallet named in the configuration: ${named} on ${job.chain}. Remove it from "watch" and start the service again.`
  return yield* new CommandError({ message })
})

/** Changes the list of a chain; returns the checkpoint afterwards, and the wallets added or removed. */
const change = Effect.fnUntraced(function* (
  database: Database,
  { chain, chainId }: ChainJob.ChainJob,
  wanted: WatchList.WatchChange,
) {
  const { changeWatch, reader } = database.chain({ name: chain, id: chainId })
  // The indexer creates the store.
  const before = yield* reader.snapshot((snapshot) => snapshot.checkpoint)
  const { changed, checkpoint } = before === null ? { changed: [], checkpoint: null } : yield* changeWatch(wanted)
  if (checkpoint === null) {
    const message = `Nothing indexed: ${chain}. Name the wallets in "watch" of the configuration, or run "daybook serve" first.`
    return yield* new CommandError({ message })
  }
  return { checkpoint, changed: new Set(changed) }
})

const formatAdded = ({ chain }: ChainJob.ChainJob, checkpoint: Checkpoint, wallet: string, isNew: boolean): string => {
  if (checkpoint.watch === undefined) return everyWallet(chain)
  const from = WatchList.firstBlock(checkpoint, wallet)
  if (!isNew) return `${wallet} on ${chain}: watched already, indexed from block ${from} on`
  return `${wallet} on ${chain}: added, indexed from block ${from} at the earliest; its past is added as it is found, see "daybook watch list --chain ${shellWord(chain)}"`
}

const formatRemoved = ({ chain }: ChainJob.ChainJob, { watch }: Checkpoint, wallet: string, isNew: boolean): string => {
  if (watch === undefined) return everyWallet(chain)
  const kept = watch.includes(wallet) ? "watched until the service starts again" : "not watched"
  return `${wallet} on ${chain}: ${isNew ? "removed" : kept}`
}

const add = Command.make(
  "add",
  flags,
  Effect.fn(function* ({ addresses, chain, config }) {
    const wallets = yield* WalletFlags.parseAddresses(addresses)
    const { database, jobs } = yield* openLimited(config, chain)
    for (const job of jobs) {
      const { changed, checkpoint } = yield* change(database, job, { _tag: "Add", wallets })
      for (const wallet of wallets) {
        yield* Terminal.print(formatAdded(job, checkpoint, wallet, changed.has(wallet)))
      }
    }
  }, Effect.scoped),
).pipe(
  Command.withDescription(
    "Index the transactions of more wallets from the next block, and search for earlier ones; can run alongside serve",
  ),
)

const remove = Command.make(
  "remove",
  flags,
  Effect.fn(function* ({ addresses, chain, config }) {
    const wallets = yield* WalletFlags.parseAddresses(addresses)
    const { database, jobs } = yield* openLimited(config, chain)
    for (const job of jobs) yield* refuseConfigured(job, wallets)
    for (const job of jobs) {
      const { changed, checkpoint } = yield* change(database, job, { _tag: "Remove", wallets })
      for (const wallet of wallets) {
        yield* Terminal.print(formatRemoved(job, checkpoint, wallet, changed.has(wallet)))
      }
    }
  }, Effect.scoped),
).pipe(Command.withDescription("Stop indexing the transactions of added wallets; can run alongside serve"))

/** `daybook watch`. */
export const watch = Command.make("watch").pipe(Command.withSubcommands([list, add, remove]))
