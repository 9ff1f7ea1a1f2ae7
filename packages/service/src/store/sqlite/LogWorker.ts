/**
 * Entry of a thread that checkpoints the write-ahead log of one file on request. Started by `WriteAheadLog`; importing it in any other
 * thread does nothing.
 */
import { DatabaseSync, type StatementSync } from "node:sqlite"
import { isMainThread, parentPort, workerData } from "node:worker_threads"
import { type FromThread, kind, type LogLength, type ThreadData, type ToThread } from "./WriteAheadLog.ts"

const isThreadData = (data: unknown): data is ThreadData =>
  typeof data === "object" && data !== null && "kind" in data && data.kind === kind

/**
 * Checkpoints the log until nothing is left, so that the next write restarts it. What is written meanwhile, and what a reader needed, is
 * left to the next pass, as long as there is progress.
 */
const writeAllBack = (statement: StatementSync): void => {
  for (let before = -1; ;) {
    // Sound: these are the columns of the pragma.
    const { checkpointed, log } = statement.get() as unknown as LogLength
    if (checkpointed >= log || checkpointed === before) return
    before = checkpointed
  }
}

const start = ({ file }: ThreadData, port: NonNullable<typeof parentPort>): void => {
  const database = new DatabaseSync(file)
  database.exec("PRAGMA synchronous=NORMAL")
  const writeBack = database.prepare("PRAGMA wal_checkpoint(PASSIVE)")
  const post = (message: FromThread) => port.postMessage(message)
  port.on("message", (message: ToThread) => {
    if (message === "stop") {
      database.close()
      port.close()
    } else {
      writeAllBack(writeBack)
      post("written back")
    }
  })
}

if (!isMainThread && parentPort !== null && isThreadData(workerData)) start(workerData, parentPort)
