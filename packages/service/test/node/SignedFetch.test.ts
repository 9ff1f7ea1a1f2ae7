/** Tokens for nodes that require one. */
import { describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { createHmac } from "node:crypto"
import { expect } from "vitest"
import type { NodeOptions } from "../../src/config/NodeConfig.ts"
import * as Node from "../../src/node/Node.ts"
import * as SignedFetch from "../../src/node/SignedFetch.ts"

const secret = "ab".repeat(32)
const url = "http://node.example:8545"

/** The authorization of the first request to a node. */
const sentBy = Effect.fnUntraced(function* (node: NodeOptions) {
  const sent: Array<string | undefined> = []
  const chain = yield* Node.make({
    urls: [node],
    chainId: 1,
    fetch: (_, init) => {
      sent.push(init.headers["authorization"])
      return Promise.reject(new Error("closed"))
    },
  })
  const failed = yield* Effect.flip(chain.head)
  return { authorization: sent[0], message: failed.message }
})

describe("SignedFetch", () => {
  it("tokenOf: signs the time of issue with HMAC-SHA-256", () => {
    const [header = "", payload = "", signature] = SignedFetch.tokenOf(secret, 1_700_000_000).split(".")
    const read = (part: string) => JSON.parse(Buffer.from(part, "base64url").toString())
    const key = Buffer.from(secret, "hex")

    expect(read(header)).toEqual({ alg: "HS256", typ: "JWT" })
    expect(read(payload)).toEqual({ iat: 1_700_000_000 })
    expect(signature).toBe(createHmac("sha256", key).update(`${header}.${payload}`).digest("base64url"))
  })

  it.live("forNode: sends a signed token for a secret, and a given token unchanged", () =>
    Effect.gen(function* () {
      const signed = yield* sentBy({ url, jwt: `0x${secret}` })
      const given = yield* sentBy({ url, jwt: "aa.bb.cc" })
      const none = yield* sentBy({ url })

      expect(signed.authorization).toMatch(/^Bearer [\w-]+\.[\w-]+\.[\w-]+$/)
      expect(signed.message).not.toContain(secret)
      expect(given.authorization).toBe("Bearer aa.bb.cc")
      expect(none.authorization).toBe(undefined)
    }),
  )
})
