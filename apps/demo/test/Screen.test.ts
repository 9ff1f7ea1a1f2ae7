import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import * as Screen from "../src/Screen.ts"

const record = (isTTY: boolean, env: Readonly<Record<string, string>> = {}) => {
  const written: Array<string> = []
  const screen = Screen.make({ isTTY, columns: 20, write: (text) => written.push(text) }, env)
  return { screen, text: () => written.join("") }
}

describe("Screen", () => {
  it("make: writes plain lines and no progress unless the output is a terminal", async () => {
    const { screen, text } = record(false)

    screen.progress("half")
    await Effect.runPromise(Effect.andThen(screen.title("Title"), screen.line(screen.good("fine"))))

    expect(text()).toBe("\nTitle\nfine\n")
  })

  it("progress: is cleared before the next line on a terminal", async () => {
    const { screen, text } = record(true, { NO_COLOR: "1" })

    screen.progress("half of a text longer than the screen")
    await Effect.runPromise(screen.line("done"))

    expect(text()).toBe("   half of a text l\r\u001b[2Kdone\n")
  })

  it("make: uses colour on a terminal unless NO_COLOR is set", () => {
    expect(record(true).screen.bad("no")).toBe("\u001b[31mno\u001b[39m")
    expect(record(true, { NO_COLOR: "1" }).screen.bad("no")).toBe("no")
  })
})
