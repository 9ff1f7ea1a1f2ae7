/**
 * The subscriptions of one WebSocket connection: `eth_subscribe` with `newHeads`, `logs` and `daybook_movements`, and `eth_unsubscribe`.
 * The notifications of a subscription follow the reply that states its id.
 *
 * Source: decision 0016; Ethereum JSON-RPC, `eth_subscribe`.
 */
import { randomBytes } from "node:crypto"
import * as Issue from "@daybook/schema/Issue"
import * as JsonRpc from "@daybook/schema/JsonRpc"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import type { Limits } from "../../config/Limits.ts"
import type * as ChainFeed from "./ChainFeed.ts"
import type { HeadBlock, HeadChange } from "./HeadChain.ts"
import * as LogFilter from "./LogFilter.ts"
import type * as RelayCall from "./RelayCall.ts"
import type { CallFailed } from "./LocalMethod.ts"
import type { RelayCaller } from "./RelayCaller.ts"
import { code } from "./RelayError.ts"
import type { WalletStream, WalletStreams } from "./WalletStreams.ts"

/** Dependencies of subscriptions. */
export interface Options {
  readonly caller: RelayCaller
  readonly feed: ChainFeed.ChainFeed
  readonly streams: WalletStreams["Service"]
  readonly limits: Pick<Limits, "subscriptions">
  /** Sends the text of a notification. */
  readonly send: (text: string) => void
  /** Sends notifications of which none may be lost; completes when they are written or the connection is closed. */
  readonly write: (texts: ReadonlyArray<string>) => Effect.Effect<void>
  /** Runs an effect in parallel with the connection. */
  readonly fork: (effect: Effect.Effect<void>) => void
  /** Ends the connection because its subscriptions cannot continue without a gap. */
  readonly onLost: (reason: string) => void
}

/** A subscription to headers or logs of blocks. */
interface BlockSubscription {
  readonly _tag: "Blocks"
  readonly id: string
  /** `null` for block headers. */
  readonly filter: LogFilter.LogFilter | null
  /** Notifications that wait for the response with the id; `null` once it was sent. */
  waiting: Array<string> | null
  /** Stops listening. */
  stop: () => void
}

/** A subscription to the events of a wallet. */
interface WalletSubscription {
  readonly _tag: "Wallet"
  readonly id: string
  readonly stream: WalletStream
  readonly scope: Scope.Closeable
}

/** A subscription. */
export type Subscription = BlockSubscription | WalletSubscription

/** Subscriptions of a connection. */
export interface Subscriptions {
  /** Answers a call of one of `methods`; adds a subscription that it creates to `made`. */
  readonly call: (
    method: string,
    params: ReadonlyArray<unknown>,
    made: Array<Subscription>,
  ) => Effect.Effect<RelayCall.Outcome>
  /** Sends notifications of subscriptions from now on, because their responses were sent. */
  readonly begin: (made: ReadonlyArray<Subscription>) => void
  /** Ends all subscriptions. */
  readonly end: () => void
}

/** Methods that are only available over WebSocket. */
export const methods: ReadonlySet<string> = new Set(["eth_subscribe", "eth_unsubscribe"])

/** Maximum number of addresses and topics in all filters of a connection. */
const maxFilterValues = 2_000

/** The code that geth uses. */
const notFoundCode = -32_000

const decodeFilter = Schema.decodeUnknownResult(LogFilter.Params, { onExcessProperty: "error" })

const failed = (code: number, message: string): RelayCall.Outcome => ({ _tag: "Failure", failure: { code, message } })

/** The kind of subscription to the events of a wallet. */
const ofWallet = "daybook_movements"

const invalid = (path: string, expected: string, received: unknown): RelayCall.Outcome =>
  failed(
    JsonRpc.code.invalidParams,
    Issue.format("call of eth_subscribe", { path, expected, received: Issue.describe(received) }),
  )

const succeeded = (value: unknown): RelayCall.Outcome => ({
  _tag: "Success",
  result: Buffer.from(JSON.stringify(value)),
})

