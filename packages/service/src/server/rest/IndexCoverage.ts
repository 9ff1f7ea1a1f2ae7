/**
 * Headers that report the extent and the gaps of a chain's index, so that an empty page can be distinguished from a range that is not
 * indexed.
 *
 * Source: decisions 0013, 0035, 0050 and 0055.
 */
import type * as ApiHeader from "@daybook/schema/ApiHeader"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Record from "effect/Record"
import type { Checkpoint } from "../../block/BlockRows.ts"
import * as CompleteRange from "../../query/CompleteRange.ts"
import type { Coverage } from "../../query/Coverage.ts"
import type { IndexedChain } from "../../query/IndexedChain.ts"
import type { StoreError } from "../../store/StoreError.ts"

/** Headers of an error, which only report the indexed blocks. */
export const ofCheckpoint = (checkpoint: Checkpoint | null): typeof ApiHeader.IndexCoverage.Type =>
  headers({ checkpoint, missing: 0, reconciledTo: null })

/** What the headers report. */
interface Stated extends Coverage {
  /** Last block that an earlier version stored without transactions in which the wallet only has a role; undefined for none. */
  readonly directOnlyTo?: number | undefined
  /** Last block that lacks traces; undefined for none. */
  readonly untracedTo?: number | undefined
  /** Last block up to which native balances change in ways that are not reported; undefined for none. */
  readonly unstatedTo?: number | undefined
}

/** Headers of a coverage; none while the index is empty. */
export const headers = ({
  checkpoint,
  directOnlyTo,
  missing,
  reconciledTo,
  searchedTo,
  unstatedTo,
  untracedTo,
}: Stated): typeof ApiHeader.IndexCoverage.Type => {
  if (checkpoint === null) return {}
  const { finalized, first, head } = checkpoint
  const stated = {
    "daybook-indexed-from": String(first),
    "daybook-indexed-to": String(head.number),
    "daybook-finalized-to": finalized?.toString(),
    "daybook-missing-transactions": missing === 0 ? undefined : String(missing),
    "daybook-reconciled-to": reconciledTo?.toString(),
    "daybook-searched-to": searchedTo?.toString(),
    "daybook-direct-only-to": directOnlyTo?.toString(),
    "daybook-untraced-to": untracedTo?.toString(),
    "daybook-unstated-to": unstatedTo?.toString(),
  }
  return Record.filter(stated, Predicate.isNotUndefined)
}

/** Headers for a list with any role of a wallet, which needs no traces. */
export const ofRoles = (
  chain: Pick<IndexedChain, "status">,
  coverage: Coverage,
): Effect.Effect<typeof ApiHeader.IndexCoverage.Type, StoreError> =>
  Effect.map(CompleteRange.directOnlyTo(chain, coverage.checkpoint, coverage.searchedTo ?? null), (directOnlyTo) =>
    headers({ ...coverage, directOnlyTo }),
  )

/** Headers for a list with any role of a wallet, including its internal transactions. */
export const ofTracedRoles = Effect.fnUntraced(function* (
  chain: Pick<IndexedChain, "config" | "id" | "lastUntraced" | "settingsTo" | "status">,
  coverage: Coverage,
): Effect.fn.Return<typeof ApiHeader.IndexCoverage.Type, StoreError> {
  const { checkpoint, searchedTo, untraced } = coverage
  const directOnlyTo = yield* CompleteRange.directOnlyTo(chain, checkpoint, searchedTo ?? null)
  return headers({
    ...coverage,
    directOnlyTo,
    untracedTo: yield* CompleteRange.untracedTo(chain, checkpoint, untraced),
    unstatedTo: CompleteRange.unstatedTo(chain, checkpoint),
  })
})
