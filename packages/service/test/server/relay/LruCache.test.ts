import { describe, expect, it } from "vitest"
import * as LruCache from "../../../src/server/relay/LruCache.ts"

const answer = (bytes: number) => ({ bytes: new Uint8Array(bytes) })

describe("AnswerCache", () => {
  it("gives what it was given, until told to forget it", () => {
    const cache = LruCache.make(10_000)
    const kept = answer(10)

    cache.set("a", kept)

    expect(cache.get("a")).toBe(kept)
    expect(cache.get("b")).toBeUndefined()
    cache.delete("a")
    expect([cache.get("a"), cache.size()]).toEqual([undefined, 0])
  })

  it("takes the place of an answer by a newer one of its key", () => {
    const cache = LruCache.make(10_000)
    cache.set("a", answer(500))
    const before = cache.size()

    cache.set("a", answer(600))

    expect(cache.get("a")?.bytes).toHaveLength(600)
    expect(cache.size() - before).toBe(100)
  })

  it("stays within its bytes, and drops what was asked for longest ago", () => {
    const cache = LruCache.make(10_000)
    const keys = Array.from({ length: 40 }, (_, index) => `key ${index}`)

    for (const key of keys) {
      cache.get("key 0")
      cache.set(key, answer(700))
      expect(cache.size()).toBeLessThanOrEqual(10_000)
    }

    const left = keys.filter((key) => cache.get(key) !== undefined)
    expect(left).toEqual(["key 0", ...keys.slice(-left.length + 1)])
    expect(left.length).toBeGreaterThan(8)
  })

  it("does not keep an answer that would push out many others", () => {
    const cache = LruCache.make(10_000)
    cache.set("small", answer(100))

    cache.set("large", answer(2_000))

    expect(cache.get("large")).toBeUndefined()
    expect(cache.get("small")).toBeDefined()
  })

  it("of no bytes keeps nothing", () => {
    const cache = LruCache.make(0)

    cache.set("a", answer(0))

    expect([cache.get("a"), cache.size()]).toEqual([undefined, 0])
  })
})
