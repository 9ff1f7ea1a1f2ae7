/**
 * Discovery of the blocks that contain the history of wallets, as a state machine: `next` returns the calls to make, `step` takes their
 * results. It first locates the blocks in which the wallets sent transactions and those with token events. Then it settles the range from
 * its start: blocks are fetched, and balances are read until the movements explain them everywhere. Pure.
 *
 * Source: decision 0047.
 */
import * as Result from "effect/Result"
import * as Bisection from "../ledger/Bisection.ts"
import type { Account, DiscoveryState, Segment, Wallet } from "./DiscoveryState.ts"
import { NodeContradiction } from "../node/CallsError.ts"
import * as LogRanges from "./LogRanges.ts"

/**
 * A read of a wallet's account, by position in the state, at the end of a block.
 */
export interface AccountRead {
  readonly wallet: number
  readonly block: number
}

/**
 * Calls that can be made concurrently.
 */
export interface Calls {
  readonly accounts: ReadonlyArray<AccountRead>
  readonly nonces: ReadonlyArray<AccountRead>
  readonly balances: ReadonlyArray<AccountRead>
  readonly logs: ReadonlyArray<LogRanges.BlockRange>
  /** Blocks to fetch and derive movements from. */
  readonly blocks: ReadonlyArray<number>
}

/**
 * Effects of a fetched block on one wallet.
 */
export interface Effects {
  /** Sum of ether movements, in wei. */
  readonly change: bigint
  /** The wallet delegated to code in this block (EIP-7702). */
  readonly isAuthority: boolean
}

/**
 * Results of `Calls`, in order.
 */
export interface Results {
  readonly accounts: ReadonlyArray<Account>
  readonly nonces: ReadonlyArray<bigint>
  readonly balances: ReadonlyArray<bigint>
  readonly logs: ReadonlyArray<LogRanges.RangeResult>
  /** For each block, its effects on each wallet. */
  readonly blocks: ReadonlyArray<ReadonlyArray<Effects>>
}

/**
 * What to discover.
 */
export interface Scope {
  readonly chainId: number
  /** Lower case, without duplicates. */
  readonly addresses: ReadonlyArray<string>
  /** Block before the first one searched. */
  readonly opening: number
  readonly closing: { readonly number: number; readonly hash: string }
  /** Maximum number of balance samples for a wallet with code. Default 10,000. */
  readonly samples?: number | undefined
}

/** Maximum number of concurrent calls of one kind. */
const maxReads = 1_000
const maxLogRanges = 8
/** Number of blocks located before any of them is settled. */
const segmentBlocks = 256
const defaultSamples = 10_000

const none: Calls = { accounts: [], nonces: [], balances: [], logs: [], blocks: [] }

/**
 * The state before the first call.
 */
export const initial = ({ addresses, chainId, closing, opening, samples = defaultSamples }: Scope): DiscoveryState => ({
  version: 1,
  chainId,
  opening,
  closing,
  samples,
  wallets: addresses.map((address) => ({
    address,
    accounts: null,
    nonces: [],
    hasCode: false,
    balance: 0n,
  })),
  logs: LogRanges.make({
    from: opening + 1,
    to: closing.number,
  }),
  candidates: [],
  isLocated: false,
  settled: opening,
  segment: null,
  differences: [],
})

/** The accounts of a wallet at both ends of the range. */
type Accounts = NonNullable<Wallet["accounts"]>

const isRead = ({ accounts }: Wallet): boolean => accounts !== null

/** Size in blocks down to which an explained part of a wallet is divided; the whole range if only its own transactions move ether out of it. */
const grainOf = ({ closing, opening, samples }: DiscoveryState, { hasCode }: Wallet): number =>
  hasCode ? Math.max(1, Math.ceil((closing.number - opening) / samples)) : Number.POSITIVE_INFINITY

/** A part of a wallet in the open segment, with its status. */
interface Judged {
  readonly part: Bisection.Part
  readonly status: Bisection.Status
}

/** A wallet of the open segment, with what is known about it. */
interface JudgedWallet {
  readonly parts: ReadonlyArray<Judged>
  readonly change: Bisection.KnownChange
}

const judge = (state: DiscoveryState, { changes, parts }: Segment["wallets"][number], at: number): JudgedWallet => {
  const change = Bisection.fromChanges(changes)
  const grain = grainOf(state, state.wallets[at]!)
  return { change, parts: parts.map((part) => ({ part, status: Bisection.statusOf(part, change, grain) })) }
}

