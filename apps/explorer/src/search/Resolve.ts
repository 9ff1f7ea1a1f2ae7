/** Resolves a search: to the page of an exact hit, to several hits, or to the reason why nothing was found. */
import type { RpcClient } from "@daybook/rpc/promise"
import * as Clients from "../service/Clients.ts"
import type { Service } from "../service/Service.tsx"
import type { Watched } from "../watch/WatchList.ts"
import { type BlockTag, parse, type SearchQuery } from "./SearchQuery.ts"

/** A page that a search leads to. */
export type Target =
  | { readonly page: "address"; readonly id: string }
  | { readonly page: "tx"; readonly id: string }
  | { readonly page: "block"; readonly id: string }

/** One of several hits. */
export interface Hit {
  readonly target: Target
  readonly chain: string
  readonly kind: string
  readonly name: string
  readonly detail: string
}

/** The result of a search. */
export type Resolution =
  | { readonly _tag: "Exact"; readonly target: Target }
  | { readonly _tag: "Hits"; readonly hits: ReadonlyArray<Hit> }
  | { readonly _tag: "Nothing"; readonly reason: string }

const nothing = (reason: string): Resolution => ({ _tag: "Nothing", reason })

const exact = (page: Target["page"], id: string): Resolution => ({ _tag: "Exact", target: { page, id } })

const findHash = async (client: RpcClient, hash: string): Promise<Target | undefined> => {
  const [transaction, block] = await Promise.all([
    client.eth_getTransactionByHash(hash),
    client.eth_getBlockByHash(hash),
  ])
  if (transaction !== null) return { page: "tx", id: hash }
  return block === null ? undefined : { page: "block", id: hash }
}

/** Looks for a hash on the other chains of the service. A chain that fails is treated as having no result. */
const findElsewhere = async (hash: string, { apiKey, chain, chains }: Service): Promise<ReadonlyArray<Hit>> => {
  const others = chains.filter(({ name }) => name !== chain.name)
  const found = await Promise.all(
    others.map(async ({ name }): Promise<ReadonlyArray<Hit>> => {
      const target = await findHash(await Clients.rpc(name, apiKey), hash).catch(() => undefined)
      if (target === undefined) return []
      return [{ target, chain: name, kind: target.page === "tx" ? "transaction" : "block", name: hash, detail: name }]
    }),
  )
  return found.flat()
}

const resolveHash = async (hash: string, service: Service): Promise<Resolution> => {
  const { apiKey, chain, chains } = service
  const target = await findHash(await Clients.rpc(chain.name, apiKey), hash)
  if (target !== undefined) return { _tag: "Exact", target }
  const hits = await findElsewhere(hash, service)
  if (hits.length > 0) return { _tag: "Hits", hits }
  const where =
    chains.length === 1 ? chain.name : `any chain of this service (${chains.map(({ name }) => name).join(", ")})`
  return nothing(
    `No transaction and no block of ${where} has this hash. A transaction may still be pending elsewhere, or a reorg may have reverted it.`,
  )
}

type NumberQuery = Extract<SearchQuery, { readonly _tag: "BlockNumber" }>

const resolveNumber = async ({ number, text }: NumberQuery, { apiKey, chain }: Service): Promise<Resolution> => {
  const client = await Clients.rpc(chain.name, apiKey)
  const latest = await client.eth_blockNumber()
  return number <= latest
    ? exact("block", String(number))
    : nothing(
        `${chain.name} has no block ${number} yet: the latest one is ${latest}.${text.startsWith("0x") ? ` ${text} was read as a block number: an address has 40 digits after 0x, and a hash 64.` : ""}`,
      )
}

const resolveTag = async (tag: BlockTag, { apiKey, chain }: Service): Promise<Resolution> => {
  const block = await (await Clients.rpc(chain.name, apiKey)).eth_getBlockByNumber(tag)
  if (block === null || block.number === null) return nothing(`The node of ${chain.name} has no block "${tag}".`)
  return exact("block", String(block.number))
}

/** Maximum number of hits shown. */
const maxHits = 20

const findNames = async (
  text: string,
  service: Service,
  watched: ReadonlyArray<Watched>,
): Promise<ReadonlyArray<Hit>> => {
  const chain = service.chain.name
  const labelled = watched.filter(({ label }) => label.toLowerCase().includes(text.toLowerCase()))
  const client = await Clients.explorer(service.apiKey)
  const { result: named } = await client.search({ chain, q: text, limit: maxHits })
  return [
    ...labelled.map(({ address, label }) => ({ kind: "your label", name: label, detail: address, address })),
    ...named.map(({ address, kind, name, symbol }) => ({
      kind: kind === "ens" ? "ENS name" : kind,
      name: symbol === null || symbol === "" ? name : `${name} (${symbol})`,
      detail: address,
      address,
    })),
  ]
    .map(({ address, ...hit }): Hit => ({ ...hit, chain, target: { page: "address", id: address } }))
    .slice(0, maxHits)
}

const resolveText = async (text: string, service: Service, watched: ReadonlyArray<Watched>): Promise<Resolution> => {
  const hits = await findNames(text, service, watched)
  if (hits.length > 0) return { _tag: "Hits", hits }
  return nothing(
    `No label or token of ${service.chain.name} has "${text}" in its name. A new token is found once its block is final. Addresses and hashes begin with 0x; blocks are numbers, or latest.`,
  )
}

/** Minimum length of a text for suggestions while typing. */
const minSuggested = 2

/** Names that match a text while it is being typed; none for the beginning of an address, a hash or a number. */
export const suggest = async (
  text: string,
  service: Service,
  watched: ReadonlyArray<Watched>,
): Promise<ReadonlyArray<Hit>> => {
  const query = parse(text)
  return query._tag === "Text" && query.text.length >= minSuggested ? findNames(query.text, service, watched) : []
}

/** Resolves the text of a search. */
export const resolve = async (text: string, service: Service, watched: ReadonlyArray<Watched>): Promise<Resolution> => {
  const query = parse(text)
  switch (query._tag) {
    case "Empty":
      return nothing("Enter an address, a transaction or block hash, a block number, or a name.")
    case "Invalid":
      return nothing(query.reason)
    case "Address":
      return exact("address", query.address)
    case "Hash":
      return resolveHash(query.hash, service)
    case "BlockNumber":
      return resolveNumber(query, service)
    case "BlockTag":
      return resolveTag(query.tag, service)
    case "Text":
      return resolveText(query.text, service, watched)
  }
}
