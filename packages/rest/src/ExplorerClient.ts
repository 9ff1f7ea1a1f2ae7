/**
 * Client for what the pages of an explorer read besides histories: names, search, contract ABIs, settings and the status of the indexes. It
 * is a separate module so that other programs do not bundle it. Its calls return promises, like those of `@daybook/rest/promise`.
 */
import type { ContractResult } from "@daybook/schema/ContractView"
import * as ExplorerOperation from "@daybook/schema/ExplorerOperation"
import type { ExplorerSettings } from "@daybook/schema/ExplorerSettings"
import type { ChainStatus, ServiceStatus } from "@daybook/schema/IndexStatus"
import * as Issue from "@daybook/schema/Issue"
import type { NamesResult } from "@daybook/schema/NameLookup"
import type { SearchResult } from "@daybook/schema/NameSearch"
import * as RestOperation from "@daybook/schema/RestOperation"
import * as CallerStack from "@daybook/transport/internal/CallerStack"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import * as SchemaParser from "effect/SchemaParser"
import type { Options } from "./Client.ts"
import * as CallDefaults from "./internal/CallDefaults.ts"
import * as ClientContext from "./internal/ClientContext.ts"
import * as OperationCalls from "./internal/OperationCalls.ts"
import { kinds, single } from "./internal/PromiseCall.ts"
import type { EncodedQuery } from "./Operation.ts"
import type { CallOptions } from "./promise.ts"

export type { Item as AbiItem, Parameter as AbiParameter } from "@daybook/schema/Abi"
export type { ContractAbi, ContractView } from "@daybook/schema/ContractView"
export type { ExplorerSettings, ServedChain } from "@daybook/schema/ExplorerSettings"
export type { ChainStatus, ServiceStatus } from "@daybook/schema/IndexStatus"
export type { NamedFunction, Names } from "@daybook/schema/NameLookup"
export type { NamedAddress } from "@daybook/schema/NameSearch"

/**
 * Query of an operation: its path parameters as text, and its query parameters.
 */
export type ExplorerQuery<N extends ExplorerOperation.Name> = {
  readonly [K in keyof ExplorerOperation.All[N]["params"]["fields"]]: string
} & ExplorerOperation.All[N]["query"]["Type"]

/**
 * The calls of the client. Promises reject with the errors of `RestError`; recognise them by `_tag`.
 */
export interface ExplorerClient {
  /** Returns labels of addresses, and functions and errors decoded from data, in the order of the query. */
  readonly names: (query: ExplorerQuery<"names">, options?: CallOptions) => Promise<NamesResult>
  /** Returns addresses whose names match a text, best matches first. */
  readonly search: (query: ExplorerQuery<"search">, options?: CallOptions) => Promise<SearchResult>
  /** Returns the name and ABI of a contract and, for a proxy, of its implementation. */
  readonly contract: (query: ExplorerQuery<"contract">, options?: CallOptions) => Promise<ContractResult>
  /** Returns the chains of the server, and whether its pages require an API key. */
  readonly settings: (query: ExplorerQuery<"settings">, options?: CallOptions) => Promise<ExplorerSettings>
  /** Returns the status of the server and all of its chains or, with `chain`, of that chain only. */
  readonly ready: (query: ExplorerQuery<"ready">, options?: CallOptions) => Promise<ServiceStatus | ChainStatus>
  /** Returns the same client with these options as defaults for its calls; waits and limits are shared. Headers are merged. */
  readonly with: (options: CallOptions) => ExplorerClient
}

/** An operation whose response is read as a value of a type. */
type Contract<A> = RestOperation.RestOperation & { readonly response: Schema.Codec<A, unknown> }

/** Makes the encoder for queries of an operation; an unknown parameter is an issue. */
const encoder = <A>(contract: Contract<A>) => {
  const decodePath = SchemaParser.decodeUnknownResult(contract.params)
  return (query: Readonly<Record<string, unknown>>): Result.Result<EncodedQuery, Issue.Issue> =>
    Result.gen(function* () {
      const entries = Object.entries(query)
      const isParam = (name: string) => Object.hasOwn(contract.params.fields, name)
      const path = Object.fromEntries(entries.filter(([name]) => isParam(name)))
      // Sound: an error has at least one issue.
      const params = yield* Result.mapError(decodePath(path), (error) => Issue.fromError(error, path)[0]!)
      const rest = Object.fromEntries(entries.filter(([name, value]) => !isParam(name) && value !== undefined))
      const parameters = yield* RestOperation.encodeQuery(contract, rest)
      // Sound: path parameters decode to text, and parameters without a value are left out.
      return { params, parameters } as EncodedQuery
    })
}

/**
 * Makes a client.
 *
 * **Errors**
 *
 * - Throws `InvalidOption`: the base URL, the key or a limit is invalid. The message never shows a URL or a key.
 *
 * **Example** (Reading how far the index of a chain reaches)
 *
 * ```ts
 * import { createExplorerClient } from "@daybook/rest/ExplorerClient"
 *
 * const fetch = async () => Response.json({ ready: true, chains: [] }, { status: 503 }) // left out in a program
 * const explorer = createExplorerClient({ baseUrl: "https://s.example", apiKey: "my-key", fetch })
 * const status = await explorer.ready({})
 * console.log("chains" in status && status.chains.length) // 0
 * ```
 */
export const createExplorerClient = (options: Options): ExplorerClient => {
  const context = CallerStack.keepThrown(() =>
    Result.getOrThrow(Effect.runSync(Effect.result(ClientContext.make(options, kinds)))),
  )
  const call = <A>(contract: Contract<A>) =>
    single(OperationCalls.single(context, { contract, encode: encoder(contract) }, () => []))
  const { contract, names, ready, search, settings } = ExplorerOperation.all
  return CallDefaults.client<ExplorerClient, CallOptions>({
    names: call(names),
    search: call(search),
    contract: call(contract),
    settings: call(settings),
    ready: call<ServiceStatus | ChainStatus>(ready),
  })
}
