/**
 * The walk over all pages: which page is asked for next, which rows of it are new, when the next one is asked for ahead, and how
 * to go on after a reorganisation. At most two pages are held: the one that was given, and the one ahead.
 */
import * as Issue from "@daybook/schema/Issue"
import type { WalletTransaction } from "@daybook/schema/WalletTransaction"
import { InvalidResponse } from "@daybook/transport/ClientError"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import type { RowsReverted, StreamOptions, WalletResponse, WalkPage } from "../Client.ts"
import type { Query, Written } from "../Query.ts"
import { BadRequest, OutOfOrder, type RestError, StaleCursor } from "../RestError.ts"
import * as Plan from "./plan.ts"
import * as Position from "./position.ts"
import * as Walk from "./walk.ts"

/** What the walk stands on: one page, and the query as it is written. */
export interface Source {
  readonly host: string
  readonly written: (query: Query) => Effect.Effect<Written, BadRequest>
  readonly ask: (query: Written, options: StreamOptions) => Effect.Effect<WalletResponse, RestError>
}

/** A page of the walk, and the position after the first so many of its rows. */
export interface PageStep {
  readonly page: WalkPage
  readonly positionAfter: (rows: number) => string
}

export type Step = PageStep | RowsReverted

export const isVoid = <A extends object>(step: A | RowsReverted): step is RowsReverted =>
  "_tag" in step && step._tag === "RowsReverted"

/** Restarts after a reorganisation without a row between them, before the walk gives up. */
const restartsInVain = 5

const invalidOption = (host: string, path: string, expected: string, received: string) =>
  Effect.fail(new BadRequest({ host, what: "option", issue: { path, expected, received } }))

/** What the kinds of the options do not tell. */
const checked = (host: string, query: Query, options: StreamOptions): Effect.Effect<void, BadRequest> => {
  const { onStaleCursor = "fail", resume } = options
  if (onStaleCursor !== "fail" && onStaleCursor !== "restart") {
    return invalidOption(host, "onStaleCursor", `"fail" or "restart"`, Issue.describe(onStaleCursor))
  }
  if (resume !== undefined && query.cursor !== undefined) {
    return invalidOption(host, "cursor", "no cursor with resume, whose position has its own", "both")
  }
  return Effect.void
}

const faultError = (
  fault: Walk.WalkFault,
  order: "ASC" | "DESC",
  host: string,
  response: WalletResponse,
): RestError => {
  const { attempts, requestId } = response
  const facts = { host, requestId, attempts }
  switch (fault._tag) {
    case "OutOfOrder":
      return new OutOfOrder({ ...facts, ...fault, order })
    case "Broken":
      return new InvalidResponse({ ...facts, ...fault, reason: "content", status: 200 })
    case "Stale":
      return new StaleCursor({ ...facts, resumeFromBlock: fault.fromBlock, status: 200 })
  }
}

/** Where the walk is. */
interface Run {
  readonly query: Readonly<Record<string, string>>
  readonly order: "ASC" | "DESC"
  isInherited: boolean
  parts: ReadonlyArray<Plan.Part>
  walk: Walk.Walk
  outermost: bigint | undefined
  pages: number
  rows: number
  /** No page of the current part has been taken yet. */
  isPartNew: boolean
  /** The position while a resumed walk catches up: the one it was resumed from. */
  held: string
  /** Pages given by this run, which may have been resumed. */
  turns: number
  restarts: number
  ahead: Fiber.Fiber<WalletResponse, RestError> | undefined
  fault: RestError | undefined
}

const begin = (
  query: Readonly<Record<string, string>>,
  order: "ASC" | "DESC",
  cursor: string | undefined,
): Position.Position => ({
  query,
  order,
  outermost: undefined,
  isInherited: cursor !== undefined,
  pages: 0,
  rows: 0,
  parts: [{ ...Plan.whole, cursor }],
})

const walkOf = (order: "ASC" | "DESC", part: Plan.Part = Plan.whole): Walk.Walk =>
  Walk.make(order, part.cursor, part.memory)

