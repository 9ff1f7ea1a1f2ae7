/** Reads the options of a client: where its node is, and how it is talked to. */
import * as Chain from "@daybook/schema/Chain"
import { InvalidOption } from "@daybook/transport/ClientError"
import * as Endpoint from "@daybook/transport/Endpoint"
import * as Exchange from "@daybook/transport/Exchange"
import { fromKey, type Key } from "@daybook/transport/Redaction"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type { Options } from "../Options.ts"
import { make, type Session } from "./session.ts"

const textOf = (key: Key): string => (typeof key === "string" ? key : Redacted.value(key))

const refuse = (option: string, problem: string): Effect.Effect<never, InvalidOption> =>
  Effect.fail(new InvalidOption({ option, problem }))

/** A path segment of one or two dots would be resolved away, and an empty one changes the path. */
const segment = (option: string, text: unknown): Effect.Effect<string, InvalidOption> => {
  if (typeof text !== "string") return refuse(option, `is missing. It takes text beside "rpcUrl".`)
  const trimmed = text.trim()
  return trimmed === "" || /^\.{1,2}$/.test(trimmed)
    ? refuse(option, "cannot be a part of a path. It takes text that is more than dots.")
    : Effect.succeed(trimmed)
}

/** The path segment of a chain: the interface's spelling for RPC where it has the chain, other text as it is. */
export const chainSegment = (chain: string, hyphens: boolean): string => {
  const [found, another] = Chain.fromText(chain)
  const name = found === undefined || another !== undefined ? chain : (found.rpcName ?? found.name)
  return hyphens ? name.replaceAll(/\s+/g, "-") : name
}

/** Where an option set leads. */
export interface Settings {
  readonly session: Session
  /** The chain's path segment; undefined with a URL that says nothing of it. */
  readonly chain: string | undefined
}

const endpointOf = Effect.fnUntraced(function* (options: Options) {
  const headers = options.headers === undefined ? {} : { headers: options.headers }
  const { url, rpcUrl } = options
  if (url !== undefined) {
    if (rpcUrl !== undefined) return yield* refuse("url", 'stands beside "rpcUrl". Give one of them.')
    return { endpoint: yield* Endpoint.make({ url, ...headers }), chain: undefined }
  }
  if (rpcUrl === undefined)
    return yield* refuse("url", 'is missing. Give "url", or "rpcUrl" with "chain" and "apiKey".')
  const chain = chainSegment(yield* segment("chain", options.chain), options.hyphens ?? false)
  const apiKey = yield* segment("apiKey", options.apiKey === undefined ? undefined : textOf(options.apiKey))
  const path = [chain, fromKey(apiKey)]
  return { endpoint: yield* Endpoint.make({ url: rpcUrl, path, option: "rpcUrl", ...headers }), chain }
})

/** Reads options. */
export const read = Effect.fnUntraced(function* (options: Options): Effect.fn.Return<Settings, InvalidOption> {
  const { endpoint, chain } = yield* endpointOf(options)
  const { timeout, retry, maxBytes, fetch } = options
  const policy = timeout === undefined ? retry : { ...retry, deadline: timeout }
  const exchange = yield* Exchange.make({ policy, maxBytes, fetch })
  return { session: make(exchange, endpoint), chain }
})
