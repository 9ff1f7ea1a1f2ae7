/**
 * Information from the service itself: the limit of a key, labels of addresses, and the served chains.
 *
 * Source: decision 0070.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { Authentication } from "../admission/Authentication.ts"
import type { ChainContracts } from "../chain/ChainContracts.ts"
import type { ChainEns } from "../chain/ChainEns.ts"
import type { Action, Actions, Chain } from "./Action.ts"
import * as Envelope from "./Envelope.ts"
import * as Parameters from "./Parameters.ts"

/** Dependencies of the actions. */
export interface Options {
  readonly authentication: Authentication["Service"]
  readonly contracts: ChainContracts["Service"]
  readonly ensOf: ChainEns["Service"]
}

/** Daily credits that stand for a number of requests per second, from which clients derive their pace. */
const tiers = [
  [30, 1_000_000],
  [20, 500_000],
  [10, 200_000],
] as const
const lowestTier = 100_000

const daySeconds = 86_400

const clockText = (seconds: number): string =>
  [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60, seconds % 60]
    .map((part) => String(part).padStart(2, "0"))
    .join(":")

const limit =
  ({ authentication }: Options): Action["answer"] =>
  ({ grant }) =>
    Effect.map(Clock.currentTimeMillis, (now) => {
      const { perSecond } = authentication.limitOf(grant)
      const creditLimit = tiers.find(([least]) => perSecond >= least)?.[1] ?? lowestTier
      return Envelope.ofResult({
        creditsUsed: 0,
        creditsAvailable: creditLimit,
        creditLimit,
        limitInterval: "daily",
        intervalExpiryTimespan: clockText(daySeconds - (Math.floor(now / 1_000) % daySeconds) - 1),
      })
    })

/** Maximum number of addresses in one request. */
const maxAddresses = 100

const tags = ({ contracts, ensOf }: Options): Action["answer"] =>
  Effect.fnUntraced(function* ({ chain, parameters }) {
    const texts = (parameters.get("address") ?? "").split(",")
    if (texts.length > maxAddresses) return yield* Envelope.invalid("address", `at most ${maxAddresses} addresses`)
    const addresses = yield* Effect.fromResult(Result.all(texts.map((text) => Parameters.addressOf(text.trim()))))
    yield* ensOf(chain).settle(addresses)
    const { label } = yield* contracts.find(chain)
    return Envelope.ofResult(
      addresses.map((address) => ({
        address,
        nametag: label(address) ?? "",
        internal_nametag: "",
        url: "",
        labels: [],
        labels_slug: [],
        reputation: 0,
        other_attributes: [],
      })),
    )
  })

/** Body of the chain list. Its URLs are relative, because the service does not know its own host name. */
export const chainList = (chains: ReadonlyArray<Chain>): string =>
  JSON.stringify({
    comments: "Chains of this service. Addresses are relative to it.",
    totalcount: chains.length,
    result: chains.map(({ id, name }) => ({
      chainname: name,
      chainid: String(id),
      blockexplorer: `/?chain=${encodeURIComponent(name)}`,
      apiurl: `/v2/api?chainid=${id}`,
      status: 1,
      comment: "",
    })),
  })

/** The actions. */
export const make = (options: Options): Actions => ({
  "getapilimit/getapilimit": { operation: "walletTransactions", answer: limit(options) },
  "nametag/getaddresstag": { operation: "walletTransactions", answer: tags(options) },
})
