/**
 * The Ed25519 key with which an operator signs statements, in a file that only its owner may read. Its private half is never printed.
 *
 * Source: RFC 8032, RFC 5958; decision 0050.
 */
import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign, verify } from "node:crypto"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { InvalidConfig } from "../config/InvalidConfig.ts"
import * as SecretFile from "../config/SecretFile.ts"

/** An Ed25519 key that signs. */
export interface SigningKey {
  /** 32 bytes in hex. */
  readonly publicKey: string
  /** Signs a text as UTF-8. Returns 64 bytes in hex. */
  readonly sign: (text: string) => string
}

/** A key file cannot be created or used. */
export class SigningKeyError extends Data.TaggedError("SigningKeyError")<{ readonly message: string }> {}

const publicKeyOf = (key: KeyObject): string => {
  const { x = "" } = createPublicKey(key).export({ format: "jwk" })
  return `0x${Buffer.from(x, "base64url").toString("hex")}`
}

const fromKey = (key: KeyObject): SigningKey => ({
  publicKey: publicKeyOf(key),
  sign: (text) => `0x${sign(null, Buffer.from(text), key).toString("hex")}`,
})

/**
 * Creates a key in a new file that only its owner may read.
 *
 * **Errors**
 * - `SigningKeyError`: the file exists, or cannot be written.
 */
export const create = Effect.fnUntraced(function* (path: string): Effect.fn.Return<SigningKey, SigningKeyError> {
  const { privateKey } = generateKeyPairSync("ed25519")
  const made = SecretFile.make(path, privateKey.export({ type: "pkcs8", format: "pem" }).toString())
  if (Result.isSuccess(made)) return fromKey(privateKey)
  const message =
    made.failure === "EEXIST"
      ? `File exists: ${path}. A key is never replaced: name another file.`
      : `Key not written: ${path} (${made.failure}).`
  return yield* new SigningKeyError({ message })
})

const advice = 'Create one with "daybook signing-key make FILE".'

/**
 * Reads a key from its file.
 *
 * **Errors**
 * - `SigningKeyError`: the file cannot be read, is not an Ed25519 key, or may be read by others. The message shows nothing of its contents.
 */
export const read = Effect.fnUntraced(function* (path: string): Effect.fn.Return<SigningKey, SigningKeyError> {
  const found = SecretFile.read(path)
  if (Result.isFailure(found)) {
    return yield* new SigningKeyError({ message: `Key not readable: ${path} (${found.failure}). ${advice}` })
  }
  const { isOpen, text } = found.success
  if (isOpen) {
    const message = `Key readable by others: ${path}. Run "chmod 600" on the file.`
    return yield* new SigningKeyError({ message })
  }
  const invalid = new SigningKeyError({
    message: `Invalid signing key: expected an Ed25519 key as PEM in ${path}, received another file. ${advice}`,
  })
  const key = yield* Effect.try({ try: () => createPrivateKey(text), catch: () => invalid })
  return key.asymmetricKeyType === "ed25519" ? fromKey(key) : yield* invalid
})

/**
 * Whether a text was signed by the private half of a public key. All arguments are hex of the right length.
 */
export const isSignature = (publicKey: string, text: string, signature: string): boolean => {
  const x = Buffer.from(publicKey.slice(2), "hex").toString("base64url")
  const key = createPublicKey({ key: { kty: "OKP", crv: "Ed25519", x }, format: "jwk" })
  return verify(null, Buffer.from(text), key, Buffer.from(signature.slice(2), "hex"))
}

/**
 * Reads the key named in a configuration.
 *
 * **Errors**
 * - `InvalidConfig`: for the reasons of `read`.
 */
export const readConfigured = (path: string): Effect.Effect<SigningKey, InvalidConfig> =>
  Effect.mapError(
    read(path),
    ({ message }) =>
      new InvalidConfig({ found: [{ path: "signingKey", message: `Invalid configuration "signingKey": ${message}` }] }),
  )
