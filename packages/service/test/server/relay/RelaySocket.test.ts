/** Why a WebSocket is closed, as its client reads it. */
import { describe, expect, it } from "@effect/vitest"
import * as RelaySocket from "../../../src/server/relay/RelaySocket.ts"

describe("RelaySocket", () => {
  it("reasonOf: truncates a reason to the bytes of a closing frame, whatever its characters", () => {
    const texts = [
      "Connect again.",
      "a".repeat(200),
      ...["é", "鎖", "🔗"].flatMap((of) => [of.repeat(90), `.${of.repeat(90)}`]),
    ]
    const cut = texts.map(RelaySocket.reasonOf)

    expect(cut.slice(0, 2)).toEqual(["Connect again.", "a".repeat(120)])
    expect(cut.filter((text) => Buffer.byteLength(text) > 123)).toEqual([])
    expect(cut.filter((text, at) => !texts[at]!.startsWith(text.replace(/\uFFFD$/, "")))).toEqual([])
  })
})
