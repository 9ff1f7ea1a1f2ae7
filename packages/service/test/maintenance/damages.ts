/** Corrupts single bytes in the ranges of a store: no page may contain a wrong row, and a repair must restore every row. */
import { copyFileSync, mkdirSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { Anvil, Scenario } from "@daybook/chain"
import * as Repair from "../../src/maintenance/Repair.ts"
import * as Verify from "../../src/maintenance/Verify.ts"
import * as Node from "../../src/node/Node.ts"
import * as Projections from "../../src/projection/Projections.ts"
import * as Engine from "../../src/store/Engine.ts"
import * as LedgerRules from "../../src/ledger/LedgerRules.ts"
import * as Campaign from "../campaign/Campaign.ts"
import { caughtUp, decoder, start } from "../indexer/chain.ts"
import * as Model from "../store/model.ts"
import { temporaryFolder } from "../store/temporaryFolder.ts"
import * as TestStore from "../store/TestStore.ts"
import * as RangeDamage from "./rangeDamage.ts"

const ref = { name: "test", id: 31337 }
/** Entries per range, few enough that a short chain has many ranges, some of them merged. */
const rangeEntries = 20
const fileOf = (folder: string) => join(folder, "chain-test.sqlite")
const openIn = (folder: string) => Engine.fromUrl(`sqlite:${folder}`, "/", { rangeEntries })

/** Repairs a damaged copy; returns the number of passes, or `null` if issues remain. */
const repaired = Effect.fnUntraced(function* (folder: string, node: Node.Node) {
  const database = yield* openIn(folder)
  const { audit } = database.chain(ref)
  const assembling = { decoder, ledger: LedgerRules.fromChainId(ref.id) }
  // A repaired row may reveal issues of other rows, so that a second pass may find more.
  for (let turn = 0; turn < 3; turn++) {
    const verified = yield* Verify.run(audit)
    if (verified.issues.length + verified.orphaned.length + verified.removable.length === 0) return turn
    yield* Repair.run(audit, node, verified, assembling)
  }
  return null
}, Effect.scoped)

/** Claims the ranges as an indexer does when it starts, which rebuilds a damaged list of ranges. */
const claim = Effect.fnUntraced(function* (folder: string) {
  const store = yield* TestStore.open(yield* openIn(folder), ref, { projections: Projections.make(decoder, ref.id) })
  const checkpoint = yield* store.snapshot((snapshot) => snapshot.checkpoint)
  if (checkpoint !== null) yield* Effect.ignore(store.append(checkpoint.head, []))
}, Effect.scoped)

/** Damages copies of a store, reads them, and repairs them. */
const damaged = Effect.fnUntraced(function* (base: string, node: Node.Node) {
  const wallets = RangeDamage.walletsOf(fileOf(base))
  const read = (folder: string) =>
    Effect.scoped(
      Effect.flatMap(openIn(folder), (database) => RangeDamage.readAll(database.chain(ref).reader, wallets)),
    )
  const [stored, content] = [yield* read(base), JSON.stringify(RangeDamage.contentOf(fileOf(base)))]
  const judgeAll = (pages: ReadonlyArray<RangeDamage.Page>) =>
    pages.map((page, at) => RangeDamage.compare(page, stored[at]!))
  return Effect.fnUntraced(function* (
    folder: string,
    place: (typeof RangeDamage.columns)[number],
    numbers: Model.Seeded,
  ) {
    mkdirSync(folder, { recursive: true })
    copyFileSync(fileOf(base), fileOf(folder))
    const change = RangeDamage.damageByte(fileOf(folder), place, numbers)
    const verdicts = judgeAll(yield* read(folder))
    if (place[0] === "key_range") yield* claim(folder)
    const turns = yield* repaired(folder, node)
    const issues = [
      ...(verdicts.includes("wrong") ? ["a page contains other rows"] : []),
      ...(turns === null ? ["issues remain after three repairs"] : []),
      ...(JSON.stringify(RangeDamage.contentOf(fileOf(folder))) === content ? [] : ["a repair left other rows"]),
      ...(judgeAll(yield* read(folder)).every((verdict) => verdict === "same") ? [] : ["pages differ after a repair"]),
    ]
    return { verdicts, issues: issues.map((issue) => `${change}: ${issue}`) }
  })
})

Campaign.main({
  name: "damages",
  about:
    "Corrupts single bytes in the ranges of histories and ledgers of a scenario chain's store. Fails if a page contains a row that was not stored, a page of a history lacks a row, or a repair does not restore every row.",
  seeds: 1,
  options: { changes: [1_000, "changes per seed"] },
  plan: Effect.fnUntraced(function* ({ changes }, _, seeds) {
    const base = yield* temporaryFolder
    const anvil = yield* Anvil.make()
    const { lastBlock } = yield* Scenario.run(anvil, { blobs: false, blocks: 25 })
    yield* Effect.scoped(
      Effect.gen(function* () {
        const indexer = yield* start(yield* TestStore.open(yield* openIn(base), ref), [anvil.url])
        yield* indexer.until(caughtUp(lastBlock))
        yield* indexer.stop
      }),
    )
    const damage = yield* damaged(base, yield* Node.make({ urls: [anvil.url], chainId: ref.id }))
    return {
      columns: ["changes", "columns", "pages as stored", "refused", "ledgers that lack the row", "restored"],
      cases: Campaign.ofSeeds(
        seeds,
        Effect.fnUntraced(function* (seed, { fail }, size) {
          const numbers = Model.seeded(seed)
          const counts = { same: 0, refused: 0, lacking: 0, wrong: 0 }
          let restored = 0
          for (let at = 0; at < size; at++) {
            const place = RangeDamage.columns[at % RangeDamage.columns.length]!
            const { issues, verdicts } = yield* damage(join(base, `${seed}-${at % 4}`), place, numbers)
            for (const verdict of verdicts) counts[verdict] += 1
            for (const issue of issues) fail(`change ${at}: ${issue}`)
            if (issues.length === 0) restored += 1
          }
          return [size, RangeDamage.columns.length, counts.same, counts.refused, counts.lacking, restored]
        }),
        ["changes", changes],
      ),
    }
  }),
})
