/**
 * The API keys that the service accepts. Only a hash of each key is stored; the key itself is shown once, when it is made.
 */
import * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"
import { StoreError } from "./StoreError.ts"

/** What a key permits. */
export interface KeyGrant {
  readonly name: string
  /** Permits the methods whose exposure is `operator`. */
  readonly operator: boolean
  /** How empty values are sent to this key; `null`: as configured for the service. */
  readonly empty: "string" | "null" | null
}

/** The keys of a database. */
export interface ApiKeys {
  /** Succeeds when keys can be looked up; makes their table if there is none. */
  readonly ready: Effect.Effect<void, StoreError>
  /** The grant of a key; `null` when it is not known. The time taken does not depend on how much of a key is right. */
  readonly find: (key: Redacted.Redacted<string>) => Effect.Effect<KeyGrant | null, StoreError>
  /** Makes a key and stores its hash; `null` when the name is taken. An invalid name is a `StoreError`. */
  readonly add: (grant: KeyGrant) => Effect.Effect<Redacted.Redacted<string> | null, StoreError>
  /** Removes the key of a name: the next call with it is refused, by running servers too. False when there is none. */
  readonly revoke: (name: string) => Effect.Effect<boolean, StoreError>
  /** The grants of all keys by name, without writing to the database. */
  readonly list: Effect.Effect<ReadonlyArray<KeyGrant>, StoreError>
}

const longestName = 100

/** The name of a key without surrounding spaces; refuses one that is empty, too long, or more than one line. */
export const nameOf = (text: string): Effect.Effect<string, StoreError> => {
  const name = text.trim()
  if (name !== "" && name.length <= longestName && !/\p{Cc}/u.test(name)) return Effect.succeed(name)
  const received =
    name === "" ? "an empty text" : name.length > longestName ? `${name.length} characters` : "a text with line breaks"
  const message = `Invalid API key "name": expected a line of 1 to ${longestName} characters, received ${received}.`
  return Effect.fail(new StoreError({ message, isRetryable: false, cause: undefined }))
}
