/**
 * Contract tests that every engine must pass. The test file of an engine calls `contract` with a function that creates an empty
 * database.
 */
import * as Runs from "@daybook/harness/Runs"
import { describe } from "@effect/vitest"
import { competingContract } from "./competingContract.ts"
import { contractsContract } from "./contractsContract.ts"
import { cursorContract } from "./cursorContract.ts"
import { databaseContract } from "./databaseContract.ts"
import { factsContract } from "./factsContract.ts"
import { journalContract } from "./journalContract.ts"
import { leaseContract } from "./leaseContract.ts"
import { projectionContract } from "./projectionContract.ts"
import { proofContract } from "./proofContract.ts"
import { readingContract } from "./readingContract.ts"
import * as TestDatabase from "./TestDatabase.ts"
import { watchContract } from "./watchContract.ts"
import { writingContract } from "./writingContract.ts"

/** Runs the tests of the rows of blocks on another storage format of an engine. */
export const blockContract = (name: string, database: TestDatabase.Make, part = Runs.usualPart): void => {
  const law = TestDatabase.laws(part)
  describe(`Engine ${name}`, () => {
    writingContract(database, law)
    factsContract(database)
    competingContract(database)
    readingContract(database, law, true)
  })
}

export interface Options {
  /** Part of the runs of each law. */
  readonly part?: number
  /**
   * True if a snapshot keeps its state while rows are removed. If false it is read again, because the nodes of the engine share no
   * snapshot.
   */
  readonly hasSnapshots?: boolean
}

/** Runs the suite against an engine. */
export const contract = (
  name: string,
  database: TestDatabase.Make,
  { hasSnapshots = true, part = Runs.usualPart }: Options = {},
): void => {
  const law = TestDatabase.laws(part)
  describe(`Engine ${name}`, () => {
    writingContract(database, law)
    factsContract(database)
    competingContract(database)
    readingContract(database, law, hasSnapshots)
    journalContract(database, law)
    cursorContract(database)
    projectionContract(database, law)
    proofContract(database)
    watchContract(database)
    leaseContract(database, law)
    databaseContract(database, law)
    contractsContract(database, law)
  })
}
