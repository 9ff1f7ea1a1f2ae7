/** Inputs for the machine of an indexer in tests, and the transitions that they lead to. */
import * as IndexerState from "../../src/indexer/IndexerState.ts"
import type * as IndexerTurn from "../../src/indexer/IndexerTurn.ts"
import { NodeFailed } from "../../src/node/NodeError.ts"
import type { BlockRef, Checkpoint } from "../../src/block/BlockRows.ts"
import * as HashRules from "../../src/verification/HashRules.ts"

/** Settings of an indexer. */
export const settings: IndexerState.Settings = {
  fromBlock: 0,
  pollMillis: 2_000,
  finalityBlocks: 64,
  checks: "standard",
  allFrames: false,
  maxDelayMillis: 10_000,
}

/** The first state, with the rules of Ethereum. */
export const initial = (changes: Partial<IndexerState.Settings> = {}) =>
  IndexerState.make({ ...settings, ...changes }, HashRules.ethereum)

/** A block of a branch. */
export const ref = (number: number, branch = "a"): BlockRef => ({ number, hash: `${branch}${number}` })

/** The header of a block of a branch. */
export const header = (number: number, branch = "a") => ({
  ...ref(number, branch),
  parentHash: `${branch}${number - 1}`,
})

/** A checkpoint at a block. */
export const checkpointAt = (number: number, first = 0): Checkpoint => ({
  first,
  head: ref(number),
  headTimestamp: 0,
  finalized: null,
})

/** The head of the node beside the checkpoint. */
export const headSeen = (
  number: number,
  checkpoint: Checkpoint | null,
  changes: Partial<IndexerTurn.Input & { readonly _tag: "HeadSeen" }> = {},
): IndexerTurn.Input => ({
  _tag: "HeadSeen",
  remote: header(number),
  checkpoint,
  localHash: checkpoint !== null && number <= checkpoint.head.number ? ref(number).hash : null,
  traces: "off",
  rules: HashRules.ethereum,
  ...changes,
})

/** Applies inputs one after another; returns the last transition. */
export const apply = (
  inputs: ReadonlyArray<IndexerTurn.Input>,
  options: { readonly settings?: Partial<IndexerState.Settings>; readonly state?: IndexerState.IndexerState } = {},
): IndexerState.Transition => {
  const used = { ...settings, ...options.settings }
  let last: IndexerState.Transition = {
    state: options.state ?? initial(options.settings),
    reports: [],
    action: { _tag: "AcquireLease" },
  }
  for (const input of inputs) last = IndexerState.step(used, last.state, input)
  return last
}

/** Tags of the reports of a transition. */
export const tagsOf = ({ reports }: IndexerState.Transition) => reports.map(({ _tag }) => _tag)

/** A turn that has the lease. */
export const begun: ReadonlyArray<IndexerTurn.Input> = [{ _tag: "Begun" }, { _tag: "LeaseAcquired" }]

/** A failure of a node. */
export const gone = {
  message: "The node is gone.",
  isMisconfigured: false,
  pace: "soon",
  cause: undefined as never,
} as const
export const nodeFailed = new NodeFailed(gone)
/** The index was extended. */
export const extended: IndexerTurn.Input = { _tag: "Extended" }

/** The last block that the node reports as final; `null` if it has none. */
export const finalityRead = (number: number | null, branch = "a"): IndexerTurn.Input => ({
  _tag: "FinalityRead",
  finalized: number === null ? null : ref(number, branch),
})

/** A turn that failed. */
export const failure = (error: IndexerTurn.TurnError): IndexerTurn.Input => ({
  _tag: "Failed",
  error,
  millis: 0,
})
