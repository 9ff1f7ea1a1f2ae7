/**
 * Requests to a node that requires a signed token: one is made for each request from the shared secret, with its time of issue.
 *
 * Source: Engine API authentication (execution-apis); RFC 7519.
 */
import type { Fetch } from "@daybook/transport/Fetch"
import { createHmac } from "node:crypto"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as NodeConfig from "../config/NodeConfig.ts"

const base64 = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url")

/**
 * Token signed with HMAC-SHA-256; the secret is in hex.
 */
export const tokenOf = (secret: string, issuedAtSeconds: number): string => {
  const signed = `${base64({ alg: "HS256", typ: "JWT" })}.${base64({ iat: issuedAtSeconds })}`
  return `${signed}.${createHmac("sha256", Buffer.from(secret, "hex")).update(signed).digest("base64url")}`
}

const nowSeconds = (): number => Math.floor(Effect.runSync(Clock.currentTimeMillis) / 1000)

/**
 * The `fetch` of a node: with a token in each request if the node has a secret, otherwise the given one.
 */
export const forNode = (node: NodeConfig.NodeOptions, fetch?: Fetch): Fetch | undefined => {
  const secret = NodeConfig.jwtSecret(node)
  if (secret === undefined) return fetch
  const send: Fetch = fetch ?? globalThis.fetch
  return (url, init) =>
    send(url, { ...init, headers: { ...init.headers, authorization: `Bearer ${tokenOf(secret, nowSeconds())}` } })
}
