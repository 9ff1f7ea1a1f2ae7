/** Reads all pages of a wallet and compares each with the list of its first page. */
import { Effect, type Result } from "effect"
import type { pagesOf } from "../store/pages.ts"
import type { World } from "./World.ts"

/** Outcomes of walks, and the number of pages. */
export interface Tally {
  walks: number
  pages: number
  /** Pages whose rows differ from the list. */
  torn: number
  /** Walks that became stale because the block of their cursor was removed. */
  stale: number
  /** Walks that became stale although it was not removed. */
  falselyStale: number
  /** Pages rejected with a retryable error, by message. */
  readonly unavailable: Map<string, number>
}

export const tally = (): Tally => ({ walks: 0, pages: 0, torn: 0, stale: 0, falselyStale: 0, unavailable: new Map() })

type Pages = ReturnType<typeof pagesOf>
type Read = Effect.Success<ReturnType<Pages>>
type Failure = Effect.Error<ReturnType<Pages>>

export interface Options {
  readonly world: World
  readonly tally: Tally
  readonly limit: number
  readonly first: Pages
  /** Reads the following pages. */
  readonly rest: Pages
  /** Delay before each page except the first. */
  readonly pauseMillis: number
  readonly maxPages: number
}

/** Reads all pages once. */
export const walk = Effect.fnUntraced(function* (options: Options) {
  const { first, limit, maxPages, pauseMillis, rest, tally, world } = options
  tally.walks++
  let cursor: string | null = null
  /** Hash of the highest block of the list. */
  let top = ""
  const given: Array<string> = []
  for (let number = 0; number < maxPages; number++) {
    if (number > 0) yield* Effect.sleep(pauseMillis)
    const page: Result.Result<Read, Failure> = yield* Effect.result(
      cursor === null ? first({ limit }) : rest({ limit, cursor }),
    )
    if (page._tag === "Failure") {
      const { failure } = page
      if (failure._tag === "StoreError") {
        tally.unavailable.set(failure.message, (tally.unavailable.get(failure.message) ?? 0) + 1)
      } else if (failure._tag === "Stale") {
        // A walk continues below its last row, so only the removal of that block or a higher one makes its cursor stale.
        if (world.isRemoved(top)) tally.stale++
        else tally.falselyStale++
      } else return yield* Effect.die(failure)
      return
    }
    tally.pages++
    const { checkpoint, rows } = page.success
    if (number === 0) top = checkpoint?.head.hash ?? ""
    const list = world.listOf(top)
    given.push(...rows.map(({ body }) => body))
    const isWhole = page.success.cursor === null ? given.length === list.length : rows.length === limit
    if (!isWhole || given.some((body, index) => body !== list[index])) tally.torn++
    ;({ cursor } = page.success)
    if (cursor === null) return
  }
})

/** Reports the issues of a tally. */
export const report = ({ falselyStale, torn, unavailable }: Tally, fail: (issue: string) => void): void => {
  if (torn > 0) fail(`${torn} torn pages`)
  if (falselyStale > 0) fail(`${falselyStale} falsely stale walks`)
  for (const [message, count] of unavailable) fail(`refused ${count}: ${message}`)
}
