/**
 * The relay's way to the nodes of one chain: asks them in order of preference until one answers, and only those that are of the
 * chain. Results come as the text that the node wrote. Nothing that it says holds a URL, a host or a key.
 */
import * as RpcClient from "@daybook/rpc/RpcClient"
import type { CallError, RpcError } from "@daybook/rpc/RpcError"
import type { InvalidOption } from "@daybook/transport/ClientError"
import * as Clock from "effect/Clock"
import * as Data from "effect/Data"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { ServedChain } from "../../config/ServedChain.ts"

/** No node of the chain answers for now. */
export class UpstreamDown extends Data.TaggedError("UpstreamDown")<{
  readonly message: string
  readonly retryAfterSeconds: number
}> {}

/** The nodes of a chain. */
export interface Upstream {
  /** The text of a call's result. Parameters must fit the method. */
  readonly call: (method: string, params: ReadonlyArray<unknown>) => Effect.Effect<string, RpcError | UpstreamDown>
}

interface Endpoint {
  readonly client: RpcClient.Client
  isVerified: boolean
  /** When the wait that the node asked for ends; calls go past it until then. */
  pausedUntilMillis: number
}

const timeout = "15 seconds"
const standardRetrySeconds = 2
const longestPauseMillis = 60_000

/** A connection that was kept alive may have been closed meanwhile: the only failure that is tried again on the same node. */
const isOfConnection = (error: CallError): boolean => error._tag === "TransportError"

/**
 * Makes the way to the nodes of a chain. No request is made yet.
 *
 * **Errors**
 * - `InvalidOption`: a URL cannot be used; the message does not show it.
 */
export const make = Effect.fn("Upstream.make")(function* (
  chain: Pick<ServedChain, "name" | "id" | "config">,
): Effect.fn.Return<Upstream, InvalidOption> {
  const endpoints = yield* Effect.forEach(chain.config.rpc, (url) =>
    Effect.map(RpcClient.make({ url, timeout, retry: { maxAttempts: 1 }, batch: false }), (client): Endpoint => ({
      client,
      isVerified: false,
      pausedUntilMillis: 0,
    })),
  )
  let preferred = 0
  let isDown = false

  /** True when the node is of this chain; asked once, and again after its connection broke. */
  const verify = Effect.fnUntraced(function* (endpoint: Endpoint): Effect.fn.Return<boolean, CallError> {
    if (endpoint.isVerified) return true
    const found = yield* endpoint.client.eth_chainId()
    endpoint.isVerified = found === BigInt(chain.id)
    if (!endpoint.isVerified) {
      yield* Effect.logWarning(
        `${chain.name}: a node of the relay is of chain ${found}, not ${chain.id}; it is not used`,
      )
    }
    return endpoint.isVerified
  })

  const say = (down: boolean, why: string) =>
    Effect.suspend(() => {
      if (down === isDown) return Effect.void
      isDown = down
      return down
        ? Effect.logWarning(`${chain.name}: no node answers the relay (${why})`)
        : Effect.logInfo(`${chain.name}: a node answers the relay again`)
    })

  /** Asks one node; `null` when it is of another chain. */
  const ask = (endpoint: Endpoint, method: string, params: ReadonlyArray<unknown>) =>
    Effect.flatMap(verify(endpoint), (isOurs) =>
      isOurs ? endpoint.client.requestText(method, params) : Effect.succeed(null),
    ).pipe(Effect.retry({ times: 1, while: isOfConnection }))

  const noteFailure = Effect.fnUntraced(function* (endpoint: Endpoint, error: CallError) {
    if (isOfConnection(error)) endpoint.isVerified = false
    if (error.retryAfter === undefined) return
    const wait = Math.min(Duration.toMillis(error.retryAfter), longestPauseMillis)
    endpoint.pausedUntilMillis = (yield* Clock.currentTimeMillis) + wait
  })

  const down = Effect.fnUntraced(function* (errors: ReadonlyArray<CallError>) {
    const why = errors.map(({ _tag }) => _tag).join(", ")
    yield* say(true, why === "" ? "none is of the chain, or all asked to wait" : why)
    const now = yield* Clock.currentTimeMillis
    const waits = endpoints.map(({ pausedUntilMillis }) => pausedUntilMillis - now).filter((millis) => millis > 0)
    const isPaused = waits.length === endpoints.length
    const retryAfterSeconds = isPaused ? Math.ceil(Math.min(...waits) / 1000) : standardRetrySeconds
    return new UpstreamDown({ message: `No node of ${chain.name} answers now; try again.`, retryAfterSeconds })
  })

  return {
    call: Effect.fnUntraced(function* (method, params): Effect.fn.Return<string, RpcError | UpstreamDown> {
      const errors: Array<CallError> = []
      const first = preferred
      const now = yield* Clock.currentTimeMillis
      for (let turn = 0; turn < endpoints.length; turn++) {
        const index = (first + turn) % endpoints.length
        const endpoint = endpoints[index]!
        if (endpoint.pausedUntilMillis > now) continue
        const outcome = yield* Effect.result(ask(endpoint, method, params))
        if (outcome._tag === "Success") {
          if (outcome.success === null) continue
          preferred = index
          yield* say(false, "")
          return outcome.success
        }
        const error = outcome.failure
        if (error._tag === "RpcError" && !error.isRetryable) return yield* error
        yield* noteFailure(endpoint, error)
        errors.push(error)
      }
      const judged = errors.find((error) => error._tag === "RpcError")
      return yield* judged ?? (yield* down(errors))
    }),
  }
})