/** The parameters of a part's page: its bounds beat those of the query. */
const parametersOf = (written: Written, run: Run, part: Plan.Part, maxRows: number | undefined): Written => {
  const { cursor: own, from_block, from_date, limit, to_block, to_date, ...rest } = written.parameters
  const lower = part.from === undefined ? { from_block, from_date } : { from_block: part.from.toString() }
  const upper = part.to === undefined ? { to_block, to_date } : { to_block: part.to.toString() }
  const size = maxRows !== undefined && maxRows < Number(limit ?? 100) ? String(maxRows) : limit
  // A first page is asked in the order that will be held against it; a cursor of another walk brings its own.
  const order = own === undefined || part.cursor === undefined ? run.order : rest.order
  const given = { ...rest, ...lower, ...upper, limit: size, order, cursor: part.cursor }
  const parameters = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
  return { address: written.address, parameters }
}

const positionOf = (run: Run, parts: ReadonlyArray<Plan.Part>, rows: number): string => {
  const { isInherited, order, outermost, pages, query } = run
  return Position.write({ query, order, outermost, isInherited, pages, rows, parts })
}

const replaceFirst = (parts: ReadonlyArray<Plan.Part>, first: Partial<Plan.Part>): ReadonlyArray<Plan.Part> =>
  parts.map((part, at) => (at === 0 ? { ...part, ...first } : part))

/** What is left when a walk has ended: rows to come, when it goes upwards. */
const afterEnd = (run: Run): ReadonlyArray<Plan.Part> => {
  const next = run.order === "ASC" ? Walk.beyond(Walk.memory(run.walk)) : undefined
  return next === undefined ? [] : [{ ...Plan.whole, ...next }]
}

const outer = (run: Run, rows: ReadonlyArray<WalletTransaction>): bigint | undefined =>
  rows.reduce<bigint | undefined>((found, { block_number: block }) => {
    if (found === undefined) return block
    return (run.order === "ASC") === block < found ? block : found
  }, run.outermost)

