/**
 * Set-up file of every test file: `Math.random`, from which laws draw the seed of their values, gives each test the numbers of
 * its title. A test that passed passes again, and `DAYBOOK_TEST_SEED` (a whole number, 1 unless set) draws others.
 */
import { createHash } from "node:crypto"
import { afterEach, beforeEach, onTestFailed } from "vitest"
import * as Random from "./Random.ts"

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
