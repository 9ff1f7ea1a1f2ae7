/**
 * Makes webhooks of requests, and what a request makes of one.
 *
 * Source: decision 0073.
 */
import { hash, randomBytes } from "node:crypto"
import { quote } from "@daybook/schema/Issue"
import type * as Resource from "@daybook/schema/Webhook"
import * as WalletEvent from "@daybook/schema/WalletEvent"
import * as Effect from "effect/Effect"
import * as Semaphore from "effect/Semaphore"
import * as ChainRegistry from "../../config/ChainRegistry.ts"
import * as EventPosition from "../../push/EventPosition.ts"
import * as Webhook from "../../push/Webhook.ts"
import type { IndexedChain } from "../../query/IndexedChain.ts"
import type { Caller } from "../admission/Authentication.ts"
import type { Bounds } from "../admission/Bounds.ts"
import * as KeyScope from "../admission/KeyScope.ts"
import * as ErrorResponse from "../http/ErrorResponse.ts"
import { InvalidParameter } from "../http/InvalidParameter.ts"
import { invalid } from "../rest/JsonBody.ts"
import * as WebhookAccess from "./WebhookAccess.ts"
import * as WebhookBounds from "./WebhookBounds.ts"
import * as WebhookPlaces from "./WebhookPlaces.ts"

/** What changes depend on. */
export interface Options extends WebhookBounds.Options {
  readonly bounds: Bounds["Service"]
  readonly chains: ReadonlyArray<IndexedChain>
}

/** Who a webhook belongs to that a caller makes; `null` for the operator, whose pages and programs may need no key. */
const holderOf = ({ grant }: Caller): string | null => (grant.name === "" ? null : grant.name)

/** The id of a webhook of a key with a name, so that a request that is sent again finds it. */
const idOf = (holder: string | null, name: string): string =>
  `wh_${hash("sha256", JSON.stringify([holder, name]), "base64url").slice(0, 24)}`

const randomName = (): string => `wh ${randomBytes(6).toString("hex")}`

/** The settings of a request with their defaults. */
const settingsOf = (body: Resource.Settings) => {
  const { finality = "head", from = "now", name = randomName(), types = [], url } = body
  return {
    url,
    name,
    from,
    finality,
    addresses: [...new Set(body.addresses)],
    types: types.length === 0 ? WalletEvent.rowTypes : [...new Set(types)],
  }
}

/** A webhook that was made, and its secret where this request has made it. */
type Created = readonly [WebhookAccess.Found, secret: string | null]

/** The webhook without the wallets that a change removes, and the wallets that the change adds to it. */
const walletsAfter = Effect.fnUntraced(function* (
  webhook: Webhook.Webhook,
  { add = [], remove = [] }: Resource.AddressChange,
): Effect.fn.Return<readonly [kept: Webhook.Webhook, added: ReadonlyArray<string>], ErrorResponse.ErrorResponse> {
  const kept = Webhook.without(webhook, new Set(remove))
  const added = [...new Set(add)].filter((wallet) => !kept.addresses.includes(wallet))
  yield* WebhookBounds.checkCount(add.length > 0 ? "add" : "remove", [...kept.addresses, ...added])
  return [kept, added]
})

/** What a change of wallets needs of the other changes. */
interface AddressChanges {
  readonly access: ReturnType<typeof WebhookAccess.make>
  readonly places: ReturnType<typeof WebhookPlaces.make>
  readonly checkRoom: ReturnType<typeof WebhookBounds.make>["checkRoom"]
  readonly permit: Semaphore.Semaphore
}

/** Gives a webhook other wallets. The positions of those that are added are read once, before changes take turns. */
const addressChanger = ({ access, checkRoom, permit, places }: AddressChanges) => {
  return Effect.fnUntraced(function* (
    caller: Caller,
    id: string,
    body: Resource.AddressChange,
  ): Effect.fn.Return<WebhookAccess.Found, WebhookAccess.Failure> {
    const { add = [], from = "now", remove = [] } = body
    const { webhook: before } = yield* access.find(caller, id)
    const both = add.find((wallet) => remove.includes(wallet))
    if (both !== undefined) return yield* invalid("remove", "wallets that are not added", quote(both))
    const chain = yield* places.chainOf(before)
    const positions = yield* places.ofWallets(chain, before, (yield* walletsAfter(before, body))[1], from)
    const withWallets = Effect.fnUntraced(function* (
      webhook: Webhook.Webhook,
    ): Effect.fn.Return<readonly [Webhook.Webhook, undefined], WebhookAccess.Failure> {
      const [kept, added] = yield* walletsAfter(webhook, body)
      // Others removed a wallet that it had, or made another webhook of its name.
      const isOther = webhook.publicKey !== before.publicKey || added.some((wallet) => positions[wallet] === undefined)
      if (isOther) return yield* WebhookAccess.changedMeanwhile
      const addresses = [...kept.addresses, ...added]
      const more = addresses.length - webhook.addresses.length
      if (more > 0) yield* checkRoom(webhook.holder, { webhooks: 0, addresses: more })
      const begun = Object.fromEntries(added.map((wallet) => [wallet, positions[wallet]!]))
      return [{ ...kept, addresses, positions: { ...kept.positions, ...begun } }, undefined]
    })
    const [found] = yield* permit.withPermit(access.change(caller, id, withWallets))
    return found
  })
}

