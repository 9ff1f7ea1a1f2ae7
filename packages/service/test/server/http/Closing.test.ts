import { EventEmitter } from "node:events"
import { describe, expect, it } from "vitest"
import * as Closing from "../../../src/server/http/Closing.ts"

describe("Closing", () => {
  it("onClose: calls back in the order of registration, with one listener of the response", () => {
    const response = new EventEmitter()
    const called: Array<number> = []
    for (const each of [1, 2, 3]) Closing.onClose(response, () => void called.push(each))

    expect(response.listenerCount("close")).toBe(1)
    response.emit("close")
    response.emit("close")

    expect(called).toEqual([1, 2, 3])
  })
})
