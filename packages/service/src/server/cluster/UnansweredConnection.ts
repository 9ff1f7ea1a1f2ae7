/**
 * Closes the connection assigned to a serving process if the process ends without having accepted it. Otherwise Node would keep it open for
 * an answer, and its client would wait.
 */
import type { ChildProcess } from "node:child_process"

/** A connection sent to a process. */
interface Connection {
  readonly close: () => void
}

const isConnection = (part: unknown): part is Connection =>
  typeof part === "object" && part !== null && "close" in part && typeof part.close === "function"

/** True for a process's answer to a connection assigned to it. A rejected connection is assigned to another process. */
const isAnswer = (message: unknown): boolean => typeof message === "object" && message !== null && "accepted" in message

/** Closes the connection that a process has not answered when it ends. Connections are assigned one at a time, each with a message. */
export const closeAtEnd = (child: Pick<ChildProcess, "on" | "send">): void => {
  const send = child.send.bind(child) as (...parts: ReadonlyArray<unknown>) => boolean
  let handed: Connection | null = null
  child.send = (...parts: ReadonlyArray<unknown>) => {
    const [, part] = parts
    if (isConnection(part)) handed = part
    return send(...parts)
  }
  child.on("internalMessage", (message: unknown) => {
    if (isAnswer(message)) handed = null
  })
  child.on("exit", () => handed?.close())
}
