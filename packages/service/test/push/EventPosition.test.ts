import { describe, expect, it } from "@effect/vitest"
import { Result } from "effect"
import * as EventPosition from "../../src/push/EventPosition.ts"

const position = { journal: { change: 12, mark: 35 }, from: 3, next: 9, highest: 11 }
const text = EventPosition.format(position, "alice")

const expected = (cursor: string, selection: string) =>
  Result.match(EventPosition.parse(cursor, selection), {
    onFailure: (issue) => issue,
    onSuccess: () => "accepted",
  })

describe("EventPosition", () => {
  it("format, parse: a position survives the round trip, even if no row was sent for it", () => {
    const unsent = { ...position, highest: -1 }

    expect(text.split(".").slice(0, 5)).toEqual(["e1", "12-z", "3", "9", "12"])
    expect(EventPosition.parse(text, "alice")).toEqual(Result.succeed(position))
    expect(EventPosition.parse(EventPosition.format(unsent, ""), "")).toEqual(Result.succeed(unsent))
  })

  it("parse: rejects a position of another selection, and a text that is not a position", () => {
    expect(expected(text, "bob")).toBe("a cursor of the same wallet, chain and selection")
    for (const other of [
      "",
      text.slice(1),
      text.slice(0, -1),
      text.replace("12-z", "12-Z"),
      text.replace("12-z", "-z-"),
    ]) {
      expect(expected(other, "alice")).toBe("the cursor of an event, unchanged")
    }
  })

  it("highestOf: returns the highest block of which rows were sent, for any selection, and undefined for other texts", () => {
    expect([text, "", "e1."].map(EventPosition.highestOf)).toEqual([11, undefined, undefined])
  })

  it("isText: recognises positions by their first characters", () => {
    expect([text, "e1", "c1.x"].map(EventPosition.isText)).toEqual([true, false, false])
  })
})
