/**
 * Decodes and validates a request of an operation as the service does: path, parameters, chain, dates and range.
 */
import * as Address from "@daybook/schema/Address"
import * as Chain from "@daybook/schema/Chain"
import * as Issue from "@daybook/schema/Issue"
import * as RestOperation from "@daybook/schema/RestOperation"
import * as WalletQuery from "@daybook/schema/WalletQuery"
import * as Result from "effect/Result"
import type { FakeBlock, FakeChain } from "../FakeChain.ts"
import * as FakeCursor from "./FakeCursor.ts"
import * as FakeDate from "./FakeDate.ts"
import * as FakeLedger from "./FakeLedger.ts"
import { failure, invalid, type Reply } from "./FakeReply.ts"

/** A comparison of the sums of a wallet with the node. */
export interface Proof {
  readonly block: Pick<FakeBlock, "hash" | "number">
}

/** A fake index: its chain, and what is known about wallets. */
export interface FakeIndex {
  readonly chain: FakeChain
  readonly chainId: number
  /** Wallets that the index covers although the chain has no transactions of them. */
  readonly emptyWallets: ReadonlySet<string>
  /** Opening balances that were read: keys of holdings by wallet. */
  readonly opened: ReadonlyMap<string, ReadonlySet<string>>
  readonly proofs: ReadonlyMap<string, Proof>
  /** Requested comparisons that are in progress: their blocks by wallet. */
  readonly started: Map<string, number>
  /** Compares the sums of a wallet with the node at a block. */
  readonly prove: (wallet: string, block: number) => void
  /** Blocks that each reorg removed, oldest first. */
  readonly removals: ReadonlyArray<ReadonlyArray<Pick<FakeBlock, "hash" | "number">>>
  /** Number of changes of the chain. */
  readonly changes: () => number
  /** Registers a listener that is called after each change until the returned function is called. */
  readonly onChange: (listener: () => void) => () => void
}

const finalityBlocks = 64

/** Name of a chain, or its number if it has none. */
export const chainName = (chainId: number): string => Chain.fromId(chainId)[0]?.name ?? String(chainId)

/** First and last block of a chain. */
const endsOf = (chain: FakeChain): readonly [first: FakeBlock, last: FakeBlock] => {
  const blocks = chain.blocks()
  // Sound: a chain has at least one block.
  return [blocks[0]!, blocks.at(-1)!]
}

/** Last final block, or the first block if none is older. */
export const finalized = (chain: FakeChain): number => (chain.blocks().at(-finalityBlocks) ?? endsOf(chain)[0]).number

/** What a comparison verifies against the state root of its block, as with a node that provides proofs. */
export const byStateRoot = ["native", "nonce"] as const

/** Proof of a wallet, as long as its block is on the chain. */
export const proofOf = ({ chain, proofs }: FakeIndex, wallet: string): Proof | undefined => {
  const proof = proofs.get(wallet)
  return proof === undefined || chain.replacedFrom(proof.block.hash) !== undefined ? undefined : proof
}

/** Headers that report the index coverage. */
export const coverage = (index: FakeIndex, wallet?: string): Readonly<Record<string, string>> => {
  const [first, last] = endsOf(index.chain)
  const proof = wallet === undefined ? undefined : proofOf(index, wallet)
  const headers = {
    "daybook-indexed-from": String(first.number),
    "daybook-indexed-to": String(last.number),
    "daybook-finalized-to": String(finalized(index.chain)),
  }
  return proof === undefined ? headers : { ...headers, "daybook-reconciled-to": String(proof.block.number) }
}

type RangeParameters = Pick<WalletQuery.WalletQuery, "from_block" | "to_block" | "from_date" | "to_date">

/** Block of a bound, or its instant. */
const positionOf = (bound: FakeCursor.Bound): number =>
  "block" in bound ? bound.block : "date" in bound ? bound.date : 0

/** The range of a query. */
const rangeOf = (query: RangeParameters): Result.Result<Record<"from" | "to", FakeCursor.Bound>, Issue.Issue> => {
  const fromDate = FakeDate.read("from_date", query.from_date)
  if (Result.isFailure(fromDate)) return Result.fail(fromDate.failure)
  const toDate = FakeDate.read("to_date", query.to_date)
  if (Result.isFailure(toDate)) return Result.fail(toDate.failure)
  const { from, to } = WalletQuery.bounds<number, number>({
    from_block: query.from_block === undefined ? undefined : Number(query.from_block),
    to_block: query.to_block === undefined ? undefined : Number(query.to_block),
    from_date: fromDate.success,
    to_date: toDate.success,
  })
  const isAbove = from._tag === to._tag && positionOf(from) > positionOf(to)
  if (!isAbove) return Result.succeed({ from, to })
  const suffix = from._tag === "Date" ? "date" : "block"
  const expected = `at most to_${suffix} (${FakeCursor.formatBound(to)})`
  return Result.fail({ path: `from_${suffix}`, expected, received: FakeCursor.formatBound(from) })
}

