/**
 * The subscriptions of one WebSocket connection: `eth_subscribe` with `newHeads` and `logs`, and `eth_unsubscribe`. The notifications of a
 * subscription follow the reply that states its id.
 *
 * Source: decision 0016; Ethereum JSON-RPC, `eth_subscribe`.
 */
import { randomBytes } from "node:crypto"
import * as Issue from "@daybook/schema/Issue"
import * as JsonRpc from "@daybook/schema/JsonRpc"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { Limits } from "../../config/Limits.ts"
import type * as ChainFeed from "./ChainFeed.ts"
import type { HeadBlock, HeadChange } from "./HeadChain.ts"
import * as LogFilter from "./LogFilter.ts"
import type * as RelayCall from "./RelayCall.ts"
import { code } from "./RelayError.ts"

/** What subscriptions depend on. */
export interface Options {
  readonly chain: string
  readonly feed: ChainFeed.ChainFeed
  readonly limits: Pick<Limits, "subscriptions">
  /** Sends the text of a notification. */
  readonly send: (text: string) => void
  /** Ends the connection: its subscriptions cannot go on without a gap. */
  readonly onLost: (reason: string) => void
}

/** A subscription. */
export interface Subscription {
  readonly id: string
  /** `null` for the headers of blocks. */
  readonly filter: LogFilter.LogFilter | null
  /** Notifications that wait for the reply with the id; `null` once it was sent. */
  waiting: Array<string> | null
}

/** The subscriptions of a connection. */
export interface Subscriptions {
  /** Answers a call of one of `methods`; a subscription that it makes is added to `made`. */
  readonly call: (
    method: string,
    params: ReadonlyArray<unknown>,
    made: Array<Subscription>,
  ) => Effect.Effect<RelayCall.Outcome>
  /** Sends the notifications of subscriptions from now on: their replies were sent. */
  readonly begin: (made: ReadonlyArray<Subscription>) => void
  /** Ends all. */
  readonly end: () => void
}

/** Methods that only a WebSocket has. */
export const methods: ReadonlySet<string> = new Set(["eth_subscribe", "eth_unsubscribe"])

/** Addresses and topics of all filters of a connection. */
const maxFilterValues = 2_000

/** What geth answers. */
const notFoundCode = -32_000

const decodeFilter = Schema.decodeUnknownResult(LogFilter.Params, { onExcessProperty: "error" })

const failed = (code: number, message: string): RelayCall.Outcome => ({ _tag: "Failure", failure: { code, message } })

const invalid = (path: string, expected: string, received: unknown): RelayCall.Outcome =>
  failed(
    JsonRpc.code.invalidParams,
    Issue.format("call of eth_subscribe", { path, expected, received: Issue.describe(received) }),
  )

const succeeded = (value: unknown): RelayCall.Outcome => ({
  _tag: "Success",
  result: Buffer.from(JSON.stringify(value)),
})

/** The filter of the parameters of `eth_subscribe`, `null` for `newHeads`; else why they are refused. */
const filterOf = (params: ReadonlyArray<unknown>): Result.Result<LogFilter.LogFilter | null, RelayCall.Outcome> => {
  const [kind, options] = params
  const count = kind === "logs" ? 2 : 1
  if (kind !== "newHeads" && kind !== "logs") return Result.fail(invalid("params[0]", `"newHeads" or "logs"`, kind))
  if (params.length > count) return Result.fail(invalid("params", `at most ${count} for ${kind}`, params))
  if (kind === "newHeads") return Result.succeed(null)
  const decoded = decodeFilter(options ?? {})
  if (Result.isSuccess(decoded)) return Result.succeed(LogFilter.fromParams(decoded.success))
  // Sound: a schema error has at least one issue.
  const { path, ...issue } = Issue.fromError(decoded.failure, options)[0]!
  const message = Issue.format("call of eth_subscribe", { ...issue, path: `params[1]${path === "" ? "" : `.${path}`}` })
  return Result.fail(failed(JsonRpc.code.invalidParams, message))
}

const idBytes = 16

