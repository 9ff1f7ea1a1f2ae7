/**
 * Comparisons of wallets with the chain on request. A process runs one per API key and two in total; their calls are rate-limited like
 * those beside the indexer. A comparison continues when its client has left, and its result is stored.
 *
 * Source: decision 0050.
 */
import type { InvalidOption } from "@daybook/transport/ClientError"
import * as Effect from "effect/Effect"
import * as Scope from "effect/Scope"
import * as Calls from "../../node/Calls.ts"
import * as Node from "../../node/Node.ts"
import * as CallPace from "../../proof/CallPace.ts"
import * as ProofKeeper from "../../proof/ProofKeeper.ts"
import * as Reconciliation from "../../proof/Reconciliation.ts"
import type { IndexedChain } from "../../query/IndexedChain.ts"
import type { Database } from "../../store/Database.ts"
import type { ProofWriter } from "../../store/Proofs.ts"
import type { StoreError } from "../../store/StoreError.ts"
import * as MonotonicClock from "../../supervision/MonotonicClock.ts"
import { fromDefect, type UnexpectedFailure } from "../../supervision/UnexpectedFailure.ts"
import * as FairQueue from "../admission/FairQueue.ts"
import * as Turns from "../admission/Turns.ts"

/** Comparisons of a process. */
const bounds: FairQueue.Options = { concurrency: 2, maxWaitingPerCaller: 4, maxWaiting: 64 }

/** Maximum number of calls for one comparison: the same as beside the indexer. */
const maxCalls = 20_000

/** Time before a failed comparison is repeated, and maximum number of failures kept. */
const [failureMillis, maxFailures] = [60_000, 256]

/** Why a comparison was not made. */
export type JobError =
  | Reconciliation.ReconciliationError
  | FairQueue.QueueFull
  | InvalidOption
  | StoreError
  | UnexpectedFailure

/** A wallet of a chain, and who requests its comparison. */
export interface Subject {
  readonly chain: IndexedChain
  /** Lower case. */
  readonly wallet: string
  readonly holder: string
}

/** A running comparison. */
export interface Job {
  /** Block of the comparison. */
  readonly block: number
  /** Number of calls to nodes so far. */
  readonly calls: () => number
}

/** A failed comparison. */
interface Failed {
  readonly error: JobError
  /** Time on the monotonic clock. */
  readonly until: number
}

/** The comparisons of a process. */
export interface ProofJobs {
  /** The running comparison of a wallet; `undefined` for none. Fails with the error of a comparison that failed within the last minute. */
  readonly find: (subject: Subject) => Effect.Effect<Job | undefined, JobError>
  /** Starts a comparison, unless too many are queued. */
  readonly start: (subject: Subject, blocks: Reconciliation.Scope) => Effect.Effect<Job, JobError>
  /** True if all nodes of a chain are on this machine. */
  readonly isLocal: (chain: IndexedChain) => Effect.Effect<boolean, InvalidOption>
}

/** Calls per minute for the comparisons of a chain; 0 if none are made. */
export const callsPerMinute = ({ config }: Pick<IndexedChain, "config">): number =>
  config.proofCallsPerMinute ?? ProofKeeper.defaultCallsPerMinute

const keyOf = ({ chain, wallet }: Subject): string => `${chain.id} ${wallet}`

const noUsage: Calls.Usage = { requests: 0, calls: 0, byMethod: [] }

/** Runs comparisons until the scope ends. */
export const make = Effect.fnUntraced(function* (
  database: Pick<Database, "chain">,
  turns: Turns.Turns,
): Effect.fn.Return<ProofJobs, never, Scope.Scope> {
  const scope = yield* Effect.scope
  const queue = FairQueue.make(bounds, turns.shares)
  const jobs = new Map<string, Job>()
  const failures = new Map<string, Failed>()
  const nodes = new Map<number, Node.Node>()
  const writers = new Map<number, ProofWriter>()

  const nodeOf = Effect.fnUntraced(function* (chain: IndexedChain): Effect.fn.Return<Node.Node, InvalidOption> {
    const known = nodes.get(chain.id)
    if (known !== undefined) return known
    const { config, id, key } = chain
    const node = yield* Node.make({ urls: config.rpc, chainId: id, where: `chains.${key}.rpc` })
    const paced = CallPace.paced(node, callsPerMinute(chain))
    nodes.set(id, paced)
    return paced
  })

  const keepFailure = Effect.fnUntraced(function* ({ chain, wallet }: Subject, key: string, error: JobError) {
    const until = (yield* MonotonicClock.millis) + failureMillis
    failures.delete(key)
    failures.set(key, { error, until })
    const [oldest] = failures.keys()
    if (oldest !== undefined && failures.size > maxFailures) failures.delete(oldest)
    if (error._tag === "QueueFull") return
    yield* Effect.annotateLogs(Effect.logWarning(`Comparison failed: ${error.message}`), { chain: chain.name, wallet })
  })

  /** Fails if a comparison failed within the last minute. A rejected one may be requested again at once. */
  const checkFailure = Effect.fnUntraced(function* (key: string): Effect.fn.Return<void, JobError> {
    const failed = failures.get(key)
    if (failed === undefined) return
    const isKept = (yield* MonotonicClock.millis) < failed.until
    if (!isKept || failed.error._tag === "QueueFull") failures.delete(key)
    if (isKept) return yield* Effect.fail(failed.error)
  })

  /** Opened once: closing a SQLite file checkpoints its log, and everything in this thread would wait for that. */
  const proofsOf = Effect.fnUntraced(function* (chain: IndexedChain): Effect.fn.Return<ProofWriter, StoreError> {
    const opened = writers.get(chain.id) ?? (yield* Scope.provide(database.chain(chain).proofs, scope))
    writers.set(chain.id, opened)
    return opened
  })

  const compare = Effect.fnUntraced(function* (
    { chain, wallet }: Subject,
    blocks: Reconciliation.Scope,
    counted: Calls.Budgeted,
  ) {
    const reader = Turns.reading(turns, database.chain(chain).reader)
    const source = { ...counted, reader, proofs: yield* proofsOf(chain) }
    yield* Reconciliation.run(source, blocks, wallet)
  })

  return {
    isLocal: (chain) => Effect.map(nodeOf(chain), ({ isLocal }) => isLocal),
    find: Effect.fnUntraced(function* (subject) {
      const key = keyOf(subject)
      yield* checkFailure(key)
      return jobs.get(key)
    }),
    start: Effect.fnUntraced(function* (subject, blocks) {
      const key = keyOf(subject)
      const node = yield* nodeOf(subject.chain)
      const counted = Calls.limited({ node, usage: () => noUsage, maxCalls }, maxCalls)
      const job: Job = { block: blocks.closing.number, calls: () => counted.usage().calls }
      const running = jobs.get(key)
      if (running !== undefined) return running
      jobs.set(key, job)
      const work = queue.run(subject.holder, fromDefect(compare(subject, blocks, counted))).pipe(
        Effect.catch((error) => keepFailure(subject, key, error)),
        Effect.ensuring(Effect.sync(() => jobs.delete(key))),
        Effect.provideService(Turns.Holder, subject.holder),
        Effect.provideService(Turns.Kind, "proof"),
      )
      yield* Effect.forkIn(work, scope, { startImmediately: true })
      yield* checkFailure(key)
      return job
    }),
  }
})
