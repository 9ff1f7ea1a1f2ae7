/**
 * Comparisons of wallets with the chain that clients ask for. A process makes one of an API key at a time, and two at once; their calls are paced
 * as those beside the indexer. A comparison goes on when its client has left, and is stored.
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

/** Calls for one comparison, at most: those that one beside the indexer may take. */
const maxCalls = 20_000

/** Time before a comparison that failed is made again, and failures that are kept at most. */
const [failureMillis, maxFailures] = [60_000, 256]

/** Why a comparison was not made. */
export type JobError =
  | Reconciliation.ReconciliationError
  | FairQueue.QueueFull
  | InvalidOption
  | StoreError
  | UnexpectedFailure

/** A wallet of a chain, and who asks for its comparison. */
export interface Subject {
  readonly chain: IndexedChain
  /** Lower case. */
  readonly wallet: string
  readonly holder: string
}

/** A comparison that is being made. */
export interface Job {
  /** Block of the comparison. */
  readonly block: number
  /** Calls to nodes so far. */
  readonly calls: () => number
}

/** A comparison that was not made. */
interface Failed {
  readonly error: JobError
  /** Time of the monotonic clock. */
  readonly until: number
}

/** The comparisons of a process. */
export interface ProofJobs {
  /** The comparison of a wallet that is being made; `undefined` for none. Fails with the error of one that failed within the last minute. */
  readonly find: (subject: Subject) => Effect.Effect<Job | undefined, JobError>
  /** Starts a comparison, unless too many wait. */
  readonly start: (subject: Subject, blocks: Reconciliation.Scope) => Effect.Effect<Job, JobError>
  /** True where every node of a chain is on this machine. */
  readonly isLocal: (chain: IndexedChain) => Effect.Effect<boolean, InvalidOption>
}

/** Calls per minute for the comparisons of a chain; 0 where none are made. */
export const callsPerMinute = ({ config }: Pick<IndexedChain, "config">): number =>
  config.proofCallsPerMinute ?? ProofKeeper.defaultCallsPerMinute

const keyOf = ({ chain, wallet }: Subject): string => `${chain.id} ${wallet}`

const noUsage: Calls.Usage = { requests: 0, calls: 0, byMethod: [] }

/** Makes comparisons until the scope ends. */
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

  /** Fails where a comparison failed within the last minute. One that was refused may be asked for again at once. */
  const checkFailure = Effect.fnUntraced(function* (key: string): Effect.fn.Return<void, JobError> {
    const failed = failures.get(key)
    if (failed === undefined) return
    const isKept = (yield* MonotonicClock.millis) < failed.until
    if (!isKept || failed.error._tag === "QueueFull") failures.delete(key)
    if (isKept) return yield* Effect.fail(failed.error)
  })

  /** Opened once: where a file of SQLite is closed, its log is written back, for which everything in this thread would wait. */
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
