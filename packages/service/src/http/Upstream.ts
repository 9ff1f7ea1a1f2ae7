/**
 * The relay's way to the nodes of one chain: asks them in order of preference until one answers, and only those that are of the
 * chain. Results come as the text that the node wrote. Nothing that it says holds a URL, a host or a key.
 */
import * as RpcClient from "@daybook/rpc/RpcClient"
import type { CallError, RpcError } from "@daybook/rpc/RpcError"
import type { InvalidOption } from "@daybook/transport/ClientError"
import * as Data from "effect/Data"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { ServedChain } from "../Config.ts"

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
}

const timeout = "15 seconds"
const retryAfterSeconds = 2
const longestRetryAfterSeconds = 60

/** Worth asking another node: this one failed, rather than judged the call. */
const isOfNode = (error: CallError): boolean => error._tag !== "RpcError" || error.isRetryable

const waitOf = (errors: ReadonlyArray<CallError>): number => {
  const asked = errors.flatMap(({ retryAfter }) => (retryAfter === undefined ? [] : [Duration.toSeconds(retryAfter)]))
  return asked.length === 0 ? retryAfterSeconds : Math.min(longestRetryAfterSeconds, Math.ceil(Math.min(...asked)))
}

/**
 * Makes the way to the nodes of a chain. No request is made yet.
 *
 * **Errors**
 * - `InvalidOption`: a URL cannot be used; the message does not show it.
 */
export const make = Effect.fn("Upstream.make")(function* (
  chain: Pick<ServedChain, "name" | "id" | "config">,
): Effect.fn.Return<Upstream, InvalidOption> {
  const urls = chain.config.rpc
  const maxAttempts = urls.length === 1 ? 2 : 1
  const endpoints = yield* Effect.forEach(urls, (url) =>
    Effect.map(RpcClient.make({ url, timeout, retry: { maxAttempts } }), (client): Endpoint => ({
      client,
      isVerified: false,
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

  return {
    call: Effect.fnUntraced(function* (method, params): Effect.fn.Return<string, RpcError | UpstreamDown> {
      const errors: Array<CallError> = []
      for (let turn = 0; turn < endpoints.length; turn++) {
        const index = (preferred + turn) % endpoints.length
        const endpoint = endpoints[index]!
        const outcome = yield* Effect.result(
          Effect.flatMap(verify(endpoint), (isOurs) =>
            isOurs ? endpoint.client.requestText(method, params) : Effect.succeed(null),
          ),
        )
        if (outcome._tag === "Success") {
          if (outcome.success === null) continue
          preferred = index
          yield* say(false, "")
          return outcome.success
        }
        const error = outcome.failure
        if (!isOfNode(error) && error._tag === "RpcError") return yield* error
        if (error._tag === "TransportError") endpoint.isVerified = false
        errors.push(error)
      }
      const judged = errors.find((error) => error._tag === "RpcError")
      if (judged !== undefined) return yield* judged
      yield* say(true, errors.map(({ _tag }) => _tag).join(", ") || "WrongChain")
      const message = `No node of ${chain.name} answers now; try again.`
      return yield* new UpstreamDown({ message, retryAfterSeconds: waitOf(errors) })
    }),
  }
})
