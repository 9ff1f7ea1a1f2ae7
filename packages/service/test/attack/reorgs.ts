/**
 * Many reorgs on a real node, up to 40 blocks deep and one deeper than finality, while clients read pages and balances and follow
 * events, and a standby reads the same files.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Head } from "@daybook/chain"
import * as Random from "@daybook/testkit/internal/Random"
import { Effect } from "effect"
import { daybook, daybookProcess } from "../cli/daybook.ts"
import { Receiver } from "../push/Receiver.ts"
import * as AttackedChain from "./AttackedChain.ts"
import type { AttackedService } from "./AttackedService.ts"
import * as Client from "./Client.ts"
import type { Scenario } from "./Scenario.ts"

const sizes = {
  full: { blocks: 120, reorgs: 200, deepest: 40, beyondFinal: 80 },
  small: { blocks: 60, reorgs: 8, deepest: 20, beyondFinal: 40 },
} as const

/** Counts distinct faults. */
const makeFaults = () => {
  const counts = new Map<string, number>()
  return {
    add: (what: string) => void counts.set(what, (counts.get(what) ?? 0) + 1),
    all: (): ReadonlyArray<string> =>
      [...counts].map(([what, count]) => (count === 1 ? what : `${what} (${count} times)`)),
  }
}

interface WalletRow {
  readonly hash: string
  readonly block_hash: string
  readonly block_number: string
}

interface Page {
  readonly cursor: string | null
  readonly result: ReadonlyArray<WalletRow>
}

/** All rows of a wallet by pages, newest first; `null` if a reorg ended the walk. */
const walk = async (
  service: AttackedService,
  key: string,
  wallet: string,
  faults: ReturnType<typeof makeFaults>,
): Promise<ReadonlyArray<WalletRow> | null> => {
  const rows: Array<WalletRow> = []
  for (let cursor = ""; ;) {
    const { status, text } = await Client.page(service, key, wallet, `&limit=20${cursor}`)
    if (status === 409) return null
    if (status !== 200) {
      faults.add(`a page has status ${status}: ${text.slice(0, 100)}`)
      return null
    }
    const page = JSON.parse(text) as Page
    rows.push(...page.result)
    if (page.cursor === null) break
    cursor = `&cursor=${page.cursor}`
  }
  if (new Set(rows.map(({ hash }) => hash)).size !== rows.length) faults.add("a walk contains a transaction twice")
  const numbers = rows.map(({ block_number }) => Number(block_number))
  if (numbers.some((number, at) => at > 0 && number > numbers[at - 1]!)) faults.add("rows of a walk are out of order")
  return rows
}

/** Repeats an action until `during` ends. */
const whileRunning = async (during: Promise<unknown>, turn: () => Promise<unknown>): Promise<number> => {
  let isOver = false
  void during.finally(() => (isOver = true))
  let turns = 0
  while (!isOver) {
    await turn()
    turns++
  }
  return turns
}

/** Causes reorgs with new transfers, sequentially. */
const causeReorgs = async (
  { run: execute, node }: AttackedChain.AttackedChain,
  { beyondFinal, deepest, reorgs }: (typeof sizes)["full" | "small"],
): Promise<void> => {
  const random = Random.make(5)
  for (let at = 0; at < reorgs; at++) {
    const depth = at === Math.floor(reorgs / 2) ? beyondFinal : 1 + random.integer(deepest)
    await execute(Head.reorganise(node, { depth, moreBlocks: random.integer(3) }))
  }
}

const idOf = ({ block_hash, hash }: WalletRow): string => `${block_hash}-${hash}`

/** Compares the table of a receiver of events with the rows of the wallet. */
const differencesOf = (receiver: Receiver, rows: ReadonlyArray<WalletRow>): ReadonlyArray<string> => {
  const listed = new Set(rows.map(idOf))
  const kept = new Set(receiver.table.keys())
  const missing = [...listed].filter((id) => !kept.has(id)).length
  const void_ = [...kept].filter((id) => !listed.has(id)).length
  return missing + void_ === 0 ? [] : [`events: ${missing} rows missing, ${void_} rows that were not reverted`]
}

