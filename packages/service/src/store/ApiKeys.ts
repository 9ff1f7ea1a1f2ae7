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

/** The most names that a scope has of one kind. */
export const maxNames = 200

/** The most requests per second, or at once, of a rate limit. */
export const maxRate = 1_000_000_000

const maxNameLength = 100

const Names = Schema.NonEmptyArray(Schema.NonEmptyString.check(Schema.isMaxLength(maxNameLength))).check(
  Schema.isMaxLength(maxNames),
)

const Count = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: maxRate }))

/** What narrows a key, as it is stored. */
const Options = Schema.Struct({
  /** Names of the chains that it may ask for. Default: all. */
  chains: Schema.optionalKey(Names),
  /** Methods that it may relay, of those that its exposure permits. Default: all of them. */
  methods: Schema.optionalKey(Names),
  /** Operations that it may call: names of REST operations, and `relay`. Default: all. */
  operations: Schema.optionalKey(Names),
  /** Its rate limit. Default: that of the service. */
  rateLimit: Schema.optionalKey(Schema.Struct({ perSecond: Count, burst: Count })),
})

/** What narrows a key; what is left out does not. */
export interface KeyOptions extends Schema.Schema.Type<typeof Options> {}

/** What a key permits. */
export interface KeyGrant {
  readonly name: string
  /** Permits the methods whose exposure is `operator`. */
  readonly operator: boolean
  /** How empty values are sent to this key; `null`: as configured for the service. */
  readonly empty: "string" | "null" | null
  readonly options?: KeyOptions | undefined
  /** Milliseconds since 1970 at which the key ends. Default: never. */
  readonly expires?: number | undefined
  /** Who calls and bytes are counted for: callers without a key have no name. Default: the name. */
  readonly holder?: string
}

/** Who the calls and bytes of a grant are counted for. */
export const holderOf = ({ holder, name }: KeyGrant): string => holder ?? name

/** A key as it is listed. */
export interface StoredKey extends KeyGrant {
  /** Milliseconds since 1970 at which it was made. */
  readonly created: number
  /** The last minute or so in which it was used; `null` for never. */
  readonly lastUsed: number | null
}

const OptionsText = Schema.fromJsonString(Options)

/** The stored text of the options of a key; `null` for none. */
export const encodeOptions = ({ options = {} }: KeyGrant): string | null =>
  Object.keys(options).length === 0 ? null : Schema.encodeSync(OptionsText)(options)

const decodeText = Schema.decodeUnknownResult(OptionsText, { onExcessProperty: "error" })

/**
 * The options of a stored text. Those that a later version wrote, or that are damaged, must not widen the key.
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
  const message = `API key not understood: ${quote(name)} was made by another version. Add it anew.`
  return Effect.fail(new StoreError({ message, isRetryable: false, cause: undefined }))
}

/** The keys of a database. */
export interface ApiKeys {
  /** Succeeds when keys can be looked up; makes their table if there is none. */
  readonly ready: Effect.Effect<void, StoreError>
  /** The grant of a key, also of one that has expired; `null` when it is not known. The time taken does not depend on how much of a key is right. */
  readonly find: (key: Redacted.Redacted<string>) => Effect.Effect<KeyGrant | null, StoreError>
  /** Makes a key and stores its hash; `null` when the name is taken. An invalid name is a `StoreError`. */
  readonly add: (grant: KeyGrant) => Effect.Effect<Redacted.Redacted<string> | null, StoreError>
  /** Removes the key of a name: the next call with it is refused, by running servers too. False when there is none. */
  readonly revoke: (name: string) => Effect.Effect<boolean, StoreError>
  /**
   * Makes another key for a name, with the same grant; the previous one is accepted until a time, in milliseconds since 1970. `null` when there is
   * none.
   */
  readonly rotate: (name: string, previousUntil: number) => Effect.Effect<Redacted.Redacted<string> | null, StoreError>
  /** Records that the key of a name was used at a time. */
  readonly use: (name: string, atMillis: number) => Effect.Effect<void, StoreError>
  /** The digests of all keys, those that were replaced among them. */
  readonly digests: Effect.Effect<ReadonlyArray<string>, StoreError>
  /** All keys by name, without writing to the database. */
  readonly list: Effect.Effect<ReadonlyArray<StoredKey>, StoreError>
}

/** A new key: 256 random bits. */
export const makeKey = (): string => `dbk_${randomBytes(32).toString("base64url")}`

/** Its digest in hexadecimal digits. A key has 256 random bits, so a fast hash is enough: it cannot be guessed. */
export const digestOf = (key: Redacted.Redacted<string>): string => hash("sha256", Redacted.value(key), "hex")

const longestName = 100

/** The name of a key without surrounding spaces; refuses one that is empty, too long, or more than one line. */
export const nameOf = (text: string): Effect.Effect<string, StoreError> => {
  const name = text.trim()
  if (name !== "" && name.length <= longestName && isVisibleLine(name)) return Effect.succeed(name)
  const received =
    name === ""
      ? "an empty text"
      : name.length > longestName
        ? `${name.length} characters`
        : "a text with line breaks or hidden characters"
  const message = `Invalid API key "name": expected a line of 1 to ${longestName} characters, received ${received}.`
  return Effect.fail(new StoreError({ message, isRetryable: false, cause: undefined }))
}
