/**
 * API keys accepted by the service. Only a hash of each key is stored; the key itself is shown once, when it is created.
 */
import { quote } from "@daybook/schema/Issue"
import { isVisibleLine } from "@daybook/schema/VisibleText"
import { hash, randomBytes } from "node:crypto"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { StoreError } from "./StoreError.ts"

/** Maximum number of names of one kind in a scope. */
export const maxNames = 200

/** Maximum requests per second, or at once, of a rate limit. */
export const maxRate = 1_000_000_000

const maxNameLength = 100

const Names = Schema.NonEmptyArray(Schema.NonEmptyString.check(Schema.isMaxLength(maxNameLength))).check(
  Schema.isMaxLength(maxNames),
)

const Count = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: maxRate }))

/** Restrictions of a key, as stored. */
const Options = Schema.Struct({
  /** Names of the chains that it may query. Default: all. */
  chains: Schema.optionalKey(Names),
  /** Methods that it may relay, among those that its exposure permits. Default: all of them. */
  methods: Schema.optionalKey(Names),
  /** Operations that it may call: names of REST operations, and `relay`. Default: all. */
  operations: Schema.optionalKey(Names),
  /** Its rate limit. Default: that of the service. */
  rateLimit: Schema.optionalKey(Schema.Struct({ perSecond: Count, burst: Count })),
})

/** Restrictions of a key; an absent field restricts nothing. */
export interface KeyOptions extends Schema.Schema.Type<typeof Options> {}

/** What a key permits. */
export interface KeyGrant {
  readonly name: string
  /** Permits the methods whose exposure is `operator`. */
  readonly operator: boolean
  /** How empty values are sent to this key; `null`: as configured for the service. */
  readonly empty: "string" | "null" | null
  readonly options?: KeyOptions | undefined
  /** Expiry in milliseconds since 1970. Default: never. */
  readonly expires?: number | undefined
  /** Holder to which calls and bytes are counted: callers without a key have no name. Default: the name. */
  readonly holder?: string
}

/** Holder to which the calls and bytes of a grant are counted. */
export const holderOf = ({ holder, name }: KeyGrant): string => holder ?? name

/** A key as listed. */
export interface StoredKey extends KeyGrant {
  /** Creation time in milliseconds since 1970. */
  readonly created: number
  /** Time of the last use, accurate to about a minute; `null` for never. */
  readonly lastUsed: number | null
}

const OptionsText = Schema.fromJsonString(Options)

/** Stored text of a key's options; `null` if there are none. */
export const encodeOptions = ({ options = {} }: KeyGrant): string | null =>
  Object.keys(options).length === 0 ? null : Schema.encodeSync(OptionsText)(options)

const decodeText = Schema.decodeUnknownResult(OptionsText, { onExcessProperty: "error" })

/**
 * Decodes the stored options of a key. Options written by a later version, or damaged ones, must not widen the key.
 *
 * **Errors**
 * - `StoreError`: the text is not understood.
 */
export const decodeOptions = (
  name: string,
  text: string | null,
): Effect.Effect<Pick<KeyGrant, "options">, StoreError> => {
  if (text === null) return Effect.succeed({})
  const decoded = decodeText(text)
  if (Result.isSuccess(decoded)) return Effect.succeed({ options: decoded.success })
  const message = `API key not readable: ${quote(name)} was written by another version. Add it again.`
  return Effect.fail(new StoreError({ message, isRetryable: false, cause: undefined }))
}

/** API keys of a database. */
export interface ApiKeys {
  /** Succeeds when keys can be looked up; creates their table if there is none. */
  readonly ready: Effect.Effect<void, StoreError>
  /** Grant of a key, even if it has expired; `null` if the key is unknown. The time taken does not depend on how much of the key is correct. */
  readonly find: (key: Redacted.Redacted<string>) => Effect.Effect<KeyGrant | null, StoreError>
  /** Creates a key and stores its hash; `null` if the name is taken. An invalid name is a `StoreError`. */
  readonly add: (grant: KeyGrant) => Effect.Effect<Redacted.Redacted<string> | null, StoreError>
  /** Revokes the key with a name: the next call with it is rejected, by running servers too. False if there is none. */
  readonly revoke: (name: string) => Effect.Effect<boolean, StoreError>
  /**
   * Creates another key for a name, with the same grant; the previous one is accepted until a time in milliseconds since 1970. `null` if
   * there is none.
   */
  readonly rotate: (name: string, previousUntil: number) => Effect.Effect<Redacted.Redacted<string> | null, StoreError>
  /** Records that the key with a name was used at a time. */
  readonly use: (name: string, atMillis: number) => Effect.Effect<void, StoreError>
  /** Digests of all keys, including replaced ones. */
  readonly digests: Effect.Effect<ReadonlyArray<string>, StoreError>
  /** Lists all keys by name, without writing to the database. */
  readonly list: Effect.Effect<ReadonlyArray<StoredKey>, StoreError>
}

/** Generates a key: 256 random bits. */
export const makeKey = (): string => `dbk_${randomBytes(32).toString("base64url")}`

/** Digest of a key in hex. A key has 256 random bits, so a fast hash is sufficient: the key cannot be guessed. */
export const digestOf = (key: Redacted.Redacted<string>): string => hash("sha256", Redacted.value(key), "hex")

const longestName = 100

/** Name of a key without surrounding spaces; rejects one that is empty, too long, or longer than one line. */
export const nameOf = (text: string): Effect.Effect<string, StoreError> => {
  const name = text.trim()
  if (name !== "" && name.length <= longestName && isVisibleLine(name)) return Effect.succeed(name)
  const received =
    name === ""
      ? "an empty text"
      : name.length > longestName
        ? `${name.length} characters`
        : "text with line breaks or hidden characters"
  const message = `Invalid API key "name": expected a line of 1 to ${longestName} characters, received ${received}.`
  return Effect.fail(new StoreError({ message, isRetryable: false, cause: undefined }))
}
