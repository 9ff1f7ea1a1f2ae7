/**
 * The API keys that the service accepts. Only a hash of each is stored; the key itself is shown once, when it is made.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"
import type { StoreError } from "./Store.ts"

/** What a key may do. */
export interface KeyGrant {
  readonly name: string
  /** May call the methods whose exposure is `operator`. Source: decision 0016. */
  readonly operator: boolean
  /** How empty values are sent to this key; `null`: as the service does. Source: decision 0002. */
  readonly empty: "string" | "null" | null
}

/** The keys of a service. */
export interface KeysShape {
  /** The grant of a key; `null` when it is not known. Does not tell by its timing how much of a key was right. */
  readonly find: (key: Redacted.Redacted<string>) => Effect.Effect<KeyGrant | null, StoreError>
  /** Makes a key and stores its hash. A name that is taken fails with `null`. */
  readonly add: (grant: KeyGrant) => Effect.Effect<Redacted.Redacted<string> | null, StoreError>
  readonly list: Effect.Effect<ReadonlyArray<KeyGrant>, StoreError>
}

/** The keys of a service, as a service. */
export class Keys extends Context.Service<Keys, KeysShape>()("@daybook/service/Keys") {}