export const steps = (source: Source, query: Query, options: StreamOptions = {}): Stream.Stream<Step, RestError> => {
  const { host } = source
  const { maxRows, onProgress, onStaleCursor = "fail", prefetch = true, resume } = options
  const most = maxRows ?? Infinity

  const start = Effect.gen(function* () {
    const written = yield* source.written(query)
    yield* checked(host, query, options)
    const order = written.parameters.order ?? "DESC"
    const asked = Position.queryOf(written, order)
    const saved =
      resume === undefined ? Result.succeed(begin(asked, order, query.cursor)) : Position.read(resume, asked)
    if (Result.isFailure(saved))
      return yield* invalidOption(host, "resume", saved.failure.expected, saved.failure.received)
    const { isInherited, outermost, pages, parts, rows } = saved.success
    const run: Run = {
      query: asked,
      order,
      isInherited,
      parts,
      walk: walkOf(order, parts[0]),
      outermost,
      pages,
      rows,
      isPartNew: true,
      held: Position.write(saved.success),
      turns: 0,
      restarts: 0,
      ahead: undefined,
      fault: undefined,
    }
    const bounds: Plan.Bounds = {
      toBlock: query.to_block === undefined ? undefined : BigInt(query.to_block),
      hasToDate: query.to_block === undefined && query.to_date !== undefined,
    }
    return { written, run, bounds, scope: yield* Effect.scope }
  })

  return Stream.unwrap(
    Effect.map(start, ({ bounds, run, scope, written }) => {
      const ask = (part: Plan.Part) => source.ask(parametersOf(written, run, part, maxRows), options)

      const next = (part: Plan.Part) =>
        Effect.suspend(() => {
          const { ahead } = run
          run.ahead = undefined
          return ahead === undefined ? ask(part) : Fiber.join(ahead)
        })

      /** The first page of a run is looked at before the next one is asked for: a caller may want no more. */
      const askAhead = Effect.suspend(() => {
        const [part] = run.parts
        if (!prefetch || run.turns < 2 || part === undefined || run.fault !== undefined || run.rows >= most)
          return Effect.void
        return Effect.map(Effect.forkIn(ask(part), scope), (fiber) => void (run.ahead = fiber))
      })

      const enter = (parts: ReadonlyArray<Plan.Part>) => {
        run.parts = parts
        run.walk = walkOf(run.order, parts[0])
        run.isPartNew = true
      }

      /** What is left after a page that was taken whole. */
      const rest = (following: Exclude<Walk.Taken["next"], Walk.WalkFault>): ReadonlyArray<Plan.Part> => {
        if (following._tag === "Cursor") {
          return replaceFirst(run.parts, { cursor: following.cursor, memory: Walk.memory(run.walk) })
        }
        return run.parts.length > 1 ? run.parts.slice(1) : afterEnd(run)
      }

      const taken = (part: Plan.Part, response: WalletResponse): PageStep => {
        const memory = run.isPartNew ? part.memory : Walk.memory(run.walk)
        const { parts, rows: rowsBefore } = run
        const { next: following, rows: fresh } = Walk.take(run.walk, response.page)
        const rows = fresh.slice(0, most - rowsBefore)
        run.outermost = outer(run, rows)
        run.rows += rows.length
        run.pages++
        run.turns++
        run.isPartNew = false
        if (rows.length > 0) run.restarts = 0

        const within = (count: number): string => {
          if (count === 0 && memory.tail.length > 0) return run.held
          const inside = { memory: Walk.within(run.order, memory, rows.slice(0, count)) }
          return positionOf(run, replaceFirst(parts, inside), rowsBefore + count)
        }
        let position: string | undefined
        if (rows.length === fresh.length) {
          if (following._tag !== "Cursor" && following._tag !== "End") {
            run.fault = faultError(following, run.order, host, response)
          } else {
            const left = rest(following)
            if (run.walk.catchUp === undefined) position = positionOf(run, left, run.rows)
            if (following._tag === "Cursor") run.parts = left
            else enter(parts.slice(1))
          }
        }
        position ??= within(rows.length)
        run.held = position
        const held = position
        const block = rows.at(-1)?.block_number ?? run.walk.furthest?.block ?? null
        const page =
          rows.length === response.page.result.length
            ? response.page
            : Object.assign({}, response.page, { result: rows })
        return {
          page: { ...response, page, progress: { pages: run.pages, rows: run.rows, block }, position: held },
          positionAfter: (count) => (count >= rows.length ? held : within(count)),
        }
      }

      const restarted = (error: StaleCursor): Effect.Effect<RowsReverted, RestError> => {
        if (onStaleCursor !== "restart" || run.restarts >= restartsInVain) return Effect.fail(error)
        run.restarts++
        const current = replaceFirst(run.parts, { memory: Walk.memory(run.walk) })
        const { parts, voidFrom } = Plan.restart({ ...run, parts: current }, error.resumeFromBlock, bounds)
        enter(parts)
        run.fault = undefined
        run.isInherited = run.isInherited && voidFrom > 0n
        run.held = positionOf(run, parts, run.rows)
        return Effect.succeed({ _tag: "RowsReverted", fromBlock: voidFrom })
      }

      const turn: Effect.Effect<Option.Option<Step>, RestError> = Effect.suspend(() => {
        const [part] = run.parts
        if (run.fault?._tag === "StaleCursor") return Effect.asSome(restarted(run.fault))
        if (run.fault !== undefined) return Effect.fail(run.fault)
        if (part === undefined || run.rows >= most) return Effect.succeedNone
        return next(part).pipe(
          Effect.map((response): Step => taken(part, response)),
          Effect.tap((step) => (isVoid(step) ? Effect.void : tellProgress(step.page))),
          Effect.tap(() => askAhead),
          Effect.catchTag("StaleCursor", restarted),
          Effect.asSome,
        )
      })

      const tellProgress = ({ progress }: WalkPage) =>
        onProgress === undefined ? Effect.void : Effect.sync(() => onProgress(progress))

      return Stream.paginate(undefined, () =>
        Effect.map(turn, (step): readonly [ReadonlyArray<Step>, Option.Option<undefined>] =>
          Option.isNone(step) ? [[], Option.none()] : [[step.value], Option.some(undefined)],
        ),
      )
    }),
  )
}