const notification = (id: string, result: string): string =>
  `{"jsonrpc":"2.0","method":"eth_subscription","params":{"subscription":"${id}","result":${result}}}`

/** Logs of a block that a filter selects, as text. */
const logTexts = (filter: LogFilter.LogFilter, { logs = [] }: HeadBlock, isRemoved: boolean): ReadonlyArray<string> => {
  const texts = logs
    .filter((log) => LogFilter.isSelected(filter, log))
    .map(({ body }) => `${body},"removed":${isRemoved}}`)
  return isRemoved ? texts.toReversed() : texts
}

/** Results of the notifications of a subscription: of removed blocks from the highest down, then of added ones. */
const resultsOf = ({ filter }: Subscription, { added, removed }: HeadChange): ReadonlyArray<string> =>
  filter === null
    ? added.map(({ header }) => header)
    : [
        ...removed.flatMap((block) => logTexts(filter, block, true)),
        ...added.flatMap((block) => logTexts(filter, block, false)),
      ]

/** Makes the subscriptions of a connection; none at first. */
export const make = ({ chain, feed, limits, onLost, send }: Options): Subscriptions => {
  const all = new Map<string, Subscription>()
  /** Stops listening; null while nothing is listened to. */
  let stop: (() => void) | null = null
  let isEnded = false

  const onChange = (change: HeadChange) => {
    for (const subscription of all.values()) {
      for (const result of resultsOf(subscription, change)) {
        const text = notification(subscription.id, result)
        if (subscription.waiting === null) send(text)
        else subscription.waiting.push(text)
      }
    }
  }

  const listener: ChainFeed.Listener = {
    wantsLogs: () => [...all.values()].some(({ filter }) => filter !== null),
    onChange,
    onLost,
  }

  const stopIfEmpty = () => {
    if (all.size > 0 || stop === null) return
    stop()
    stop = null
  }

  const subscribe = Effect.fnUntraced(function* (
    params: ReadonlyArray<unknown>,
    made: Array<Subscription>,
  ): Effect.fn.Return<RelayCall.Outcome> {
    const filter = filterOf(params)
    if (Result.isFailure(filter)) return filter.failure
    const values = [...all.values()].reduce(
      (sum, own) => sum + (own.filter === null ? 0 : LogFilter.sizeOf(own.filter)),
      0,
    )
    if (all.size >= limits.subscriptions) {
      const bound = `limits.subscriptions (${limits.subscriptions})`
      return failed(code.limitExceeded, `Too many subscriptions: ${bound} is reached. Unsubscribe from one first.`)
    }
    if (filter.success !== null && values + LogFilter.sizeOf(filter.success) > maxFilterValues) {
      const bound = `${maxFilterValues} addresses and topics of a connection`
      return failed(code.limitExceeded, `Filters too large: at most ${bound}. Unsubscribe from one first.`)
    }
    const id = `0x${randomBytes(idBytes).toString("hex")}`
    const subscription: Subscription = { id, filter: filter.success, waiting: [] }
    all.set(id, subscription)
    const listening = yield* Effect.result(feed.listen(listener))
    if (Result.isFailure(listening)) {
      all.delete(id)
      return failed(code.unavailable, `No node of ${chain} answers now. Retry later.`)
    }
    stop = listening.success
    if (isEnded) all.delete(id)
    stopIfEmpty()
    made.push(subscription)
    return succeeded(id)
  })

  const unsubscribe = ([id]: ReadonlyArray<unknown>): RelayCall.Outcome => {
    if (typeof id !== "string" || !all.delete(id)) return failed(notFoundCode, "subscription not found")
    stopIfEmpty()
    return succeeded(true)
  }

  return {
    call: (method, params, made) =>
      method === "eth_subscribe" ? subscribe(params, made) : Effect.sync(() => unsubscribe(params)),
    begin: (made) => {
      for (const subscription of made) {
        const { waiting } = subscription
        subscription.waiting = null
        for (const text of waiting ?? []) send(text)
      }
    },
    end: () => {
      isEnded = true
      all.clear()
      stopIfEmpty()
    },
  }
}
