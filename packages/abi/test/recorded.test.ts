/**
 * Compares the decoder with recorded responses of a hosted provider and of nodes.
 */
import { describe, expect, it } from "vitest"
import * as Recordings from "@daybook/harness/Recordings"
import type * as Decoder from "../src/Decoder.ts"
import * as KnownSignatures from "../src/KnownSignatures.ts"

const decoder = KnownSignatures.decoder()

type Json = { readonly [key: string]: unknown }

const objects = function* (value: unknown): Generator<Json> {
  if (typeof value !== "object" || value === null) return
  if (!Array.isArray(value)) yield value as Json
  for (const child of Object.values(value)) yield* objects(child)
}

const recorded = (): ReadonlyArray<Json> => Recordings.all.flatMap(({ json }) => [...objects(json)])

const withoutNames = (item: Decoder.DecodedItemWire) => ({
  ...item,
  params: item.params.map(({ type, value }) => ({ type, value })),
})

describe("Decoder on recorded responses", () => {
  it("Decoder: decodes recorded transactions as a hosted provider does, except for names that come from the contract", () => {
    let compared = 0
    for (const record of recorded()) {
      const { data, decoded_call: call, decoded_event: event, input } = record
      const topics = [record["topic0"], record["topic1"], record["topic2"], record["topic3"]].filter(
        (topic): topic is string => typeof topic === "string" && topic !== "",
      )
      const local =
        event && typeof data === "string"
          ? decoder.event({ topics, data })
          : call && typeof input === "string"
            ? decoder.call(input)
            : null
      if (local === null) continue
      compared++
      expect(withoutNames(local)).toEqual(withoutNames((event ?? call) as Decoder.DecodedItemWire))
    }

    expect(compared).toBeGreaterThan(0)
  })

  it("Decoder: decodes every recorded log with the topic of a known event", () => {
    const known = new Set(["0xddf252ad", "0x8c5be1e5", "0xd78ad95f", "0x1c411e9a", "0xe1fffcc4", "0x7fcf532c"])
    const undecoded: Array<unknown> = []
    for (const { data, topics } of recorded()) {
      if (!Array.isArray(topics) || typeof data !== "string" || !known.has(String(topics[0]).slice(0, 10))) continue
      if (decoder.event({ topics, data }) === null) undecoded.push({ topics, data })
    }

    expect(undecoded).toEqual([])
  })
})
