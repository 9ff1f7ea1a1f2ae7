/** The indexing process under kills: started again after each one, until every block is in the present layout. */
import type { ChildProcess } from "node:child_process"
import { once } from "node:events"
import { setTimeout as sleep } from "node:timers/promises"
import * as ProcessUse from "../ProcessUse.ts"
import * as ServiceProcess from "../serving/ServiceProcess.ts"
import * as Progress from "./Progress.ts"

/** What is run, and how it is disturbed. */
export interface Options {
  readonly configuration: ServiceProcess.Configuration
  readonly file: string
  readonly kills: number
  /** The mean time between the first step of a process and its kill. */
  readonly killMillis: number
  /** Numbers from 0 to 1. */
  readonly random: () => number
  /** Called while no process indexes. */
  readonly onKill: (kill: number) => Promise<void>
}

/** What the processes did. */
export interface Rewritten {
  /** Kills before the last block was rewritten. */
  readonly kills: number
  /** Time from the start of the first process until the file had the present schema. */
  readonly schemaMillis: number
  readonly millis: number
  /** Time in which processes rewrote blocks: without starts and waiting for leases. */
  readonly activeMillis: number
  /** CPU time of all processes. */
  readonly cpuSeconds: number
  /** Bytes that all processes have written to disks. */
  readonly writtenBytes: number
  /** Blocks above those of the older store. */
  readonly blocksAdded: number
}

const pollMillis = 20
/** Each kill of so many is at a random instant after the start, whatever the process does then. */
const killsPerEarly = 5
const earlyMillis = 4000

const hasEnded = (child: ChildProcess) => child.exitCode !== null || child.signalCode !== null

/** Waits until a condition holds for the file or the process ends; the time since the call. */
const until = async (child: ChildProcess, file: string, holds: (progress: Progress.Progress) => boolean) => {
  const startedAt = performance.now()
  while (!holds(Progress.read(file))) {
    if (hasEnded(child)) throw new Error("The indexing process ended by itself.")
    await sleep(pollMillis)
  }
  return performance.now() - startedAt
}

const kill = async (child: ChildProcess): Promise<void> => {
  const ended = once(child, "exit")
  child.kill("SIGKILL")
  await ended
}

/** Rewrites every block; resolves with the running process, which has rewritten the last one. */
export const run = async (
  { configuration, file, kills, killMillis, onKill, random }: Options,
  onSchema: () => Promise<void>,
): Promise<Rewritten & { readonly child: ChildProcess }> => {
  const { head: headBefore, schema: schemaBefore } = Progress.read(file)
  const startedAt = performance.now()
  let schemaMillis: number | undefined
  let activeMillis = 0
  let cpuSeconds = 0
  let writtenBytes = 0
  const addUse = ({ pid = 0 }: ChildProcess) => {
    cpuSeconds += (ProcessUse.cpuMicros(pid) ?? 0) / 1e6
    writtenBytes += ProcessUse.writtenBytes(pid) ?? 0
  }
  const finish = (killed: number, child: ChildProcess) => ({
    child,
    kills: killed,
    schemaMillis: schemaMillis ?? 0,
    millis: performance.now() - startedAt,
    activeMillis,
    cpuSeconds,
    writtenBytes,
    blocksAdded: Progress.read(file).head - headBefore,
  })
  for (let killed = 0; ; killed++) {
    const child = ServiceProcess.startIndexer(configuration)
    if (schemaMillis === undefined) {
      await until(child, file, ({ schema }) => schema > schemaBefore)
      schemaMillis = performance.now() - startedAt
      await onSchema()
    }
    const isEarly = killed < kills && killed % killsPerEarly === 0
    if (isEarly) await sleep(random() * earlyMillis)
    else {
      const { layoutFrom } = Progress.read(file)
      await until(child, file, (progress) => layoutFrom === null || progress.layoutFrom !== layoutFrom)
      const limit = killed < kills ? random() * 2 * killMillis : Infinity
      const deadline = performance.now() + limit
      activeMillis += await until(child, file, ({ isDone }) => isDone || performance.now() > deadline)
    }
    addUse(child)
    if (Progress.read(file).isDone) return finish(killed, child)
    await kill(child)
    await onKill(killed + 1)
  }
}
