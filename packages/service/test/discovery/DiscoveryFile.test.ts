import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs"
import { basename, dirname, join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { describe, expect, it } from "@effect/vitest"
import { Duration, Effect, Result, Schema, Stream } from "effect"
import { TestClock } from "effect/testing"
import type { DiscoveredBlock } from "../../src/ledger/DiscoveredBlock.ts"
import * as DiscoveryFile from "../../src/discovery/DiscoveryFile.ts"
import type { DiscoveryState, Segment } from "../../src/discovery/DiscoveryState.ts"
import * as DiscoveryStep from "../../src/discovery/DiscoveryStep.ts"
import * as Movement from "../../src/ledger/Movement.ts"
import { seeded } from "../store/model.ts"
import { temporaryFolder } from "../store/temporaryFolder.ts"

const [alice, bob] = [`0x${"a".repeat(40)}`, `0x${"b".repeat(40)}`]

const subject: DiscoveryFile.Subject = { chainId: 31_337, addresses: [alice, bob], fromBlock: null, at: 900 }

const details: DiscoveryFile.Details = { hasTraces: true, ledgerRevision: 1, calls: 42 }

const blockOf = (number: number): DiscoveredBlock => ({
  number,
  hash: `0x${number.toString(16).padStart(64, "0")}`,
  timestamp: 17e8 + number,
  hasGaps: false,
  rows: [
    {
      wallet: alice,
      transactionHash: `0x${"1".repeat(64)}`,
      index: 3,
      roles: 5,
      movements: [
        {
          wallet: alice,
          counterparty: bob,
          asset: Movement.native,
          tokenId: null,
          amount: -(10n ** 30n),
          kind: "value",
          logIndex: null,
          isFailed: false,
        },
      ],
    },
  ],
})

const initial = DiscoveryStep.initial({
  chainId: 31337,
  addresses: [alice, bob],
  opening: 0,
  closing: {
    number: 900,
    hash: `0x${"c".repeat(64)}`,
  },
})

/** A state whose open blocks begin after a block, with all blocks up to another one fetched. */
const stateAt = (settled: number, fetchedTo: number) => ({
  ...initial,
  settled,
  isLocated: true,
  candidates: [5, 700],
  wallets: initial.wallets.map((wallet) => ({
    ...wallet,
    balance: 7n,
  })),
  segment: {
    to: 900,
    fetched: Array.from({ length: fetchedTo - settled }, (_, index) => settled + 1 + index),
    wallets: initial.wallets.map(() => ({
      parts: [
        {
          after: settled,
          to: 900,
          before: 7n,
          value: 9n,
        },
      ],
      changes: [[fetchedTo, -3n]] as const,
    })),
  },
})

const open = (file: string, of = subject) => DiscoveryFile.open(file, of)

/** What the next process reads from a file. */
const read = (file: string, of = subject) =>
  Effect.scoped(
    Effect.gen(function* () {
      const { kept } = yield* open(file, of)
      if (kept === null) return null
      const { settled, ...rest } = kept
      return { ...rest, settled: yield* Stream.runCollect(settled) }
    }),
  )

/** Files of a folder that this process has open, if the system lists them. */
const openFiles = (folder: string): ReadonlyArray<string> => {
  const descriptors = "/proc/self/fd"
  if (!existsSync(descriptors)) return []
  const paths = readdirSync(descriptors).map((name) =>
    Result.getOrElse(
      Result.try(() => readlinkSync(join(descriptors, name))),
      () => "",
    ),
  )
  return paths.filter((path) => path.startsWith(folder))
}

/** A file with 300 blocks, of which 250 are settled. */
const written = Effect.gen(function* () {
  const file = DiscoveryFile.pathOf(join(yield* temporaryFolder, "daybook"), subject)
  const blocks = Array.from({ length: 300 }, (_, index) => blockOf(index + 1))
  yield* Effect.scoped(
    Effect.gen(function* () {
      const { write } = yield* open(file)
      yield* write(stateAt(0, 120), blocks.slice(0, 120), { ...details, calls: 7 })
      yield* write(stateAt(250, 300), blocks.slice(120).toReversed(), details)
    }),
  )
  return { file, blocks }
})

/** A negative zero is not preserved. */
const Count = Schema.Int.check(Schema.isGreaterThan(0))

const MovementOf = Schema.Struct({
  wallet: Schema.String,
  counterparty: Schema.NullOr(Schema.String),
  asset: Schema.String,
  tokenId: Schema.NullOr(Schema.String),
  amount: Schema.BigInt,
  kind: Schema.Literals(Movement.kinds),
  logIndex: Schema.NullOr(Count),
  isFailed: Schema.Boolean,
})

const RowOf = Schema.Struct({
  wallet: Schema.String,
  transactionHash: Schema.NullOr(Schema.String),
  index: Schema.NullOr(Count),
  roles: Count,
  movements: Schema.Array(MovementOf),
})

const BlockOf = Schema.Struct({
  number: Count,
  hash: Schema.String,
  timestamp: Count,
  rows: Schema.Array(RowOf),
  hasGaps: Schema.Boolean,
})

describe("DiscoveryFile", () => {
  it.prop("blockToJson, blockFromJson: invert each other", { block: BlockOf }, ({ block }) => {
    expect(DiscoveryFile.blockFromJson(DiscoveryFile.blockToJson(block))).toEqual(Result.succeed(block))
  })

  it.effect("open: returns the last written state and blocks, in order, to one process at a time", () =>
    Effect.gen(function* () {
      const { blocks, file } = yield* written
      const kept = yield* read(file)
      const locked = yield* Effect.scoped(Effect.andThen(open(file), Effect.flip(open(file))))

      expect(kept).toEqual({
        state: stateAt(250, 300),
        details,
        settled: blocks.slice(0, 250),
        waiting: blocks.slice(250),
      })
      expect(locked.message).toBe(
        `Cannot use the file of an interrupted search: ${file} is used by another process. Wait until that process has ended.`,
      )
      expect(statSync(file).mode & 0o777).toBe(0o600)
    }),
  )

  it.effect("write: keeps the previous contents if a block cannot be stored", () =>
    Effect.gen(function* () {
      const { file } = yield* written
      const before = yield* read(file)
      const failed = yield* Effect.scoped(
        Effect.flatMap(open(file), ({ write }) =>
          Effect.flip(write(stateAt(300, 302), [blockOf(301), blockOf(0.5)], details)),
        ),
      )

      expect(failed.reason).toMatch(/^cannot be written/)
      expect(yield* read(file)).toEqual(before)
    }),
  )

  it.effect("clear, removeAtEnd: leave nothing to continue from", () =>
    Effect.gen(function* () {
      const { file } = yield* written
      yield* Effect.scoped(Effect.flatMap(open(file), ({ clear }) => clear))
      const cleared = yield* read(file)
      yield* Effect.scoped(Effect.flatMap(open(file), ({ removeAtEnd }) => removeAtEnd))

      expect(cleared).toBeNull()
      expect(statSync(file, { throwIfNoEntry: false })).toBeUndefined()
    }),
  )

  it.effect("removeOld: removes searches that were not extended for 30 days, and no other file", () =>
    Effect.gen(function* () {
      const { file } = yield* written
      const [base, own] = [dirname(file), { ...subject, at: 901 }]
      const named = (name: string) => join(base, `search-1-${name.padEnd(24, "0")}.sqlite`)
      const [recent, others, short, unreadable] = [named("a"), named("b"), named("c"), named("d")]
      copyFileSync(file, recent)
      copyFileSync(file, DiscoveryFile.pathOf(base, own))
      writeFileSync(others, Buffer.alloc(4_096))
      // Part of a header, with the application's number.
      writeFileSync(short, readFileSync(file).subarray(0, 80))
      mkdirSync(unreadable)
      copyFileSync(file, join(base, "search.sqlite"))
      const day = Duration.toSeconds(Duration.days(1))
      for (const name of readdirSync(base)) utimesSync(join(base, name), 29 * day, 29 * day)
      utimesSync(recent, 30 * day, 30 * day)
      yield* TestClock.setTime(60 * day * 1_000)
      const removed = yield* DiscoveryFile.removeOld(base, own)
      const ofNothing = yield* DiscoveryFile.removeOld(join(base, "missing"), own)

      expect([removed, ofNothing]).toEqual([1, 0])
      expect(openFiles(base)).toEqual([])
      expect(readdirSync(base).toSorted()).toEqual(
        [recent, others, short, unreadable, DiscoveryFile.pathOf(base, own), "search.sqlite"]
          .map((path) => basename(path))
          .toSorted(),
      )
    }),
  )

  it.effect("open: rejects a file of another application, format or search, and leaves it unchanged", () =>
    Effect.gen(function* () {
      const { file } = yield* written
      const folder = yield* temporaryFolder
      const [text, other, newer, moved] = ["text", "other", "newer", "moved"].map((name) => join(folder, name)) as [
        string,
        string,
        string,
        string,
      ]
      writeFileSync(text, "not a database, and longer than the header of one: ".repeat(20))
      for (const [path, statement] of [
        [other, "CREATE TABLE note (body TEXT)"],
        [newer, "PRAGMA user_version=3"],
        [moved, "PRAGMA user_version=2"],
      ] as const) {
        if (path !== other) copyFileSync(file, path)
        const database = new DatabaseSync(path)
        database.exec(statement)
        database.close()
      }
      const before = [text, other, newer, moved].map((path) => readFileSync(path))
      const refused = yield* Effect.forEach([text, other, newer], (path) => Effect.flip(read(path)))
      const another = yield* Effect.flip(read(moved, { ...subject, at: null }))

      expect([...refused, another].map(({ reason }) => reason)).toEqual([
        "is not a file of an interrupted search",
        "is not a file of an interrupted search",
        "has format 3, and this version reads 2",
        "belongs to another search",
      ])
      expect([text, other, newer, moved].map((path) => readFileSync(path))).toEqual(before)
    }),
  )

  it.effect("open: rejects a file in which something was changed or removed", () =>
    Effect.gen(function* () {
      for (const [statement, what] of [
        ["DELETE FROM block WHERE number = 8", "its blocks"],
        ["DELETE FROM block WHERE number = 299", "its blocks"],
        ["UPDATE block SET body = replace(body, '1700000008', '1700000009') WHERE number = 8", "block 8"],
        ["UPDATE block SET number = 301 WHERE number = 8", "block 301"],
        ["UPDATE discovery SET state = replace(state, '250', '251')", "its state"],
      ] as const) {
        const { file } = yield* written
        const database = new DatabaseSync(file)
        database.exec(statement)
        database.close()
        const { message } = yield* Effect.flip(read(file))

        expect(message).toContain(` is damaged: ${what}. Remove it to begin the search again.`)
      }
    }),
  )

  it.effect("open: rejects a file with damaged tables, and one that cannot be written", () =>
    Effect.gen(function* () {
      const { file } = yield* written
      const bytes = readFileSync(file)
      writeFileSync(file, bytes.fill(0xff, 4_096, 8_192))
      const damaged = yield* Effect.flip(read(file))
      const below = yield* Effect.flip(read(join(file, "search.sqlite")))

      expect([damaged.reason, damaged.advice]).toEqual(["is damaged", "Remove it to begin the search again."])
      expect(below.reason).toMatch(/^cannot be written \((?:ENOTDIR|EEXIST)/)
      expect(below.advice).toBe("Name another folder with --state.")
    }),
  )

  it.effect("open: rejects a state that contradicts its search, itself or the stored blocks", () =>
    Effect.gen(function* () {
      const whole = stateAt(250, 250)
      const file = DiscoveryFile.pathOf(join(yield* temporaryFolder, "daybook"), subject)
      const rewritten = (state: DiscoveryState) =>
        Effect.andThen(
          Effect.scoped(
            Effect.flatMap(open(file), ({ clear, write }) => Effect.andThen(clear, write(state, [], details))),
          ),
          Effect.result(read(file)),
        )
      const ended = { ...whole, settled: 900, segment: null }
      const within = (segment: Partial<Segment>) => ({ ...whole, segment: { ...whole.segment, ...segment } })

      for (const state of [whole, ended, { ...whole, opening: 250 }])
        expect(Result.getOrThrow(yield* rewritten(state))?.state).toEqual(state)
      for (const [state, what] of [
        [{ ...whole, chainId: 1 }, "its wallets"],
        [{ ...whole, wallets: whole.wallets.slice(1) }, "its wallets"],
        [{ ...whole, wallets: whole.wallets.toReversed() }, "its wallets"],
        [{ ...ended, settled: 901 }, "its blocks"],
        [{ ...whole, opening: 251 }, "its blocks"],
        [within({ fetched: [251] }), "its blocks"],
        [within({ to: 250 }), "its open blocks"],
        [within({ to: 901 }), "its open blocks"],
        [within({ wallets: whole.segment.wallets.slice(1) }), "its open blocks"],
        [{ ...whole, isLocated: false }, "its open blocks"],
      ] as const) {
        const outcome = yield* rewritten(state)
        rmSync(file)

        expect(Result.isFailure(outcome) && outcome.failure.reason).toBe(`is damaged: ${what}`)
      }
    }),
  )

  it.effect("open: returns what was written, or rejects the file, whichever byte of it is changed", () =>
    Effect.gen(function* () {
      const { file } = yield* written
      const whole = yield* read(file)
      const bytes = readFileSync(file)
      const numbers = seeded(56)
      let refused = 0
      for (let run = 0; run < 40; run++) {
        const changed = Buffer.from(bytes)
        changed[numbers.below(run < 20 ? 4_096 : changed.length)]! ^= 1 + numbers.below(255)
        writeFileSync(file, changed)
        const outcome = yield* Effect.result(read(file))
        if (Result.isSuccess(outcome)) expect(outcome.success).toEqual(whole)
        else refused += 1
      }

      expect(refused).toBeGreaterThan(10)
    }),
  )
})