let chain: AttackedChain.AttackedChain | undefined

export const scenario: Scenario = {
  name: "many reorgs",
  bound: "one state of the chain per walk, and 409 once it was reverted",
  service: async (scale) => {
    const started = await AttackedChain.start()
    chain = started
    const [from, to] = started.node.accounts as [string, string]
    for (let at = 0; at < sizes[scale].blocks; at++) {
      await started.run(Head.transfer(started.node, { from, to, valueWei: BigInt(at + 1) }))
      await started.run(Head.mine(started.node))
    }
    const attack = { id: 31_337, rpc: [started.url], pollMillis: 100, finalityBlocks: 64 }
    return {
      config: { chains: { attack }, rateLimit: { perSecond: 10_000, burst: 10_000 } },
      role: "all",
      close: started.close,
    }
  },
  run: async (attacked, scale) => {
    const { account, node, run: execute } = chain!
    const faults = makeFaults()
    const key = await attacked.key("reader")
    const url = `${attacked.url}/api/v2.2/${account}`
    await AttackedChain.indexed(attacked.url, (await execute(Head.current(node))).number, 60)
    const reorgSeries = causeReorgs(chain!, sizes[scale])
    const receiver = new Receiver(`${url}/events?chain=attack&from=0&types=wallet.transaction`, key)
    let isOver = false
    const following = (async () => {
      while (!isOver) {
        const refused = await receiver.listen(({ type }) => isOver && type === "covered")
        if (refused !== undefined) return faults.add(`events rejected: ${refused.status} ${refused.text.slice(0, 100)}`)
      }
    })()
    let whole = 0
    const walking = whileRunning(reorgSeries, async () => {
      if ((await walk(attacked, key, account, faults)) !== null) whole++
      const { status, text } = await Client.send(`${url}/balances?chain=attack`, { headers: { "x-api-key": key } })
      if (status !== 200 && status !== 409 && status !== 503) faults.add(`balances: ${status} ${text.slice(0, 100)}`)
      await Client.sleep(50)
    })
    const standby = mkdtempSync(join(tmpdir(), "daybook-standby-"))
    let copies = 0
    const copying = whileRunning(reorgSeries, async () => {
      const { code, err } = await Effect.runPromise(daybook(attacked.folder, "backup", join(standby, "copy")))
      if (code === 0) copies++
      else if (!/retry|Retry|busy|in use/.test(err)) faults.add(`backup ends with ${code}: ${err.slice(0, 200)}`)
      await Client.sleep(300)
    })
    try {
      await reorgSeries
      const walks = await walking
      await copying
      isOver = true
      const [from, to] = node.accounts as [string, string]
      await execute(Head.transfer(node, { from, to, valueWei: 7n }))
      const { hash, number } = await execute(Head.mine(node))
      const { last, reached } = await AttackedChain.indexed(attacked.url, number, 60)
      if (!reached) faults.add(`not indexed to ${number} in 60 s: ${last.state}, ${last.message}`)
      await following
      await receiver.listen(({ data, type }) => type === "covered" && "hash" in data && data.hash === hash)
      const rows = (await walk(attacked, key, account, faults)) ?? []
      for (const difference of differencesOf(receiver, rows)) faults.add(difference)
      const verified = await Effect.runPromise(daybookProcess(attacked.folder, "verify", "--against-node"))
      if (verified.code !== 0) faults.add(`verify ends with ${verified.code}: ${verified.out.slice(-300)}`)
      const copied = await Effect.runPromise(daybook(attacked.folder, "backup", join(standby, "copy")))
      if (copied.code !== 0) faults.add(`the last backup ends with ${copied.code}: ${copied.err.slice(0, 200)}`)
      const voids = receiver.events.filter(({ type }) => type === "block.voided").length
      const behaviour = `${sizes[scale].reorgs} reorgs: ${whole} of ${walks} walks complete, ${voids} blocks voided, ${copies} backups; ${verified.out.trim().split("\n").at(-1)}`
      return { behaviour, faults: faults.all() }
    } finally {
      isOver = true
      rmSync(standby, { recursive: true, force: true })
    }
  },
}
