/**
 * Preloaded into each thread of a service (`--import`): on SIGUSR2 a thread collects its garbage and appends its heap size as a line to
 * the file that `DAYBOOK_HEAPS` names.
 */
import { appendFileSync } from "node:fs"
import { getHeapStatistics } from "node:v8"
import { BroadcastChannel, isMainThread, threadId } from "node:worker_threads"

/** Memory of a thread, in bytes. */
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
