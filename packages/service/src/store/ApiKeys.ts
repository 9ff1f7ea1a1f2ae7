/**
 * The API keys that the service accepts. Only a hash of each is stored; the key itself is shown once, when it is made.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"
import { StoreError } from "./Store.ts"

/** What a key may do. */
export interface KeyGrant {
  readonly name: string
  /** May call the methods whose exposure is `operator`. */
  readonly operator: boolean
  /** How empty values are sent to this key; `null`: as the service does. */
  readonly empty: "string" | "null" | null
}

/** The keys of a service. */
export interface KeysShape {
  /** The grant of a key; `null` when it is not known. Does not tell by its timing how much of a key was right. */
  readonly find: (key: Redacted.Redacted<string>) => Effect.Effect<KeyGrant | null, StoreError>
  /** Makes a key and stores its hash; `null` when the name is taken. A name that cannot be one is a `StoreError`. */
  readonly add: (grant: KeyGrant) => Effect.Effect<Redacted.Redacted<string> | null, StoreError>
  /** Forgets the key of a name: the next call with it is refused, by running servers too. False when there is none. */
  readonly revoke: (name: string) => Effect.Effect<boolean, StoreError>
  readonly list: Effect.Effect<ReadonlyArray<KeyGrant>, StoreError>
}

const longestName = 100

/** The name of a key without spaces around it; refuses one that is empty, too long, or more than one line. */
export const nameOf = (text: string): Effect.Effect<string, StoreError> => {
  const name = text.trim()
  if (name !== "" && name.length <= longestName && !/\p{Cc}/u.test(name)) return Effect.succeed(name)
  const received = name === "" ? "empty" : name.length > longestName ? `${name.length} characters long` : "not one line"
  const message = `The name of a key is ${received}; accepted: a line of 1 to ${longestName} characters.`
  return Effect.fail(new StoreError({ message, isRetryable: false, cause: undefined }))
}

/** The keys of a service, as a service. */
export class Keys extends Context.Service<Keys, KeysShape>()("@daybook/service/Keys") {}