const callsOfSegment = (state: DiscoveryState, segment: Segment): Calls => {
  const fetched = new Set(segment.fetched)
  const balances: Array<AccountRead> = []
  const blocks = new Set<number>()
  for (const [wallet, known] of segment.wallets.entries()) {
    let reads = 0
    for (const { part, status } of judge(state, known, wallet).parts) {
      if (reads >= maxReads) break
      if (status === "divided") {
        balances.push({ wallet, block: Bisection.middleOf(part) })
        reads += 1
      } else if (status === "located" && blocks.size < segmentBlocks && !fetched.has(part.to)) blocks.add(part.to)
    }
  }
  return { ...none, balances, blocks: [...blocks].toSorted((one, other) => one - other) }
}

/** Candidates after the last settled block, up to the length of a segment. */
const nextCandidates = ({ candidates, settled }: DiscoveryState): ReadonlyArray<number> => {
  const first = candidates.findIndex((block) => block > settled)
  return first === -1 ? [] : candidates.slice(first, first + segmentBlocks)
}

/** Blocks of the next segment; the last segment reaches to the end. */
const segmentOf = (state: DiscoveryState): { readonly to: number; readonly blocks: ReadonlyArray<number> } => {
  const blocks = nextCandidates(state)
  return { blocks, to: blocks.length < segmentBlocks ? state.closing.number : blocks.at(-1)! }
}

/**
 * Returns the calls to make next; `null` when everything is found.
 */
export const next = (state: DiscoveryState): Calls | null => {
  const { closing, isLocated, logs, opening, segment, settled, wallets } = state
  if (!wallets.every(isRead)) {
    const blocks = [opening, closing.number]
    return { ...none, accounts: [...wallets.keys()].flatMap((wallet) => blocks.map((block) => ({ wallet, block }))) }
  }
  if (!isLocated) {
    const nonces = wallets.flatMap(({ nonces: parts }, wallet) =>
      parts.slice(0, maxReads).map((part) => ({ wallet, block: Bisection.middleOf(part) })),
    )
    return { ...none, nonces, logs: LogRanges.next(logs, maxLogRanges) }
  }
  if (segment !== null) return callsOfSegment(state, segment)
  if (settled >= closing.number) return null
  const { blocks, to } = segmentOf(state)
  const balances = to === closing.number ? [] : [...wallets.keys()].map((wallet) => ({ wallet, block: to }))
  return { ...none, balances, blocks }
}

const isIncreasing = ({ before, value }: Bisection.Part): boolean => before <= value

const contradiction = (address: string, { after, before, to, value }: Bisection.Part) =>
  Result.fail(new NodeContradiction({ address, after, before, to, value }))

/** Sorts parts of a nonce: those of a single block are located. */
const sortNonces = (parts: ReadonlyArray<Bisection.Part>) => {
  const open = parts.filter((part) => Bisection.statusOf(part, Bisection.noChange) === "divided")
  const located = parts.filter((part) => Bisection.statusOf(part, Bisection.noChange) === "located")
  return { open, located: located.map(({ to }) => to) }
}

/** A part of a wallet that covers the whole range. */
const wholeOf = ({ closing, opening }: DiscoveryState, before: bigint, value: bigint): Bisection.Part => ({
  after: opening,
  to: closing.number,
  before,
  value,
})

/** True if the account becomes a contract within the range. */
const isCreated = ({ closing, opening }: Accounts): boolean => opening.code === "none" && closing.code === "contract"

/** Transactions counted by a nonce. A contract's nonce counts creations, so its own transactions are where the count starts. Source: EIP-161. */
const countIn = (accounts: Accounts, nonce: bigint): bigint => (isCreated(accounts) ? BigInt(nonce > 0n) : nonce)

const withAccounts = (state: DiscoveryState, { accounts }: Results): DiscoveryState => ({
  ...state,
  wallets: state.wallets.map((wallet, at) => {
    const [opening, closing] = [accounts[at * 2]!, accounts[at * 2 + 1]!]
    const both = { opening, closing }
    const hasCode = opening.code !== "none" || closing.code !== "none"
    const part = wholeOf(state, countIn(both, BigInt(opening.nonce)), countIn(both, BigInt(closing.nonce)))
    const nonces = opening.code === "contract" ? [] : [part]
    return { ...wallet, accounts: both, nonces, hasCode, balance: opening.balance }
  }),
})

