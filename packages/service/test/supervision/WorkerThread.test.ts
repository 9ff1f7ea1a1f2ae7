import { once } from "node:events"
import { describe, expect, it } from "@effect/vitest"
import { Result } from "effect"
import * as WorkerThread from "../../src/supervision/WorkerThread.ts"

describe("WorkerThread", () => {
  it("start: fails with a typed error if Node throws", () => {
    const started = WorkerThread.start(new URL("data:text/javascript,"), { workerData: () => 1 })

    expect(Result.getFailure(started)).toMatchObject({
      value: { _tag: "ThreadNotStarted", message: "() => 1 could not be cloned." },
    })
  })

  it("describe: names the remedy if the file of a thread is missing", async () => {
    const worker = Result.getOrThrow(WorkerThread.start(new URL("file:///missing/Worker.js"), {}))
    const [cause] = (await once(worker, "error")) as [unknown]

    expect(WorkerThread.describe(cause)).toBe("Cannot find module '/missing/Worker.js'. Install @daybook/service again")
  })

  it("describe: names the remedy if the system permits no more threads", () => {
    const cause = Object.assign(new Error("EAGAIN"), { code: "ERR_WORKER_INIT_FAILED" })

    expect(WorkerThread.describe(cause)).toBe(
      "no thread can be started (EAGAIN). Allow the user or the container of the service more threads (ulimit -u, pids.max)",
    )
  })

  it("describe: returns the message of another error, and hides a value that is not an error", () => {
    expect(WorkerThread.describe(new Error("failed"))).toBe("failed")
    expect(WorkerThread.describe("failed")).toBe("unknown error")
  })
})
