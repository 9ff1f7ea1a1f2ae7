/**
 * Closes the connection that a serving process was handed when the process ends without having taken it. Node keeps that one open for an
 * answer, and its client would wait.
 */
import type { ChildProcess } from "node:child_process"

/** A connection that is sent to a process. */
interface Connection {
  readonly close: () => void
}

const isConnection = (part: unknown): part is Connection =>
  typeof part === "object" && part !== null && "close" in part && typeof part.close === "function"

/** True for the answer of a process to the connection that it was handed. One that it does not take is handed to another process. */
const isAnswer = (message: unknown): boolean => typeof message === "object" && message !== null && "accepted" in message

/** Closes what a process has not answered when it ends. Connections are handed to it one at a time, each beside a message. */
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
