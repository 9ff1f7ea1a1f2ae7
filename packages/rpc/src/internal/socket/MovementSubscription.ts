/** Subscription to the movements of a wallet, which resumes from the cursor of the last event. */
import * as WalletEvent from "@daybook/schema/WalletEvent"
import * as EventProgress from "@daybook/transport/internal/EventProgress"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as SchemaParser from "effect/SchemaParser"
import { issueOf, type Kind } from "./Subscription.ts"

/**
 * Selects movements and where they start.
 *
 * Source: decision 0073.
 */
export interface MovementQuery {
  /** The wallet, in any case. */
  readonly address: string
  /** Where movements start: a block, a date, the cursor of an event, or `now`. Default `now`. */
  readonly from?: bigint | number | string | Date | undefined
  /** `final`: only rows of final blocks, which no reorg removes. Default `head`. */
  readonly finality?: WalletEvent.Finality | undefined
  /** `native`, the address of a token, or several of them. Default: all. */
  readonly asset?: string | ReadonlyArray<string> | undefined
  /** A kind of movement, or several. Default: all. */
  readonly kind?: string | ReadonlyArray<string> | undefined
}

const decode = SchemaParser.decodeUnknownResult(WalletEvent.WalletEvent)
const types: ReadonlySet<unknown> = new Set(WalletEvent.types)

/** An invalid date is sent as its text, so that the server reports what it accepts. */
const textOf = (from: MovementQuery["from"] = "now"): string =>
  from instanceof Date && !Number.isNaN(from.getTime()) ? from.toISOString() : String(from)

const listOf = (values: string | ReadonlyArray<string> | undefined): string | undefined =>
  values === undefined || typeof values === "string" ? values : values.join(",")

/** Members of an event that are read before it is decoded, since a later version may send other types. */
interface Envelope {
  readonly type?: unknown
  readonly data?: { readonly cursor?: unknown } | null
}

const isEnvelope = (value: unknown): value is Envelope => typeof value === "object" && value !== null

/** The query as parameters. Unknown members are sent too, so that the server rejects misspelt ones. */
const paramsOf = (query: MovementQuery, cursor: string | undefined): object => {
  const { asset, from, kind, ...rest } = query ?? {}
  return { ...rest, from: cursor ?? textOf(from), asset: listOf(asset), kind: listOf(kind) }
}

/** Subscribes to the movements of a wallet. */
export const movements = (query: MovementQuery): Kind<WalletEvent.WalletEvent, EventProgress.EventProgress> => ({
  initial: EventProgress.initial(),
  params: ({ cursor }) => ["daybook_movements", paramsOf(query, cursor)],
  before: Effect.succeed,
  again: (progress) => Effect.succeed([[], progress]),
  isResumable: true,
  take: (progress, result) => {
    const cursor = isEnvelope(result) ? result.data?.cursor : undefined
    const type = isEnvelope(result) ? result.type : undefined
    if (typeof type === "string" && !types.has(type) && typeof cursor === "string") {
      return Result.succeed([[], EventProgress.skip(progress, cursor)])
    }
    const decoded = decode(result)
    if (Result.isFailure(decoded)) return Result.fail(issueOf(decoded.failure, result))
    const [next, isNew] = EventProgress.take(progress, decoded.success, decoded.success.data.cursor)
    return Result.succeed([isNew ? [decoded.success] : [], next])
  },
})
