/**
 * Full disks, on separate small file systems: the index while blocks are stored, a backup, and an export. Mounting requires root;
 * without it these attacks are reported as skipped.
 */
import { spawnSync } from "node:child_process"
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Head } from "@daybook/chain"
import * as Random from "@daybook/testkit/internal/Random"
import { Effect } from "effect"
import { daybookProcess } from "../cli/daybook.ts"
import * as AttackedChain from "./AttackedChain.ts"
import * as Client from "./Client.ts"
import type { Scenario } from "./Scenario.ts"

/** Size of the disk before and after it is enlarged, in MiB. */
const [smallMebibytes, largeMebibytes] = [8, 128]

/** A tmpfs file system. */
interface Disk {
  readonly folder: string
  readonly isMounted: boolean
  readonly enlarge: () => void
  readonly remove: () => void
}

const mountDisk = (): Disk => {
  const folder = mkdtempSync(join(tmpdir(), "daybook-disk-"))
  const mount = (option: string) => spawnSync("mount", ["-t", "tmpfs", "-o", option, "tmpfs", folder]).status === 0
  return {
    folder,
    isMounted: mount(`size=${smallMebibytes}m`),
    enlarge: () => void mount(`remount,size=${largeMebibytes}m`),
    remove: () => {
      spawnSync("umount", ["-l", folder])
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Fills the free space of a disk. */
const fill = (folder: string): void => {
  for (const bytes of [1 << 20, 1 << 12, 1]) {
    try {
      for (;;) appendFileSync(join(folder, "filler"), Buffer.alloc(bytes))
    } catch {
      continue
    }
  }
}

let disk: Disk | undefined
let chain: AttackedChain.AttackedChain | undefined

/** Mines a block with 400 kB of incompressible calldata. */
const mineLarge = async ({ call, node }: AttackedChain.AttackedChain, random: Random.Random): Promise<void> => {
  const [from, to] = node.accounts
  for (let at = 0; at < 4; at++) {
    const data = Buffer.from(Array.from({ length: 100_000 }, () => random.integer(256))).toString("hex")
    await call("eth_sendTransaction", [{ from, to, data: `0x${data}`, gas: "0x600000" }])
  }
  await call("evm_mine")
}

const isFull = ({ message }: AttackedChain.Status): boolean => /disk full|out of space|no space/i.test(message ?? "")

const index: Scenario = {
  name: "the disk of the index becomes full",
  bound: "stored pages are served; the writer retries",
  service: async () => {
    disk = mountDisk()
    chain = await AttackedChain.start({ extraArguments: ["--gas-limit", "100000000"] })
    await chain.run(Head.mine(chain.node, 3))
    return {
      config: { chains: { attack: { id: 31_337, rpc: [chain.url], pollMillis: 200 } } },
      database: `sqlite:${join(disk.folder, "data")}`,
      role: "all",
      close: async () => {
        await chain?.close()
        disk?.remove()
      },
    }
  },
  run: async (attacked, scale) => {
    if (!disk!.isMounted) return { behaviour: "skipped: file systems cannot be mounted here", faults: [] }
    const faults: Array<string> = []
    const key = await attacked.key("reader")
    const { account } = chain!
    const random = Random.make(3)
    let last = await AttackedChain.status(attacked.url)
    for (let block = 0; block < 80 && !isFull(last); block++) {
      await mineLarge(chain!, random)
      await Client.sleep(300)
      last = await AttackedChain.status(attacked.url)
    }
    if (!isFull(last)) faults.push(`no message of a full disk: ${last.state}, ${last.message}`)
    const statuses: Array<number> = []
    const until = performance.now() + (scale === "full" ? 20_000 : 2_000)
    while (performance.now() < until) {
      const { status } = await Client.page(attacked, key, account, "&limit=1")
      statuses.push(status)
      await Client.sleep(100)
    }
    if (statuses.some((status) => status !== 200)) faults.push(`pages while full: ${Client.tally(statuses)}`)
    const added = await Effect.runPromise(daybookProcess(attacked.folder, "keys", "add", "late"))
    if (added.code === 0 ? !/^\S{20,}\n$/.test(added.out) : !isFull({ ...last, message: added.err })) {
      faults.push(`keys add ends with ${added.code}: ${added.err.slice(0, 200)}`)
    }
    disk!.enlarge()
    const { number } = await chain!.run(Head.mine(chain!.node))
    const recovered = await AttackedChain.indexed(attacked.url, number, 90)
    if (!recovered.reached) faults.push(`not indexed in 90 s: ${recovered.last.state}, ${recovered.last.message}`)
    const verified = await Effect.runPromise(daybookProcess(attacked.folder, "verify", "--against-node"))
    if (verified.code !== 0) faults.push(`verify ends with ${verified.code}: ${verified.out.slice(-300)}`)
    const behaviour = `"${last.message}"; pages meanwhile ${Client.tally(statuses)}; keys add: code ${added.code}; ${verified.out.trim().split("\n").at(-1)}`
    return { behaviour, faults }
  },
}

const outputs: Scenario = {
  name: "the disk of a backup and of an export becomes full",
  bound: "exit codes and messages; earlier files stay intact",
  service: async () => {
    disk = mountDisk()
    chain = await AttackedChain.start({ extraArguments: ["--gas-limit", "100000000"] })
    const random = Random.make(4)
    for (let block = 0; block < 30; block++) await mineLarge(chain, random)
    return {
      config: { chains: { attack: { id: 31_337, rpc: [chain.url], pollMillis: 200 } } },
      role: "all",
      close: async () => {
        await chain?.close()
        disk?.remove()
      },
    }
  },
  run: async (attacked) => {
    if (!disk!.isMounted) return { behaviour: "skipped: file systems cannot be mounted here", faults: [] }
    const faults: Array<string> = []
    const { account, node, run: execute } = chain!
    const { number } = await execute(Head.current(node))
    const { last, reached } = await AttackedChain.indexed(attacked.url, number, 60)
    if (!reached) faults.push(`not indexed: ${last.state}, ${last.message}`)
    const command = async (...args: ReadonlyArray<string>) =>
      await Effect.runPromise(daybookProcess(attacked.folder, ...args))
    const isNamed = (text: string) => /disk full|no space|ENOSPC|out of space/i.test(text) && !/^\s+at /m.test(text)
    const copy = join(disk!.folder, "copy")
    const backup = await command("backup", copy)
    if (backup.code === 0 || !isNamed(backup.err))
      faults.push(`backup ends with ${backup.code}: ${backup.err.slice(0, 300)}`)
    fill(disk!.folder)
    const books = ["export", account, "--config", "daybook.json", "--chain", "attack", "--format", "csv"]
    const exported = await command(...books, "--output", join(disk!.folder, "books.csv"))
    if (exported.code === 0 || !isNamed(exported.err)) {
      faults.push(`export ends with ${exported.code}: ${exported.err.slice(0, 300)}`)
    }
    const page = await Client.page(attacked, await attacked.key("reader"), account, "&limit=1")
    if (page.status !== 200) faults.push(`a page has status ${page.status}`)
    disk!.enlarge()
    const again = await command("backup", copy)
    if (again.code !== 0) faults.push(`the next backup ends with ${again.code}: ${again.err.slice(0, 300)}`)
    const elsewhere = join(attacked.folder, "restored.json")
    const config = JSON.parse(readFileSync(join(attacked.folder, "daybook.json"), "utf8")) as object
    writeFileSync(elsewhere, JSON.stringify({ ...config, database: "sqlite:restored" }))
    const restored = await command("restore", copy, "--config", elsewhere)
    const verified = await command("verify", "--against-node", "--config", elsewhere)
    if (verified.code !== 0) {
      faults.push(
        `verify of the backup ends with ${verified.code}: ${restored.err.slice(0, 200)} ${verified.out.slice(-200)}`,
      )
    }
    return {
      behaviour: `backup: code ${backup.code}, ${backup.err.trim().split("\n").at(-1)?.slice(0, 120)}; export: code ${exported.code}, ${exported.err.trim().slice(0, 160)}; next backup: code ${again.code}, ${verified.out.trim().split("\n").at(-1)}`,
      faults,
    }
  },
}

export const scenarios: ReadonlyArray<Scenario> = [index, outputs]
