/**
 * A synchronous implementation of the Web Cryptography API, because virtual time does not wait for platform threads. It supports what
 * Standard Webhooks require, with functions of node:crypto.
 */
import {
  createHmac,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign,
  timingSafeEqual,
  verify,
} from "node:crypto"

/** A key: the secret of an HMAC, or one half of an ed25519 pair. */
type Key = Buffer | KeyObject

interface Algorithm {
  readonly name: string
}

const hmacOf = (key: Buffer, data: Uint8Array): Buffer => createHmac("sha256", key).update(data).digest()

const toBytes = (buffer: Buffer): ArrayBuffer => new Uint8Array(buffer).buffer

const methods = {
  generateKey: async () => generateKeyPairSync("ed25519"),
  exportKey: async (format: string, key: KeyObject) =>
    format === "pkcs8"
      ? toBytes(key.export({ format: "der", type: "pkcs8" }))
      : toBytes(Buffer.from(key.export({ format: "jwk" }).x!, "base64url")),
  importKey: async (format: string, bytes: Uint8Array, { name }: Algorithm): Promise<Key> => {
    if (name === "HMAC") return Buffer.from(bytes)
    if (format === "pkcs8") return createPrivateKey({ key: Buffer.from(bytes), format: "der", type: "pkcs8" })
    const x = Buffer.from(bytes).toString("base64url")
    return createPublicKey({ key: { kty: "OKP", crv: "Ed25519", x }, format: "jwk" })
  },
  sign: async (_: Algorithm, key: Key, data: Uint8Array) =>
    toBytes(Buffer.isBuffer(key) ? hmacOf(key, data) : sign(null, data, key)),
  verify: async (_: Algorithm, key: Key, signature: Uint8Array, data: Uint8Array) => {
    if (!Buffer.isBuffer(key)) return verify(null, data, key, signature)
    const expected = hmacOf(key, data)
    return expected.length === signature.length && timingSafeEqual(expected, signature)
  },
}

/** Replaces the platform's implementation; returns the function that restores it. */
export const install = (): (() => void) => {
  const { subtle } = globalThis.crypto
  for (const [name, value] of Object.entries(methods)) {
    Object.defineProperty(subtle, name, { value, configurable: true, writable: true })
  }
  return () => {
    for (const name of Object.keys(methods)) Reflect.deleteProperty(subtle, name)
  }
}
