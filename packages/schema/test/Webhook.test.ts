import { describe, expect, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import * as Webhook from "../src/Webhook.ts"
import { encodesAndDecodes } from "./law.ts"

const address = `0x${"ab".repeat(20)}`
const settings = { url: "https://books.example/hook", addresses: [address] }

const isAccepted = (body: object): boolean =>
  Schema.decodeUnknownResult(Webhook.Settings, { onExcessProperty: "error" })({ ...settings, ...body })._tag ===
  "Success"

describe("Webhook", () => {
  it.prop("Webhook: is unchanged after encoding and decoding", [Webhook.Webhook], ([value]) =>
    encodesAndDecodes(Webhook.Webhook, value),
  )
  it.prop("WebhookDelivery: is unchanged after encoding and decoding", [Webhook.WebhookDelivery], ([value]) =>
    encodesAndDecodes(Webhook.WebhookDelivery, value),
  )

  it("Settings: accepts a block as a number or a text, a date, a cursor, and now", () => {
    const decode = Schema.decodeUnknownSync(Webhook.Settings)

    expect(
      [17_000_000, "17000000", "2026-01-01", "e1.4-abc.0.1.1.0123456789ab", "now"].map(
        (from) => decode({ ...settings, from }).from,
      ),
    ).toEqual(["17000000", "17000000", "2026-01-01", "e1.4-abc.0.1.1.0123456789ab", "now"])
  })

  it("Settings: reads addresses in any case, at most 1,000 of them, and refuses unknown keys and values", () => {
    const decoded = Schema.decodeUnknownSync(Webhook.Settings)({
      ...settings,
      addresses: [address.toUpperCase().replace("X", "x")],
    })

    expect(decoded.addresses).toEqual([address])
    expect(isAccepted({ addresses: Array.from({ length: 1_000 }, () => address) })).toBe(true)
    expect(
      [
        { addresses: Array.from({ length: 1_001 }, () => address) },
        { addresses: "0x12" },
        { from: -1 },
        { from: 1.5 },
        { from: "" },
        { from: "x".repeat(201) },
        { types: ["wallet.balance"] },
        { finality: "safe" },
        { name: "two\nlines" },
        { name: "x".repeat(61) },
        { secret: "whsec_mine" },
      ].filter(isAccepted),
    ).toEqual([])
  })
})
