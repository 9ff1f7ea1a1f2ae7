/**
 * Serving, end to end over sockets, each server in a process of its own: `node page.ts [hand|backfill|relay] [--rounds 5]`.
 * `hand`: a page of 25 by the service and by node:http with node:sqlite, the same bytes. `backfill`: pages in the role `all`
 * while a chain of a thousand blocks comes in, and after it. `relay`: a call through the relay, kept by it or not, and to the node
 * directly.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { Agent } from "node:http"
import { cpus, tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { recorded } from "./indexChain.ts"
import { cells, fill, forMillis, type Load, median, once, ratio, type Shot, steady } from "./pageLoad.ts"
import { blockOf, comparing, newest, withRealNode } from "./pageRelay.ts"
import { configure, ready, service, start } from "./pageService.ts"

const words = process.argv.slice(2)
const at = words.indexOf("--rounds")
const rounds = at < 0 ? 5 : Number(words[at + 1])
const wanted = words.filter((word, index) => /^[a-z]+$/.test(word) && index !== at + 1)
const wants = (name: string) => wanted.length === 0 || wanted.includes(name)
const lanes = 16
const millis = 3000

const folder = mkdtempSync(join(tmpdir(), "daybook-pages-"))
const node = await start("indexServer.ts", [await recorded(), "0"])
const rpc = `http://127.0.0.1:${node.line.split(" ")[0]}`

const wallets = (file: string): ReadonlyArray<string> => {
  const database = new DatabaseSync(file, { readOnly: true })
  const sql = `SELECT '0x' || lower(hex(address)) AS address FROM appearance GROUP BY address HAVING count(*) > 25 LIMIT 20`
  const found = database.prepare(sql).all() as unknown as ReadonlyArray<{ readonly address: string }>
  database.close()
  return found.map(({ address }) => address)
}
const shotsAt = (origin: string, key: string, addresses: ReadonlyArray<string>): ReadonlyArray<Shot> =>
  addresses.map((address) => ({
    url: new URL(`/api/v2.2/${address}/verbose?chain=0x7a69&limit=25`, origin),
    headers: { "x-api-key": key, accept: "application/json" },
  }))

/** Waits until a request succeeds: the index exists a moment after the service listens. */
const answers = async (shot: Shot): Promise<void> => {
  const agent = new Agent({ keepAlive: true })
  const tryOnce = (): Promise<unknown> =>
    once(agent, shot).catch(() => new Promise((resolve) => setTimeout(resolve, 20)).then(tryOnce))
  await tryOnce()
  agent.destroy()
}

try {
  console.log(
    `\`node tooling/bench/page.ts${words.length === 0 ? "" : ` ${words.join(" ")}`}\` on ${cpus()[0]?.model ?? "?"} (${cpus().length} cores), Node ${process.version}, ${new Date().toISOString().slice(0, 10)}, median of ${rounds} rounds\n`,
  )
  const indexed = configure(join(folder, "indexed"), rpc)
  const file = join(folder, "indexed", "data", "chain-bench.sqlite")
  const first = await service(indexed.file, "all")
  await ready(first.origin)
  await first.stop()
  const addresses = wallets(file)

  if (wants("hand")) {
    const local = await service(indexed.file, "serve")
    const byHand = await start("pageByHand.ts", [file, indexed.key])
    try {
      const ourShots = shotsAt(local.origin, indexed.key, addresses)
      const handShots = shotsAt(`http://127.0.0.1:${byHand.line}`, indexed.key, addresses)
      const agent = new Agent({ keepAlive: true })
      for (const [index, shot] of ourShots.entries()) {
        if ((await once(agent, shot)) !== (await once(agent, handShots[index]!))) throw new Error("the bytes differ")
      }
      agent.destroy()
      const found = { local: [] as Array<Load>, hand: [] as Array<Load> }
      for (let round = 0; round <= rounds; round++) {
        const one = await fill(ourShots, lanes, forMillis(millis))
        const other = await fill(handShots, lanes, forMillis(millis))
        if (round === 0) continue
        found.local.push(one)
        found.hand.push(other)
      }
      console.log(`page of 25, ${lanes} at a time, the same bytes\n\n| | requests | p50 | p99 |\n|---|---|---|---|`)
      console.log(
        `| daybook serve | ${cells(found.local)} |\n| node:http + node:sqlite by hand | ${cells(found.hand)} |`,
      )
      console.log(
        `| ratio | ${ratio(found.local, found.hand, (load) => load.perSecond)} | ${ratio(found.local, found.hand, (load) => load.p50)} | ${ratio(found.local, found.hand, (load) => load.p99)} |\n`,
      )
    } finally {
      await local.stop()
      await byHand.stop()
    }
  }

  if (wants("relay")) {
    console.log(`a call, ${lanes} at a time\n\n| | requests | p50 | p99 | ratio |\n|---|---|---|---|---|`)
    const compare = comparing({ rounds, lanes, millis })
    await compare("a block of 20 transactions, the replayed node", rpc, indexed, blockOf(100))
    await compare("the newest block's hashes, the replayed node", rpc, indexed, newest)
    await withRealNode(join(folder, "real"), (url, real) =>
      compare("a block of 20 transactions, a real node", url, real, blockOf(10)),
    )
    console.log("")
  }

  if (wants("backfill")) {
    const found = { during: [] as Array<Load>, after: [] as Array<Load> }
    const perSecond = 200
    for (let round = 0; round < rounds; round++) {
      const configured = configure(join(folder, `backfill-${round}`), rpc)
      const all = await service(configured.file, "all")
      try {
        const shots = shotsAt(all.origin, configured.key, addresses)
        await answers(shots[0]!)
        let isReady = false
        const waiting = ready(all.origin).then(() => (isReady = true))
        found.during.push(await steady(shots, perSecond, () => isReady))
        await waiting
        found.after.push(await steady(shots, perSecond, forMillis(4000)))
      } finally {
        await all.stop()
      }
    }
    console.log(
      `pages of 25 in the role \`all\`, ${perSecond} a second whatever comes\n\n| | requests | p50 | p99 |\n|---|---|---|---|`,
    )
    console.log(
      `| while 1,000 blocks of 20 transactions are indexed (${median(found.during.map(({ count }) => count))} pages a round) | ${cells(found.during)} |\n| after it | ${cells(found.after)} |`,
    )
  }
} finally {
  await node.stop()
  rmSync(folder, { recursive: true, force: true })
}
