import { describe, expect, it } from "@effect/vitest"
import { Unauthorized } from "../../src/ClientError.ts"
import * as CallerStack from "../../src/internal/CallerStack.ts"

const stackAt = (stack: string): unknown => {
  const error = CallerStack.attach(
    new Unauthorized({ host: "a.test", status: 401 }),
    Object.assign(new Error(), { stack }),
  )
  return (error as Error).stack
}

describe("CallerStack", () => {
  it("attach: keeps the frames of the call, also in the format of browsers other than Chrome", () => {
    const message = "Unauthorized: API key rejected: a.test. Check the key and its permissions."
    const frames = "callOfProgram@https://b.test/app.js:1:2\n@https://b.test/app.js:3:4"

    expect(stackAt("Error\n    at callOfProgram (app.js:1:2)\n    at app.js:3:4")).toBe(
      `${message}\n    at callOfProgram (app.js:1:2)\n    at app.js:3:4`,
    )
    expect(stackAt(frames)).toBe(`${message}\n${frames}`)
    expect([stackAt("Error"), stackAt("")]).toEqual([message, message])
  })
})
