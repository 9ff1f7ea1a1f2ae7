/**
 * Balances and statements of a fake service: sums of a wallet's movements.
 */
import type { BalancesWire, BalanceWire, IncompleteWire } from "@daybook/schema/Balance"
import * as RestOperation from "@daybook/schema/RestOperation"
import type { ProofWire, StatementWire, SumWire } from "@daybook/schema/Statement"
import * as Result from "effect/Result"
import type { FakeBlock } from "../FakeChain.ts"
import * as FakeLedger from "./FakeLedger.ts"
import type { Reply } from "./FakeReply.ts"
import * as FakeRequest from "./FakeRequest.ts"
import * as FakeWire from "./FakeWire.ts"

type Sum = Pick<FakeLedger.Movement, "asset" | "tokenId" | "kind"> & {
  readonly count: number
  readonly received: bigint
  readonly paid: bigint
}

type Balance = Pick<Sum, "asset" | "tokenId"> & { readonly amount: bigint }

const compareText = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0)

/** Orders by `native` first, then by address and by numeric id. */
const compare = (one: Pick<Sum, "asset" | "tokenId">, other: Pick<Sum, "asset" | "tokenId">): number => {
  if (one.asset !== other.asset) {
    if (one.asset === "native" || other.asset === "native") return one.asset === "native" ? -1 : 1
    return compareText(one.asset, other.asset)
  }
  const [first, second] = [one.tokenId ?? -1n, other.tokenId ?? -1n]
  return first < second ? -1 : first > second ? 1 : 0
}

const keyOf = ({ asset, tokenId }: Pick<Sum, "asset" | "tokenId">): string => `${asset} ${tokenId ?? ""}`

/** Sums of movements by asset, id and kind. */
const sumsOf = (movements: ReadonlyArray<FakeLedger.Movement>): ReadonlyArray<Sum> => {
  const sums = new Map<string, Sum>()
  for (const { amount, asset, kind, tokenId } of movements) {
    const key = `${keyOf({ asset, tokenId })} ${kind}`
    const { count, paid, received } = sums.get(key) ?? { count: 0, received: 0n, paid: 0n }
    const [more, less] = amount > 0n ? [amount, 0n] : [0n, amount]
    sums.set(key, { asset, kind, tokenId, count: count + 1, received: received + more, paid: paid + less })
  }
  return [...sums.values()].toSorted((one, other) => compare(one, other) || compareText(one.kind, other.kind))
}

/** What is known about a wallet, and the movements that a request selects. */
interface Subject {
  readonly index: FakeRequest.FakeIndex
  readonly wallet: string
  readonly assets: ReadonlyArray<string> | undefined
  readonly range: { readonly first: FakeBlock; readonly last: FakeBlock }
}

/** Movements up to a block, including opening balances if they were read. */
const movementsUpTo = ({ assets, index, wallet }: Subject, number: number): ReadonlyArray<FakeLedger.Movement> => {
  const blocks = index.chain.blocks().filter((block) => block.number <= number)
  const opening = index.opened.has(wallet) && blocks.length > 0 ? FakeLedger.openings : []
  return [...opening, ...FakeLedger.entries(blocks, wallet).flatMap(({ movements }) => movements)].filter(
    ({ asset }) => assets === undefined || assets.includes(asset),
  )
}

/** Keys of the assets that the wallet held at the block of its proof. */
const provedAssets = ({ index, wallet }: Subject): ReadonlySet<string> => {
  const proof = FakeRequest.proofOf(index, wallet)
  const blocks = index.chain.blocks().filter(({ number }) => proof !== undefined && number <= proof.block.number)
  const all = FakeLedger.entries(blocks, wallet).flatMap(({ movements }) => movements)
  return new Set([...(proof === undefined ? [] : FakeLedger.openings), ...all].map(keyOf))
}

/** Why a balance is negative. All movements are known, so only opening balances can be missing. */
const negativeReason = (
  { index, wallet }: Subject,
  { amount, asset, tokenId }: Balance,
): Pick<BalanceWire, "negative_reason"> => {
  if (amount > 0n) return {}
  const isKnown = index.opened.get(wallet)?.has(tokenId === null ? asset : `${asset} ${tokenId}`) === true
  return { negative_reason: isKnown ? "unexplained" : "opening_unknown" }
}

