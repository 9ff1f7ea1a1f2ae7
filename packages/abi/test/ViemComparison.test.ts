import { expect, it } from "vitest"
import { compare } from "./ViemComparison.ts"

const signatures = 1_000

it("read: returns what viem decodes, for random types and values and for changed data that both decode", () => {
  const differences = Array.from({ length: signatures }, (_, at) => compare(at + 1)).filter((found) => found !== null)

  expect(differences).toEqual([])
})
