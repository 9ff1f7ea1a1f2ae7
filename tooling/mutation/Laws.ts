/**
 * Set-up file of a mutation run: a law that detects a mutant fails with the first counterexample, without shrinking. No one reads smaller
 * ones, and searching for them on a database took up to ten minutes per mutant.
 */
import * as Arbitrary from "effect/Arbitrary"

Arbitrary.configureGlobal({ check: { maxShrinks: 0 } })