/** Filter from the parameters of a block subscription; `null` for `newHeads`. Otherwise the reason why the parameters are rejected. */
const filterOf = (params: ReadonlyArray<unknown>): Result.Result<LogFilter.LogFilter | null, RelayCall.Outcome> => {
  const [kind, options] = params
  const count = kind === "logs" ? 2 : 1
  if (kind !== "newHeads" && kind !== "logs") {
    return Result.fail(invalid("params[0]", `"newHeads", "logs" or "${ofWallet}"`, kind))
  }
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

const notificationOf = (id: string, member: "result" | "error", json: string): string =>
  `{"jsonrpc":"2.0","method":"eth_subscription","params":{"subscription":"${id}","${member}":${json}}}`

/** Logs of a block that match a filter, as text. */
const logTexts = (
  filter: LogFilter.LogFilter,
  { logs = [], number }: HeadBlock,
  isRemoved: boolean,
): ReadonlyArray<string> => {
  if (number < filter.from) return []
  const texts = logs
    .filter((log) => LogFilter.isSelected(filter, log))
    .map(({ body }) => `${body},"removed":${isRemoved}}`)
  return isRemoved ? texts.toReversed() : texts
}

/** Results for the notifications of a subscription: removed blocks from the highest down, then added blocks. */
const resultsOf = ({ filter }: BlockSubscription, { added, removed }: HeadChange): ReadonlyArray<string> =>
  filter === null
    ? added.map(({ header }) => header)
    : [
        ...removed.flatMap((block) => logTexts(filter, block, true)),
        ...added.flatMap((block) => logTexts(filter, block, false)),
      ]

const newId = (): string => `0x${randomBytes(idBytes).toString("hex")}`

/** Makes the block subscriptions. */
const makeBlocks = ({ caller, feed, onLost, send }: Options) => {
  const all = new Map<string, BlockSubscription>()
  let isEnded = false

  const listenerOf = (subscription: BlockSubscription): ChainFeed.Listener => ({
    wantsLogs: subscription.filter !== null,
    onChange: (change) => {
      for (const result of resultsOf(subscription, change)) {
        const text = notificationOf(subscription.id, "result", result)
        if (subscription.waiting === null) send(text)
        else subscription.waiting.push(text)
      }
    },
    onLost,
  })

  return {
    size: () => all.size,
    subscribe: Effect.fnUntraced(function* (
      params: ReadonlyArray<unknown>,
      made: Array<Subscription>,
      onCounted: () => void,
    ): Effect.fn.Return<RelayCall.Outcome> {
      const decoded = filterOf(params)
      if (Result.isFailure(decoded)) return decoded.failure
      const filter = decoded.success
      const values = [...all.values()].reduce(
        (sum, own) => sum + (own.filter === null ? 0 : LogFilter.sizeOf(own.filter)),
        0,
      )
      if (filter !== null && values + LogFilter.sizeOf(filter) > maxFilterValues) {
        const bound = `${maxFilterValues} addresses and topics per connection`
        return failed(code.limitExceeded, `Filters too large: at most ${bound}. Unsubscribe from one first.`)
      }
      const id = newId()
      const subscription: BlockSubscription = { _tag: "Blocks", id, filter, waiting: [], stop: () => undefined }
      all.set(id, subscription)
      onCounted()
      const listening = yield* Effect.result(feed.listen(listenerOf(subscription)))
      if (Result.isFailure(listening)) {
        all.delete(id)
        return failed(code.unavailable, `No node of ${caller.chain.name} responds now. Retry later.`)
      }
      subscription.stop = listening.success
      if (isEnded) subscription.stop()
      made.push(subscription)
      return succeeded(id)
    }),
    begin: (subscription: BlockSubscription) => {
      const { waiting } = subscription
      subscription.waiting = null
      for (const text of waiting ?? []) send(text)
    },
    remove: (id: string): boolean => {
      all.get(id)?.stop()
      return all.delete(id)
    },
    end: () => {
      isEnded = true
      for (const subscription of all.values()) subscription.stop()
      all.clear()
    },
  }
}

/** Makes the wallet subscriptions. */
const makeWallets = ({ caller, fork, onLost, streams, write }: Options) => {
  const all = new Map<string, WalletSubscription>()
  let isEnded = false
  // A connection reads and writes one step at a time, so a client that does not read holds one step.
  const writing = Semaphore.makeUnsafe(1)

  const remove = (id: string): boolean => {
    const subscription = all.get(id)
    if (subscription === undefined) return false
    all.delete(id)
    fork(Scope.close(subscription.scope, Exit.void))
    return true
  }

  const sendNext = ({ id, stream }: WalletSubscription): Effect.Effect<void, CallFailed> =>
    Effect.andThen(
      stream.awaitMore,
      writing.withPermit(
        Effect.flatMap(stream.take, (texts) =>
          Effect.suspend(() =>
            all.has(id) ? write(texts.map((text) => notificationOf(id, "result", text))) : Effect.void,
          ),
        ),
      ),
    )

  /** Sends events until the subscription ends; an error that ends it is its last notification. */
  const pump = (subscription: WalletSubscription): Effect.Effect<void> =>
    Effect.forever(sendNext(subscription)).pipe(
      Effect.catchTag("CallFailed", ({ failure }) =>
        Effect.suspend(() => {
          const { id } = subscription
          if (!all.has(id)) return Effect.void
          // The removal interrupts this fiber.
          return Effect.andThen(
            write([notificationOf(id, "error", JSON.stringify(failure))]),
            Effect.sync(() => void remove(id)),
          )
        }),
      ),
      Effect.catchCauseIf(
        (cause) => !Cause.hasInterruptsOnly(cause),
        (cause) =>
          Effect.andThen(
            Effect.logError(`A subscription failed: ${Cause.pretty(cause)}`),
            Effect.sync(() => onLost("The service failed")),
          ),
      ),
    )

  return {
    size: () => all.size,
    subscribe: Effect.fnUntraced(function* (
      params: ReadonlyArray<unknown>,
      made: Array<Subscription>,
      onCounted: () => void,
    ): Effect.fn.Return<RelayCall.Outcome> {
      const scope = yield* Scope.make()
      const opened = yield* Effect.onError(Effect.result(Scope.provide(streams.open(params, caller), scope)), (cause) =>
        Scope.close(scope, Exit.failCause(cause)),
      )
      if (Result.isFailure(opened) || isEnded) yield* Scope.close(scope, Exit.void)
      if (Result.isFailure(opened)) return { _tag: "Failure", failure: opened.failure.failure }
      const subscription: WalletSubscription = { _tag: "Wallet", id: newId(), stream: opened.success, scope }
      if (!isEnded) all.set(subscription.id, subscription)
      onCounted()
      made.push(subscription)
      return succeeded(subscription.id)
    }),
    begin: (subscription: WalletSubscription) => {
      if (!all.has(subscription.id)) return
      fork(Effect.asVoid(Effect.forkIn(pump(subscription), subscription.scope)))
    },
    remove,
    end: () => {
      isEnded = true
      for (const id of all.keys()) remove(id)
    },
  }
}

/** Makes the subscriptions of a connection, initially empty. */
export const make = (options: Options): Subscriptions => {
  const { limits } = options
  const [blocks, wallets] = [makeBlocks(options), makeWallets(options)]

  /** Subscriptions that are being opened and not yet counted by kind. */
  const opening = new Set<object>()

  const subscribe = (params: ReadonlyArray<unknown>, made: Array<Subscription>): Effect.Effect<RelayCall.Outcome> =>
    Effect.acquireUseRelease(
      Effect.sync(() => {
        if (blocks.size() + wallets.size() + opening.size >= limits.subscriptions) return null
        const own = {}
        opening.add(own)
        return { release: () => void opening.delete(own) }
      }),
      (reservation) => {
        if (reservation === null) {
          const bound = `limits.subscriptions (${limits.subscriptions})`
          const message = `Too many subscriptions: ${bound} is reached. Unsubscribe from one first.`
          return Effect.succeed(failed(code.limitExceeded, message))
        }
        return params[0] === ofWallet
          ? wallets.subscribe(params.slice(1), made, reservation.release)
          : blocks.subscribe(params, made, reservation.release)
      },
      (reservation) => Effect.sync(() => reservation?.release()),
    )

  const unsubscribe = ([id]: ReadonlyArray<unknown>): RelayCall.Outcome =>
    typeof id === "string" && (blocks.remove(id) || wallets.remove(id))
      ? succeeded(true)
      : failed(notFoundCode, "subscription not found")

  return {
    call: (method, params, made) =>
      method === "eth_subscribe" ? subscribe(params, made) : Effect.sync(() => unsubscribe(params)),
    begin: (made) => {
      for (const subscription of made) {
        if (subscription._tag === "Blocks") blocks.begin(subscription)
        else wallets.begin(subscription)
      }
    },
    end: () => {
      blocks.end()
      wallets.end()
    },
  }
}
