/**
 * Messages of Standard Webhooks 1.0.0, signed and verified with the Web Cryptography API, which every runtime provides. Pure except for the
 * generation of keys.
 */

/** The signed parts of a message. */
export interface Message {
  /** The same for every attempt; contains no full stop. */
  readonly id: string
  /** Time of this attempt, in seconds since 1970. */
  readonly timestamp: number
  /** Body, byte for byte as sent. */
  readonly body: Uint8Array<ArrayBuffer>
}

/** Kind of a key, by its prefix: HMAC secret, ed25519 private key, ed25519 public key. */
type Kind = "whsec_" | "whsk_" | "whpk_"

const encoder = new TextEncoder()

const toBase64 = (bytes: Uint8Array): string => btoa(String.fromCharCode(...bytes))

/** Bytes of a key; undefined if the text is not a key of this kind. */
const fromText = (kind: Kind, text: string): Uint8Array<ArrayBuffer> | undefined => {
  const base64 = text.slice(kind.length)
  if (!text.startsWith(kind) || !/^[A-Za-z0-9+/]+={0,2}$/.test(base64) || base64.length > 200) return undefined
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
  } catch {
    return undefined
  }
}

const signedBytes = ({ body, id, timestamp }: Message): Uint8Array<ArrayBuffer> => {
  const head = encoder.encode(`${id}.${timestamp}.`)
  const bytes = new Uint8Array(head.length + body.length)
  bytes.set(head)
  bytes.set(body, head.length)
  return bytes
}

const hmac = { name: "HMAC", hash: "SHA-256" } as const
const ed25519 = { name: "Ed25519" } as const

/** Prefix of an ed25519 private key in PKCS #8. Source: RFC 8410, section 7. */
const pkcs8Head = Uint8Array.from([0x30, 0x2e, 2, 1, 0, 0x30, 5, 6, 3, 0x2b, 0x65, 0x70, 4, 0x22, 4, 0x20])
const keyBytes = 32
const [minSecretBytes, maxSecretBytes] = [24, 64]

const isSecret = (bytes: Uint8Array | undefined): bytes is Uint8Array<ArrayBuffer> =>
  bytes !== undefined && bytes.length >= minSecretBytes && bytes.length <= maxSecretBytes

/** True if a text is a key that can verify. */
export const isVerifier = (text: string): boolean =>
  isSecret(fromText("whsec_", text)) || fromText("whpk_", text)?.length === keyBytes

/** Makes an HMAC secret. */
export const makeSecret = (): string => `whsec_${toBase64(crypto.getRandomValues(new Uint8Array(32)))}`

/** Makes an ed25519 key pair. */
export const makePair = async (): Promise<{ readonly privateKey: string; readonly publicKey: string }> => {
  const pair = await crypto.subtle.generateKey(ed25519, true, ["sign", "verify"])
  // Sound: ed25519 keys are generated as pairs.
  if (!("privateKey" in pair)) throw new Error("Ed25519 keys are not available on this platform.")
  const privateBytes = new Uint8Array(await crypto.subtle.exportKey("pkcs8", pair.privateKey)).slice(-keyBytes)
  const publicBytes = new Uint8Array(await crypto.subtle.exportKey("raw", pair.publicKey))
  return { privateKey: `whsk_${toBase64(privateBytes)}`, publicKey: `whpk_${toBase64(publicBytes)}` }
}

/** Signature of a message by one key, in the form of the header; undefined if the text is not a signing key. */
export const sign = async (message: Message, key: string): Promise<string | undefined> => {
  const secret = fromText("whsec_", key)
  if (isSecret(secret)) {
    const own = await crypto.subtle.importKey("raw", secret, hmac, false, ["sign"])
    return `v1,${toBase64(new Uint8Array(await crypto.subtle.sign(hmac, own, signedBytes(message))))}`
  }
  const seed = fromText("whsk_", key)?.slice(0, keyBytes)
  if (seed?.length !== keyBytes) return undefined
  const pkcs8 = new Uint8Array(pkcs8Head.length + keyBytes)
  pkcs8.set(pkcs8Head)
  pkcs8.set(seed, pkcs8Head.length)
  const own = await crypto.subtle.importKey("pkcs8", pkcs8, ed25519, false, ["sign"])
  return `v1a,${toBase64(new Uint8Array(await crypto.subtle.sign(ed25519, own, signedBytes(message))))}`
}

/** Maximum number of signatures tried per header. While a sender rotates its secret it sends two of each kind. */
const maxSignatures = 10

/** True if one of the signatures in a header was made with the key. The platform compares in constant time. */
export const verify = async (message: Message, header: string, key: string): Promise<boolean> => {
  const secret = fromText("whsec_", key)
  const publicKey = fromText("whpk_", key)
  const [version, algorithm, bytes] = isSecret(secret)
    ? (["v1,", hmac, secret] as const)
    : (["v1a,", ed25519, publicKey] as const)
  if (bytes === undefined || (algorithm === ed25519 && bytes.length !== keyBytes)) return false
  const own = await crypto.subtle.importKey("raw", bytes, algorithm, false, ["verify"])
  for (const one of header.split(" ", maxSignatures)) {
    if (!one.startsWith(version)) continue
    const signature = fromText("whsec_", `whsec_${one.slice(version.length)}`)
    if (signature === undefined) continue
    if (await crypto.subtle.verify(algorithm, own, signature, signedBytes(message))) return true
  }
  return false
}