const balancesOf = (subject: Subject, movements: ReadonlyArray<FakeLedger.Movement>): ReadonlyArray<BalanceWire> => {
  const held = new Map<string, Balance>()
  for (const { asset, paid, received, tokenId } of sumsOf(movements)) {
    const key = keyOf({ asset, tokenId })
    held.set(key, { asset, tokenId, amount: (held.get(key)?.amount ?? 0n) + received + paid })
  }
  const compared = FakeRequest.proofOf(subject.index, subject.wallet)
  const proved = provedAssets(subject)
  return [...held.values()]
    .filter(({ amount }) => amount !== 0n)
    .toSorted(compare)
    .map((balance) => ({
      asset: balance.asset,
      token_id: balance.tokenId?.toString() ?? null,
      token: FakeWire.token(balance.asset),
      balance: String(balance.amount),
      proved_at_block: compared !== undefined && proved.has(keyOf(balance)) ? String(compared.block.number) : null,
      ...negativeReason(subject, balance),
    }))
}

const incompleteOf = (
  { assets, index, wallet }: Subject,
  movements: ReadonlyArray<FakeLedger.Movement>,
): IncompleteWire => ({
  opening: (assets === undefined || assets.includes("native") ? ["native"] : [])
    .concat(movements.map(FakeLedger.holdingOf))
    .some((holding) => index.opened.get(wallet)?.has(holding) !== true),
  places: "0",
  first_block: null,
})

const closingOf = (subject: Subject): BalancesWire => {
  const { last } = subject.range
  const movements = movementsUpTo(subject, last.number)
  return {
    block_number: String(last.number),
    block_hash: last.hash,
    incomplete: incompleteOf(subject, movements),
    result: balancesOf(subject, movements),
  }
}

const sumWire = ({ asset, count, kind, paid, received, tokenId }: Sum): SumWire => ({
  asset,
  token_id: tokenId?.toString() ?? null,
  token: FakeWire.token(asset),
  kind,
  count: String(count),
  in: String(received),
  out: String(paid),
  amount: String(received + paid),
})

/** The last comparison of a wallet with the node; `null` for none. */
export const proof = (index: FakeRequest.FakeIndex, wallet: string): ProofWire | null => {
  const found = FakeRequest.proofOf(index, wallet)
  if (found === undefined) return null
  const number = String(found.block.number)
  const equal = { block_number: number, proved: true, proved_at_block: number, differences: [], not_compared: [] }
  return { ...equal, by_state_root: FakeRequest.byStateRoot }
}

const statementOf = (subject: Subject): StatementWire => {
  const { index, range, wallet } = subject
  const { first, last } = range
  const [before, after] = [movementsUpTo(subject, first.number - 1), movementsUpTo(subject, last.number)]
  return {
    address: wallet,
    from_block: String(first.number),
    block_number: String(last.number),
    block_hash: last.hash,
    block_timestamp: FakeWire.isoTime(last),
    opening: {
      block_number: first.number === 0 ? null : String(first.number - 1),
      result: balancesOf(subject, before),
    },
    sums: sumsOf(after.slice(before.length)).map(sumWire),
    closing: closingOf({ ...subject, index }),
    proof: proof(index, wallet),
    incomplete: incompleteOf(subject, after),
  }
}

/** Resolves a request for sums, and responds with the result of `write`. */
const respond =
  <O extends typeof RestOperation.balances | typeof RestOperation.statement>(
    operation: O,
    write: (subject: Subject) => unknown,
  ) =>
  (index: FakeRequest.FakeIndex, address: string, parameters: URLSearchParams): Reply => {
    const request = FakeRequest.read(index, operation, address, parameters)
    if (Result.isFailure(request)) return request.failure
    const { query, range, wallet } = request.success
    const refused = FakeRequest.notIndexed(index, wallet)
    if (refused !== undefined) return refused
    const found = FakeRequest.blocksOf(index.chain, range)
    if (found === undefined) return FakeRequest.withoutBlocks(index, range)
    // Sound: both operations have the parameter.
    const assets = query.asset as ReadonlyArray<string> | undefined
    const body = write({ index, wallet, assets, range: found })
    return { status: 200, headers: FakeRequest.coverage(index, wallet), body }
  }

/** Balances of a wallet at a block. */
export const balances = respond(RestOperation.balances, closingOf)

/** Opening balances of a wallet before a range, movements within it, and closing balances. */
export const statement = respond(RestOperation.statement, statementOf)
