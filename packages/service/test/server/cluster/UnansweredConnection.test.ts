import type { ChildProcess } from "node:child_process"
import { EventEmitter } from "node:events"
import { describe, expect, it, vi } from "vitest"
import * as UnansweredConnection from "../../../src/server/cluster/UnansweredConnection.ts"

/** A process that receives messages, and a connection that was handed to it. */
const handed = () => {
  // Sound: nothing else of a process is used.
  const child = Object.assign(new EventEmitter(), { send: () => true }) as unknown as ChildProcess
  UnansweredConnection.closeAtEnd(child)
  const close = vi.fn<() => void>()
  child.send({ cmd: "NODE_CLUSTER", act: "newconn" }, { close } as never)
  return { child, close }
}

describe("UnansweredConnection", () => {
  it("closeAtEnd: closes a connection that the process did not accept before it ended", () => {
    const { child, close } = handed()
    child.send({ cmd: "NODE_CLUSTER", ack: 1 })
    child.emit("internalMessage", { cmd: "NODE_HANDLE_ACK" })
    expect(close).not.toHaveBeenCalled()
    child.emit("exit", 1)

    expect(close).toHaveBeenCalledOnce()
  })

  it.each([true, false])("closeAtEnd: closes no connection that the process answered with accepted: %s", (accepted) => {
    const { child, close } = handed()
    child.emit("internalMessage", { cmd: "NODE_CLUSTER", ack: 1, accepted })
    child.emit("exit", 0)

    expect(close).not.toHaveBeenCalled()
  })
})