/** First and last block of a range; undefined if it has none. */
export const blocksOf = (
  chain: FakeChain,
  { from, to }: Readonly<Record<"from" | "to", FakeCursor.Bound>>,
): { readonly first: FakeBlock; readonly last: FakeBlock } | undefined => {
  const blocks = chain.blocks()
  const isSince = ({ number, timestamp }: FakeBlock) =>
    from._tag === "Open" || (from._tag === "Block" ? number >= from.block : timestamp * 1_000 >= from.date)
  const isUpTo = ({ number, timestamp }: FakeBlock) =>
    to._tag === "Open" || (to._tag === "Block" ? number <= to.block : timestamp * 1_000 <= to.date)
  const [first, last] = [blocks.find(isSince), blocks.findLast(isUpTo)]
  return first === undefined || last === undefined || first.number > last.number ? undefined : { first, last }
}

/** Response for a range without blocks. */
export const withoutBlocks = (
  { chain }: FakeIndex,
  { from, to }: Readonly<Record<"from" | "to", FakeCursor.Bound>>,
): Reply => {
  const [name, bound] = to._tag === "Open" ? (["from", from] as const) : (["to", to] as const)
  const [first, last] = endsOf(chain)
  return invalid({
    path: `${name}_${bound._tag === "Date" ? "date" : "block"}`,
    expected: `a range that includes indexed blocks (${first.number} to ${last.number})`,
    received: "a range without any",
  })
}

/** Issue of a chain other than that of the fake. */
const chainIssue = (
  chainId: number,
  text: string,
): { readonly issue: Issue.Issue; readonly code: string } | undefined => {
  const rows = Chain.fromText(text)
  const id = Chain.fromName(text) === undefined ? Chain.parseId(text) : undefined
  if (id === BigInt(chainId) || rows.some((row) => row.id === BigInt(chainId))) return undefined
  const isChain = rows.length > 0 || id !== undefined
  const served = `a chain that is served here (${chainName(chainId)})`
  if (!isChain) {
    const expected = `${served} by name or identifier`
    const received = text.trim() === "" ? "an empty string" : Issue.quote(text)
    return { issue: { path: "chain", expected, received }, code: "bad_request" }
  }
  const others = rows.map(({ name }) => name).filter((name) => Chain.normalizeName(name) !== Chain.normalizeName(text))
  const received = others.length === 0 ? Issue.quote(text) : `${Issue.quote(text)} (${others.join(" or ")})`
  return { issue: { path: "chain", expected: served, received }, code: "chain_not_served" }
}

/** A decoded request. */
export interface FakeRequest<O extends RestOperation.RestOperation> {
  readonly wallet: string
  readonly query: O["query"]["Type"]
  readonly cursor: FakeCursor.Cursor | undefined
  readonly range: Readonly<Record<"from" | "to", FakeCursor.Bound>>
}

const expectedAddress = "an address of 20 bytes in hex"

/** Decodes a request, or returns the response that rejects it. */
export const read = <O extends RestOperation.RestOperation>(
  index: FakeIndex,
  operation: O,
  address: string,
  given: URLSearchParams,
): Result.Result<FakeRequest<O>, Reply> => {
  // Some clients write a list of one parameter in this form, and an empty cursor for a first page.
  const parameters = new URLSearchParams(
    [...given]
      .filter(([name, value]) => name !== "cursor" || value !== "")
      .map(([name, value]): [string, string] => [name.toLowerCase() === "include[]" ? "include" : name, value]),
  )
  const wallet = Address.fromText(address)
  if (wallet === undefined) {
    const received = Issue.describe(address)
    return Result.fail(invalid({ path: "address", expected: expectedAddress, received }, "path parameter"))
  }
  const repeated = [...parameters.keys()].find((name) => parameters.getAll(name).length > 1)
  if (repeated !== undefined) {
    const received = `${parameters.getAll(repeated).length} values`
    return Result.fail(invalid({ path: repeated, expected: "one value", received }))
  }
  const decoded = RestOperation.decodeQuery(operation, Object.fromEntries(parameters))
  if (Result.isFailure(decoded)) return Result.fail(invalid(decoded.failure))
  // Sound: in every operation the parameters of these names are texts.
  const query = decoded.success as RangeParameters & { readonly chain?: string; readonly cursor?: string }
  const cursor = query.cursor === undefined ? Result.succeed(undefined) : FakeCursor.decode(query.cursor)
  if (Result.isFailure(cursor)) return Result.fail(invalid(cursor.failure))
  const refused = query.chain === undefined ? undefined : chainIssue(index.chainId, query.chain)
  if (refused !== undefined) return Result.fail(invalid(refused.issue, undefined, refused.code))
  const range = rangeOf(query)
  if (Result.isFailure(range)) return Result.fail(invalid(range.failure))
  return Result.succeed({ wallet, query: decoded.success, cursor: cursor.success, range: range.success })
}

/** Response for a wallet unknown to the fake, because an empty list would hide a wrong address; undefined for other wallets. */
export const notIndexed = (index: FakeIndex, wallet: string): Reply | undefined => {
  const { chain, chainId, emptyWallets } = index
  if (wallet === chain.wallet || emptyWallets.has(wallet) || FakeLedger.isOnChain(chain.blocks(), wallet))
    return undefined
  const name = chainName(chainId)
  const message = `Wallet not indexed: ${wallet} on ${name}. Use a wallet that this service indexes. This fake has ${chain.wallet}, the accounts of its transactions, and those of the option emptyWallets.`
  return failure(400, "address_not_watched", message, { parameter: "address" })
}
