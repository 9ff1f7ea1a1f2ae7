import { describe, expect, it } from "@effect/vitest"
import { Schema } from "effect"
import * as Role from "../../src/ledger/Role.ts"
import * as Lookalikes from "../../src/query/Lookalikes.ts"

const address = (begin: string, middle: string, end: string) => `0x${begin}${middle.repeat(32)}${end}`
const paid = address("abcd", "1", "ef01")
const fake = address("abcd", "2", "ef01")

const movement = (counterparty: string | null, amount: bigint, asset = "native") => ({
  wallet: `0x${"9".repeat(40)}`,
  counterparty,
  asset,
  tokenId: null,
  amount,
  kind: "value" as const,
  logIndex: null,
  isFailed: false,
})

const place = (roles: number, ...movements: ReadonlyArray<ReturnType<typeof movement>>) => ({ roles, movements })
const token = `0x${"7".repeat(40)}`
const { sender, token_sender: tokenSender } = Role.bits

const after = (...places: ReadonlyArray<ReturnType<typeof place>>) => {
  const payments = new Lookalikes.RecentPayments()
  for (const one of places) payments.add(one)
  return payments
}

describe("RecentPayments", () => {
  it("isLookalike: finds an address that begins and ends like one that the wallet paid, but not the paid address", () => {
    const payments = after(place(sender, movement(paid, -5n)))

    expect(payments.isLookalike(fake)).toBe(true)
    expect(payments.isLookalike(paid)).toBe(false)
    expect(payments.isLookalike(address("abcd", "2", "ef02"))).toBe(false)
    expect(payments.isLookalike(address("abce", "2", "ef01"))).toBe(false)
    expect(after().isLookalike(fake)).toBe(false)
  })

  it("isLookalike: compares with what the wallet itself paid, not with what others' transactions log or pay to it", () => {
    const logged = after(place(tokenSender, movement(paid, -5n, token)))
    const received = after(place(sender, movement(paid, 5n)))
    const own = after(place(sender, movement(paid, -5n, token)))
    const byContract = after(place(0, movement(paid, -5n)))

    expect([logged, received, own, byContract].map((one) => one.isLookalike(fake))).toEqual([false, false, true, true])
  })

  it("isLookalike: is false for two similar addresses that were both paid", () => {
    const payments = after(place(sender, movement(paid, -5n)), place(sender, movement(fake, -5n)))

    expect([payments.isLookalike(paid), payments.isLookalike(fake)]).toEqual([false, false])
    expect(payments.isLookalike(address("abcd", "3", "ef01"))).toBe(true)
  })

  it.prop(
    "isLookalike: depends only on the most recent entries",
    [
      Schema.Array(Schema.Literals(["1", "2", "3", "none"])).check(Schema.isMaxLength(40)),
      Schema.Array(Schema.Literals(["1", "2", "3", "none"])).check(Schema.isMaxLength(40)),
    ],
    ([before, last]) => {
      const placeWith = (middle: string) =>
        place(sender, ...(middle === "none" ? [] : [movement(address("abcd", middle, "ef01"), -1n)]))
      const rest = Array.from({ length: Lookalikes.windowPlaces - last.length }, () => placeWith("none"))
      const whole = after(...before.map(placeWith), ...rest, ...last.map(placeWith))
      const part = after(...last.map(placeWith))
      const all = ["1", "2", "3", "4"].map((middle) => address("abcd", middle, "ef01"))

      expect(all.map((one) => whole.isLookalike(one))).toEqual(all.map((one) => part.isLookalike(one)))
    },
  )
})