/** Values read for a wallet, by block. */
const readsOf = (
  reads: ReadonlyArray<AccountRead>,
  values: ReadonlyArray<bigint>,
  wallet: number,
): Map<number, bigint> =>
  new Map(reads.flatMap((read, at) => (read.wallet === wallet ? [[read.block, values[at]!] as const] : [])))

/** Divides the parts whose middle was read. */
const divideAll = (parts: ReadonlyArray<Bisection.Part>, values: ReadonlyMap<number, bigint>) =>
  parts.flatMap((part) => {
    const value = values.get(Bisection.middleOf(part))
    return value === undefined ? [part] : Bisection.divide(part, value)
  })

const ascending = (blocks: ReadonlyArray<number>): ReadonlyArray<number> =>
  [...new Set(blocks)].toSorted((one, other) => one - other)

const located = (
  state: DiscoveryState,
  calls: Calls,
  results: Results,
): Result.Result<DiscoveryState, NodeContradiction> => {
  const found: Array<number> = []
  const wallets: Array<Wallet> = []
  for (const [at, wallet] of state.wallets.entries()) {
    // Sound: accounts are read before counts.
    const counts = results.nonces.map((nonce) => countIn(wallet.accounts!, nonce))
    const parts = divideAll(wallet.nonces, readsOf(calls.nonces, counts, at))
    const decreasing = parts.find((part) => !isIncreasing(part))
    if (decreasing !== undefined) return contradiction(wallet.address, decreasing)
    const { located: blocks, open } = sortNonces(parts)
    found.push(...blocks)
    wallets.push({ ...wallet, nonces: open })
  }
  const { blocks, ranges } = LogRanges.step(state.logs, results.logs)
  const isLocated = ranges.left.length === 0 && wallets.every(({ nonces }) => nonces.length === 0)
  const all = [...state.candidates, ...found, ...blocks]
  const candidates = isLocated ? ascending(all) : all
  return Result.succeed({ ...state, wallets, logs: ranges, candidates, isLocated })
}

/** End of the blocks that are final for a wallet, from the start of the segment. */
const finalEnd = (judged: ReadonlyArray<Judged>, fetched: ReadonlySet<number>): number | null => {
  let end: number | null = null
  for (const { part, status } of judged) {
    if (status === "divided" || (status === "located" && !fetched.has(part.to))) break
    end = part.to
  }
  return end
}

/** Last block up to which all wallets are final; `null` while one has none. */
const finalThrough = (ends: ReadonlyArray<number | null>, last: number): number | null => {
  const final = ends.filter((end) => end !== null)
  return final.length < ends.length ? null : Math.min(last, ...final)
}

/** Blocks, up to a given one, in which a balance changes by more or less than the movements. */
const differencesUpTo = (
  { change, parts }: JudgedWallet,
  wallet: number,
  block: number,
): DiscoveryState["differences"] =>
  parts
    .filter(({ part, status }) => status === "located" && part.to <= block)
    .map(({ part: { before, to, value } }) => ({
      wallet,
      block: to,
      expected: before + change(to - 1, to),
      found: value,
    }))

/** Parts of a wallet after a block; a part that covers the block then starts there. */
const partsAfter = ({ change, parts }: JudgedWallet, block: number): ReadonlyArray<Bisection.Part> =>
  parts
    .filter(({ part }) => part.to > block)
    .map(({ part }) => {
      const after = Math.max(part.after, block)
      return { ...part, after, before: part.before + change(part.after, after) }
    })

/** Remainder of a segment after a block. */
const segmentAfter = (segment: Segment, judged: ReadonlyArray<JudgedWallet>, block: number): Segment => ({
  to: segment.to,
  fetched: segment.fetched.filter((fetched) => fetched > block),
  wallets: segment.wallets.map(({ changes }, at) => ({
    parts: partsAfter(judged[at]!, block),
    changes: changes.filter(([changed]) => changed > block),
  })),
})

/** A state with a segment that is not fully settled. */
type OpenState = DiscoveryState & { readonly segment: Segment }

