/**
 * Accepted deviations of blocks from what verification expects. They are accepted because only the chain or a new fork explains them, and
 * reported.
 */
import type { HydratedBlock } from "@daybook/schema/Block"
import { cut } from "@daybook/schema/Issue"
import type { Receipt } from "@daybook/schema/Receipt"
import * as Effect from "effect/Effect"
import * as BlockFacts from "./BlockFacts.ts"
import type * as BlockVerifier from "../verification/BlockVerifier.ts"
import * as HashRules from "../verification/HashRules.ts"
import * as HeaderHash from "../verification/HeaderHash.ts"
import * as Undecoded from "../verification/Undecoded.ts"
import * as Withdrawals from "../verification/Withdrawals.ts"

/**
 * An accepted deviation of a block.
 */
export interface Deviation {
  readonly kind:
    | "unknown header fields"
    | "undecoded header fields"
    | "undecoded transaction fields"
    | "undecoded receipt fields"
    | "missing withdrawals"
    | "missing receipts"
    | BlockVerifier.Unmet["kind"]
  /** Fields or count of the deviating parts. */
  readonly detail: string
}

/** Maximum number of field names in a report, since a node may send any number of them, of any length. */
const maxShownFields = 5

const ofHeader = (block: HydratedBlock): ReadonlyArray<Deviation> => {
  const fields = HeaderHash.unknownFields(block)
  if (fields.length === 0 || HeaderHash.fromBlock(block) === block.hash) return []
  const others = fields.length > maxShownFields ? `, and ${fields.length - maxShownFields} more` : ""
  return [{ kind: "unknown header fields", detail: `${fields.slice(0, maxShownFields).map(cut).join(", ")}${others}` }]
}

/** Deviations of header fields that the block hash or the facts need. */
const ofUndecodedHeader = ({ header }: Undecoded.Undecoded): ReadonlyArray<Deviation> => {
  const needed = [...header].find(([field]) => HeaderHash.isHashed(field) || BlockFacts.isOfHeader(field))
  return needed === undefined ? [] : [{ kind: "undecoded header fields", detail: needed[1] }]
}

/** Deviations of fields that no record shows. Parts that are omitted entirely are gaps instead. */
const ofParts = (
  kind: "undecoded transaction fields" | "undecoded receipt fields",
  parts: ReadonlyArray<Undecoded.UndecodedPart>,
): ReadonlyArray<Deviation> => {
  const incomplete = parts.filter(({ isLeftOut }) => !isLeftOut)
  const [first] = incomplete
  return first === undefined ? [] : [{ kind, detail: `${incomplete.length}, the first one: ${first.reason}` }]
}

/** True if no node returned the withdrawals of a block although its header commits to some. */
export const lacksWithdrawals = (
  block: HydratedBlock,
  { checks = "standard", rules = HashRules.none }: BlockVerifier.Options,
): boolean =>
  checks !== "links" && HashRules.at(rules, block.number ?? 0n).withdrawals === true && Withdrawals.isMissing(block)

const ofWithdrawals = (block: HydratedBlock): Deviation => ({
  kind: "missing withdrawals",
  detail: `no list for the root ${block.withdrawalsRoot}`,
})

const gap = (kind: Deviation["kind"], indexes: ReadonlyArray<number | null | undefined>): ReadonlyArray<Deviation> => {
  const at = indexes.findIndex((index, position) => index != null && index !== position)
  return at === -1 ? [] : [{ kind, detail: `index ${indexes[at]} at position ${at}` }]
}

const ofIndexes = ({ transactions }: HydratedBlock, receipts: ReadonlyArray<Receipt>): ReadonlyArray<Deviation> => {
  const missing = transactions.length - receipts.length
  return [
    ...(missing > 0 ? [{ kind: "missing receipts", detail: `${missing} of ${transactions.length}` } as const] : []),
    ...gap(
      "gap in log indexes",
      receipts.flatMap(({ logs }) => logs.map(({ logIndex }) => logIndex)),
    ),
    ...gap(
      "gap in transaction indexes",
      transactions.map(({ transactionIndex }) => transactionIndex),
    ),
  ]
}

/**
 * Finds the deviations of a block that was verified with these options, in addition to failed checks. `receipts` is `null` if they were not
 * fetched.
 */
export const find = (
  block: HydratedBlock,
  receipts: ReadonlyArray<Receipt> | null,
  options: BlockVerifier.Options,
): ReadonlyArray<Deviation> => {
  const { checks = "standard", rules = HashRules.none, undecoded = Undecoded.none } = options
  const { headerHash, indexGaps = false } = HashRules.at(rules, block.number ?? 0n)
  return [
    ...(headerHash && checks !== "links" ? ofHeader(block) : []),
    ...(lacksWithdrawals(block, options) ? [ofWithdrawals(block)] : []),
    ...ofUndecodedHeader(undecoded),
    ...ofParts("undecoded transaction fields", undecoded.transactions),
    ...ofParts("undecoded receipt fields", undecoded.receipts),
    ...(indexGaps && receipts !== null ? ofIndexes(block, receipts) : []),
  ]
}

/**
 * Deviations of one block, as plain data that threads send to the indexer.
 */
export interface OfBlock {
  readonly block: number
  readonly deviations: ReadonlyArray<Deviation>
}

/**
 * Reports deviations of a block.
 */
export type Reporter = (block: number, deviations: ReadonlyArray<Deviation>) => Effect.Effect<void>

/**
 * Deviations that are limits of the node and occur in every block. They do not mark a block, because the correction follows from the block
 * itself.
 */
const limits: ReadonlyMap<Deviation["kind"], string> = new Map([
  ["log indexes per transaction", "log indexes per transaction (numbered by Daybook)"],
])

/**
 * The limit of the nodes that a deviation shows; `null` if it concerns its block.
 */
export const limitOf = ({ kind }: Deviation): string | null => limits.get(kind) ?? null

/**
 * True for a deviation that marks its block. Missing receipts are already gaps.
 */
export const isMarked = (deviation: Deviation): boolean =>
  deviation.kind !== "missing receipts" && limitOf(deviation) === null

/** Maximum number of log lines of a reporter, so that a node that sends different fields with each block fills neither the log nor memory. */
const maxReports = 100

/**
 * Logs deviations, and keeps the limits that they show.
 */
export interface Log {
  readonly report: Reporter
  /** Limits of the nodes so far, in the words of a status. */
  readonly limits: () => ReadonlyArray<string>
}

/**
 * Makes a log that reports each kind of deviation once, and unknown header fields once per set of fields, with at most 100 lines. There is
 * one per chain: its threads return the deviations that they find.
 */
export const makeLog = (): Log => {
  const reported = new Set<string>()
  const found = new Set<string>()
  const report: Reporter = (block, deviations) =>
    Effect.forEach(
      deviations,
      (deviation) => {
        const { detail, kind } = deviation
        const limit = limitOf(deviation)
        if (limit !== null) return Effect.sync(() => void found.add(limit))
        const key = kind === "unknown header fields" ? `${kind} ${detail}` : kind
        if (reported.has(key) || reported.size >= maxReports) return Effect.void
        reported.add(key)
        const annotations = { block, deviation: kind, detail }
        return Effect.annotateLogs(
          Effect.logWarning("Accepted a block that could not be verified in full"),
          annotations,
        )
      },
      { discard: true },
    )
  return { report, limits: () => [...found] }
}
