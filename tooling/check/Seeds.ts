/**
 * Set-up file of every test file. Laws draw the seed of their values from `Math.random`, which is seeded by the title of each test, so that
 * a test that passed passes again. `DAYBOOK_TEST_SEED` (a whole number, 1 unless set) selects other values.
 */
import { createHash } from "node:crypto"
import { afterEach, beforeEach, onTestFailed } from "vitest"
import * as Random from "../../packages/testkit/src/internal/Random.ts"

const platform = Math.random

const drawn = Number(process.env["DAYBOOK_TEST_SEED"] ?? "1")
if (!Number.isSafeInteger(drawn)) {
  throw new RangeError(`DAYBOOK_TEST_SEED: expected a whole number, got ${process.env["DAYBOOK_TEST_SEED"]}`)
}

/** The seed of a test, from `seed` and its title with those of its groups. */
export const seedOf = (title: string, seed = drawn): number =>
  createHash("sha256").update(`${seed} ${title}`).digest().readUInt32LE()

beforeEach((context) => {
  const title = context.task.fullTestName
  Math.random = Random.make(seedOf(title)).next
  onTestFailed(() => console.error(`DAYBOOK_TEST_SEED=${drawn} draws the values of "${title}"`))
})

afterEach(() => {
  Math.random = platform
})