/** Settles the blocks, from the start of the segment, that are final for all wallets. */
const settle = (state: OpenState): DiscoveryState => {
  const { segment } = state
  const fetched = new Set(segment.fetched)
  const judged = segment.wallets.map((wallet, at): JudgedWallet => judge(state, wallet, at))
  const block = finalThrough(
    judged.map(({ parts }) => finalEnd(parts, fetched)),
    segment.to,
  )
  if (block === null) return state
  const differences = judged.flatMap((wallet, at) => differencesUpTo(wallet, at, block))
  const settled = { ...state, settled: block, differences: [...state.differences, ...differences] }
  if (block < segment.to) return { ...settled, segment: segmentAfter(segment, judged, block) }
  // Sound: the last part of a wallet ends with the segment.
  const balanceAfter = (at: number): bigint => segment.wallets[at]!.parts.at(-1)!.value
  const wallets = state.wallets.map((wallet, at) => ({ ...wallet, balance: balanceAfter(at) }))
  return { ...settled, wallets, segment: null }
}

/** Segment opened by the calls: one part per wallet. */
const openSegment = (state: DiscoveryState, calls: Calls, { balances }: Results): Segment => {
  const { closing, settled, wallets } = state
  const to = calls.balances[0]?.block ?? closing.number
  const parts = wallets.map((wallet, at): Bisection.Part => {
    // Sound: accounts are read before the first segment.
    const value = to === closing.number ? wallet.accounts!.closing.balance : balances[at]!
    return { after: settled, to, before: wallet.balance, value }
  })
  return { to, fetched: [], wallets: parts.map((part) => ({ parts: [part], changes: [] })) }
}

const withBlocks = (state: DiscoveryState, segment: Segment, calls: Calls, { blocks }: Results): OpenState => ({
  ...state,
  wallets: state.wallets.map((wallet, at) => ({
    ...wallet,
    hasCode: wallet.hasCode || blocks.some((effects) => effects[at]!.isAuthority),
  })),
  segment: {
    to: segment.to,
    fetched: [...segment.fetched, ...calls.blocks],
    wallets: segment.wallets.map(({ changes, parts }, at) => ({
      parts,
      changes: [
        ...changes,
        ...calls.blocks.flatMap((block, index) => {
          const { change } = blocks[index]![at]!
          return change === 0n ? [] : [[block, change] as const]
        }),
      ],
    })),
  },
})

const advanced = (state: DiscoveryState, calls: Calls, results: Results): DiscoveryState => {
  const { segment } = state
  if (segment === null) return settle(withBlocks(state, openSegment(state, calls, results), calls, results))
  const wallets = segment.wallets.map(({ changes, parts }, at) => ({
    changes,
    parts: divideAll(parts, readsOf(calls.balances, results.balances, at)),
  }))
  return settle(withBlocks(state, { ...segment, wallets }, calls, results))
}

/**
 * Applies the results of the calls of `next`.
 *
 * **Errors**
 * - `NodeContradiction`: the transaction count of an account decreases.
 */
export const step = (
  state: DiscoveryState,
  calls: Calls,
  results: Results,
): Result.Result<DiscoveryState, NodeContradiction> => {
  if (!state.wallets.every(isRead))
    return located(withAccounts(state, results), none, { ...results, logs: [], nonces: [] })
  return state.isLocated ? Result.succeed(advanced(state, calls, results)) : located(state, calls, results)
}

/** Number of calls to fetch a block: block, receipts, traces. */
const callsPerBlock = 3

/** Approximate number of calls to locate the changes of a nonce in a part: those of a search tree with that many leaves. */
const callsOfNonces = (part: Bisection.Part): number => {
  const width = Bisection.widthOf(part)
  const changes = Math.min(width, Number(part.value - part.before))
  return changes * (Math.log2(width / changes) + 1)
}

/**
 * Approximate lower bound of the remaining calls: received ether is only discovered during the search.
 */
export const callsLeft = ({ candidates, logs, settled, wallets }: DiscoveryState): number => {
  const nonces = wallets.reduce(
    (sum, wallet) => sum + wallet.nonces.reduce((all, part) => all + callsOfNonces(part), 0),
    0,
  )
  const searches = (LogRanges.blocksLeft(logs) / logs.length) * callsPerBlock
  const blocks = candidates.filter((block) => block > settled).length * callsPerBlock
  return Math.ceil(nonces + searches + blocks)
}
