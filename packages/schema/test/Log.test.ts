import { describe, expect, it } from "@effect/vitest"
import type * as Hash from "../src/Hash.ts"
import * as Log from "../src/Log.ts"

// Sound: 32 bytes in lower-case hex.
const topic = (digit: string) => `0x${digit.repeat(64)}` as Hash.Hash
const none = { topic0: null, topic1: null, topic2: null, topic3: null }

describe("Log", () => {
  it("topics: lists the topics of a log in order", () => {
    expect(
      Log.topics({ ...none, topic0: topic("a"), topic1: topic("b"), topic2: topic("c"), topic3: topic("d") }),
    ).toEqual([topic("a"), topic("b"), topic("c"), topic("d")])
    expect(Log.topics({ ...none, topic0: topic("a") })).toEqual([topic("a")])
    expect(Log.topics(none)).toEqual([])
  })
})
