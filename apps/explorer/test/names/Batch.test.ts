import { describe, expect, it } from "vitest"
import * as Batch from "../../src/names/Batch.ts"

describe("Batch", () => {
  it("concurrently requested keys are read together, in requests of a bounded size", async () => {
    const requests: Array<ReadonlyArray<string>> = []
    const find = Batch.make((keys) => {
      requests.push(keys)
      return Promise.resolve(keys.map((key) => key.toUpperCase()))
    }, 2)

    const values = await Promise.all(["a", "b", "c"].map(find))
    const later = await find("d")

    expect([...values, later]).toEqual(["A", "B", "C", "D"])
    expect(requests).toEqual([["a", "b"], ["c"], ["d"]])
  })

  it("a failed request fails each of its keys, and no later one", async () => {
    let isBroken = true
    const find = Batch.make((keys) => (isBroken ? Promise.reject(new Error("down")) : Promise.resolve(keys)), 10)

    const [first, second] = await Promise.allSettled([find("a"), find("b")])
    isBroken = false

    expect([first, second].map(({ status }) => status)).toEqual(["rejected", "rejected"])
    expect(await find("a")).toBe("a")
  })
})
