import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import * as StandardError from "../../src/cli/StandardError.ts"

const refused = (code: string) => Object.assign(new Error(code), { code })

/** A pipe that accepts some bytes until it is read. */
const pipeOf = (capacity: number) => {
  let held = ""
  let failure: Error | undefined
  return {
    writeSome: (bytes: Uint8Array) => {
      if (failure !== undefined) throw failure
      const taken = Math.min(bytes.length, capacity - held.length)
      if (taken === 0) throw refused("EAGAIN")
      held += Buffer.from(bytes.subarray(0, taken)).toString()
      return taken
    },
    read: () => {
      const text = held
      held = ""
      return text
    },
    fail: (error: Error | undefined) => void (failure = error),
  }
}

const longLine = "x".repeat(1024 * 1024)

describe("StandardError", () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  it("write: finishes a partly written line before it starts the next one", () => {
    const pipe = pipeOf(6)
    const lines = StandardError.make(pipe.writeSome)
    lines.write("first line")
    lines.write("next")
    const read = [pipe.read()]
    vi.advanceTimersByTime(100)
    read.push(pipe.read())
    vi.advanceTimersByTime(100)

    expect([...read, pipe.read()]).toEqual(["first ", "line\nn", "ext\n"])
  })

  it("write: drops and counts the lines beyond one mebibyte that no reader consumes", () => {
    const pipe = pipeOf(1)
    const lines = StandardError.make(pipe.writeSome)
    for (const line of [longLine, "left", "out"]) lines.write(line)
    const whileFull = lines.takeLeftOut()
    pipe.read()
    vi.advanceTimersByTime(100)

    expect([whileFull, lines.takeLeftOut(), lines.takeLeftOut()]).toEqual([0, 2, 0])
  })

  it("write: buffers lines while the disk is full, and writes them once there is space", () => {
    const pipe = pipeOf(100)
    const lines = StandardError.make(pipe.writeSome)
    pipe.fail(refused("ENOSPC"))
    lines.write("a line")
    pipe.fail(undefined)
    vi.advanceTimersByTime(100)

    expect(pipe.read()).toBe("a line\n")
  })

  it("end: flushes buffered lines, and does not wait for a reader that has left", () => {
    const pipe = pipeOf(4)
    const lines = StandardError.make(pipe.writeSome)
    lines.write("a line")
    const before = pipe.read()
    lines.end()
    pipe.fail(refused("EPIPE"))
    lines.write("another one")
    lines.end()

    expect([before, pipe.read()]).toEqual(["a li", "ne\n"])
  })
})
