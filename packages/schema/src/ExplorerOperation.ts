/**
 * Operations for the pages of the explorer, besides those of `RestOperation`: names, search, contract ABIs, settings of the pages and
 * status of the indexes. They are separate so that a client of wallets does not download them.
 */
import * as Schema from "effect/Schema"
import * as ApiError from "./ApiError.ts"
import * as ContractView from "./ContractView.ts"
import * as ExplorerSettings from "./ExplorerSettings.ts"
import * as IndexStatus from "./IndexStatus.ts"
import * as NameLookup from "./NameLookup.ts"
import * as NameSearch from "./NameSearch.ts"
import type { RestOperation } from "./RestOperation.ts"

const errors = [
  ApiError.BadRequest,
  ApiError.NotFound,
  ApiError.MethodNotAllowed,
  ApiError.RateLimited,
  ApiError.Internal,
  ApiError.Unavailable,
] as const

/**
 * Labels of addresses, functions by selector, and errors by data, in the order of the parameters.
 *
 * Source: decision 0058; errors: decision 0012.
 */
export const names = {
  name: "names",
  method: "GET",
  path: "/api/v2.2/names",
  params: Schema.Struct({}),
  query: NameLookup.LookupQuery,
  response: NameLookup.NamesResult,
  errors,
} as const satisfies RestOperation

/**
 * Addresses by name: labels and described contracts by part of the name, then tokens by the start of their symbol or name.
 *
 * Source: decision 0058; errors: decision 0012.
 */
export const search = {
  name: "search",
  method: "GET",
  path: "/api/v2.2/search",
  params: Schema.Struct({}),
  query: NameSearch.SearchQuery,
  response: NameSearch.SearchResult,
  errors,
} as const satisfies RestOperation

/**
 * Name and ABI of a contract, and of its implementation.
 *
 * Source: decisions 0058 and 0059; errors: decision 0012.
 */
export const contract = {
  name: "contract",
  method: "GET",
  path: "/api/v2.2/contracts/:contract",
  params: ContractView.Path,
  query: ContractView.Query,
  response: ContractView.ContractResult,
  errors,
} as const satisfies RestOperation

/**
 * Chains of the server, and whether its pages require an API key. This operation requires none.
 *
 * Source: decision 0058.
 */
export const settings = {
  name: "settings",
  method: "GET",
  path: "/explorer.json",
  params: Schema.Struct({}),
  query: Schema.Struct({}),
  response: ExplorerSettings.ExplorerSettings,
  errors: [],
} as const satisfies RestOperation

/**
 * Status of the server and its chains, or of one chain. Requires no API key. The HTTP status is 503 while the requested status is not
 * ready.
 *
 * Source: decision 0012.
 */
export const ready = {
  name: "ready",
  method: "GET",
  path: "/ready",
  params: Schema.Struct({}),
  query: IndexStatus.Query,
  response: Schema.Union([IndexStatus.ServiceStatus, IndexStatus.ChainStatus]),
  moreStatuses: [503],
  errors: [ApiError.BadRequest],
} as const satisfies RestOperation

/**
 * The operations, by name.
 *
 * Source: decision 0058.
 */
export const all = { names, search, contract, settings, ready } as const satisfies Readonly<
  Record<string, RestOperation>
>

/**
 * The operations, by name.
 *
 * Source: decision 0058.
 */
export type All = typeof all

/**
 * Name of an operation.
 *
 * Source: decision 0058.
 */
export type Name = keyof All
