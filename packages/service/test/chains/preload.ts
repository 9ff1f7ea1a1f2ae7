/**
 * Loaded before a service in each of its threads (`--import`): at SIGUSR2, each collects its garbage, and writes the
 * remaining heap as a line of the file that `DAYBOOK_HEAPS` names.
 */
import { appendFileSync } from "node:fs"
import { getHeapStatistics } from "node:v8"
import { BroadcastChannel, isMainThread, threadId } from "node:worker_threads"

/** What a thread holds, in bytes. */
export interface Heap {
  readonly thread: number
  readonly used: number
  readonly total: number
  readonly external: number
}

const file = process.env["DAYBOOK_HEAPS"]

const report = (): void => {
  for (let times = 0; times < 3; times++) globalThis.gc?.()
  const { external_memory: external, total_heap_size: total, used_heap_size: used } = getHeapStatistics()
  const heap: Heap = { thread: threadId, used, total, external }
  if (file !== undefined) appendFileSync(file, `${JSON.stringify(heap)}\n`)
}

const channel = new BroadcastChannel("daybook-heaps")
channel.onmessage = report
channel.unref()
if (isMainThread) {
  process.on("SIGUSR2", () => {
    channel.postMessage(null)
    report()
  })
}
