import { describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { expect } from "vitest"
import * as LruCache from "../../../src/server/relay/LruCache.ts"

const value = (bytes: number) => ({ bytes: new Uint8Array(bytes) })

describe("LruCache", () => {
  it("get: returns the stored value until it is deleted", () => {
    const cache = LruCache.make(10_000)
    const kept = value(10)

    cache.set("a", kept)

    expect(cache.get("a")).toBe(kept)
    expect(cache.get("b")).toBeUndefined()
    cache.delete("a")
    expect([cache.get("a"), cache.size()]).toEqual([undefined, 0])
  })

  it("set: replaces the value of a key, and its size", () => {
    const cache = LruCache.make(10_000)
    cache.set("a", value(500))
    const before = cache.size()

    cache.set("a", value(600))

    expect(cache.get("a")?.bytes).toHaveLength(600)
    expect(cache.size() - before).toBe(100)
  })

  it("set: keeps the size within the limit and evicts the least recently used values", () => {
    const cache = LruCache.make(10_000)
    const keys = Array.from({ length: 40 }, (_, index) => `key ${index}`)

    for (const key of keys) {
      cache.get("key 0")
      cache.set(key, value(700))
      expect(cache.size()).toBeLessThanOrEqual(10_000)
    }

    const left = keys.filter((key) => cache.get(key) !== undefined)
    expect(left).toEqual(["key 0", ...keys.slice(-left.length + 1)])
    expect(left.length).toBeGreaterThan(8)
  })

  it("set: does not store a value that would evict many others", () => {
    const cache = LruCache.make(10_000)
    cache.set("small", value(100))

    cache.set("large", value(2_000))

    expect(cache.get("large")).toBeUndefined()
    expect(cache.get("small")).toBeDefined()
  })

  it("set: stores values of up to an eighth of the bytes, and as many as fill the cache", () => {
    const cache = LruCache.make(10_000)
    // With their keys and overhead, 1,250 bytes each.
    const keys = [..."abcdefgh"]
    for (const key of keys) cache.set(key, value(992))
    cache.set("i", value(993))

    expect(keys.filter((key) => cache.get(key) === undefined)).toEqual([])
    expect([cache.get("i"), cache.size()]).toEqual([undefined, 10_000])
  })

  it("make: a cache of 0 bytes stores nothing", () => {
    const cache = LruCache.make(0)

    cache.set("a", value(0))

    expect([cache.get("a"), cache.size()]).toEqual([undefined, 0])
  })

  const Operation = Schema.Struct({
    key: Schema.Literals(["a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l"]),
    bytes: Schema.Int.check(Schema.isBetween({ minimum: -2, maximum: 1_400 })),
  })

  it.prop(
    "get and set: behave as a list ordered by use, within the limit of bytes",
    { operations: Schema.Array(Operation) },
    ({ operations }) => {
      const limit = 10_000
      const cache = LruCache.make(limit)
      let model: ReadonlyArray<readonly [key: string, bytes: number]> = []
      const sizeOf = (bytes: number) => bytes + 2 + 256
      const total = () => model.reduce((sum, [, bytes]) => sum + sizeOf(bytes), 0)
      for (const { bytes, key } of operations) {
        const known = model.find(([name]) => name === key)
        const others = model.filter(([name]) => name !== key)
        if (bytes === -2) {
          cache.delete(key)
          model = others
        } else if (bytes === -1) {
          expect(cache.get(key)?.bytes.length).toBe(known?.[1])
          if (known !== undefined) model = [...others, known]
        } else {
          cache.set(key, { bytes: new Uint8Array(bytes) })
          model = sizeOf(bytes) > limit / 8 ? others : [...others, [key, bytes]]
          while (total() > limit) model = model.slice(1)
        }
        expect(cache.size()).toBe(total())
      }
      for (const [key, bytes] of model) expect(cache.get(key)?.bytes.length).toBe(bytes)
    },
  )
})
