import { loadavg } from "node:os"
import { expect, it } from "vitest"
import * as Machine from "../src/Machine.ts"

it("maxLate: is all scripts on a busy machine, else one in a thousand and at least two", () => {
  const isBusy = Machine.isBusy()

  expect(Machine.maxLate(5_000)).toBe(isBusy ? 5_000 : 5)
  expect(Machine.maxLate(100)).toBe(isBusy ? 100 : 2)
})

it("isBusy: is false where the system measures no load", () => {
  expect(loadavg()[0] === 0 && Machine.isBusy()).toBe(false)
})