/** Makes the changes. */
export const make = (options: Options) => {
  const { settings, webhooks } = options
  const { checkRoom, checkUrl } = WebhookBounds.make(options)
  const access = WebhookAccess.make(options)
  const places = WebhookPlaces.make(options)
  // One at a time, so that together they stay within the bounds.
  const permit = Semaphore.makeUnsafe(1)
  const find = ChainRegistry.finderWithDefault(options.chains)

  const chainOf = Effect.fnUntraced(function* (
    { grant }: Caller,
    name: string | undefined,
  ): Effect.fn.Return<IndexedChain, ErrorResponse.ErrorResponse> {
    const chain = yield* Effect.fromResult(find(name)).pipe(
      Effect.catch(({ code, issue }) =>
        ErrorResponse.badRequest(InvalidParameter.fromIssue(issue, "request body", code)),
      ),
    )
    const issue = KeyScope.chainIssue(grant, chain)
    return issue === undefined ? chain : yield* ErrorResponse.forbidden(issue)
  })

  /** The webhook of an id, where the same request has made it; `null` for none. Refuses another request of the name. */
  const repeated = Effect.fnUntraced(function* (
    id: string,
    request: string,
  ): Effect.fn.Return<WebhookAccess.Found | null, WebhookAccess.Failure> {
    const stored = yield* webhooks.find(id)
    if (stored === null) return null
    const found = yield* WebhookAccess.decoded(stored)
    if (found.webhook.request === request) return found
    return yield* invalid("name", "a name that no other webhook of the key has", quote(found.webhook.name ?? ""))
  })

  /** Stores a webhook, and gives its secret; `null` for one that the same request has stored at the same time. */
  const add = Effect.fnUntraced(function* (
    id: string,
    own: Webhook.Settings & { readonly holder: string | null; readonly request: string },
  ): Effect.fn.Return<Created, WebhookAccess.Failure> {
    yield* checkRoom(own.holder, { webhooks: 1, addresses: own.addresses.length })
    const [webhook, { secret }] = yield* Webhook.make(settings.key, own)
    if (yield* webhooks.add(id, Webhook.encode(webhook))) return [{ id, revision: 1, webhook }, secret]
    const other = yield* repeated(id, own.request)
    return other === null ? yield* WebhookAccess.changedMeanwhile : [other, null]
  })

  /** Makes a webhook, and gives its secret; `null` for one that the same request has made before. */
  const create = Effect.fnUntraced(function* (
    caller: Caller,
    body: Resource.Settings,
  ): Effect.fn.Return<Created, WebhookAccess.Failure> {
    const chain = yield* chainOf(caller, body.chain)
    const { addresses, finality, from, name, types, url } = settingsOf(body)
    const holder = holderOf(caller)
    const id = idOf(holder, name)
    const request = hash("sha256", JSON.stringify([url, chain.id, addresses, types, finality, from]), "base64url")
    const before = yield* repeated(id, request)
    if (before !== null) return [before, null]
    yield* WebhookBounds.checkCount("addresses", addresses)
    yield* checkUrl(caller, url)
    const positions = yield* places.ofWallets(chain, { finality, types }, addresses, from)
    const own = { holder, name, request, url, chain: chain.name, addresses, types, finality, positions }
    return yield* permit.withPermit(add(id, { ...own, from: "now" }))
  })

  /** The webhook as it begins again at a place. */
  const replayed = Effect.fnUntraced(function* (
    webhook: Webhook.Webhook,
    from: string,
  ): Effect.fn.Return<Webhook.Webhook, ErrorResponse.ErrorResponse> {
    const chain = yield* places.chainOf(webhook)
    if (EventPosition.isText(from)) {
      const owner = places.ownerOf(chain, webhook, from)
      if (owner !== undefined) return Webhook.replayedAfter(webhook, owner, from)
      return yield* invalid("from", "the cursor of an event of this webhook", "another text")
    }
    const { next } = yield* places.ofWallet(chain, webhook, webhook.addresses[0] ?? "", from)
    return Webhook.replayed(webhook, next)
  })

  return { changeAddresses: addressChanger({ access, checkRoom, permit, places }), create, replayed }
}
