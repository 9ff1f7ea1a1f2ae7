/**
 * Entry of a thread that writes the write-ahead log of one file back into it, each time it is told to. Started by `WriteAheadLog`;
 * importing it in any other thread does nothing.
 */
import { DatabaseSync } from "node:sqlite"
import { isMainThread, parentPort, workerData } from "node:worker_threads"
import { type FromThread, kind, type ThreadData, type ToThread } from "./WriteAheadLog.ts"

const isThreadData = (data: unknown): data is ThreadData =>
  typeof data === "object" && data !== null && "kind" in data && data.kind === kind

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
      // It takes what no reader needs, and leaves the rest to the next time.
      writeBack.get()
      post("written back")
    }
  })
}

if (!isMainThread && parentPort !== null && isThreadData(workerData)) start(workerData, parentPort)
