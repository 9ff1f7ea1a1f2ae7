/** Messages of invalid values have the same form as `Issue.format`, whichever package creates them. */
import { describe, expect, it } from "@effect/vitest"
import * as Issue from "@daybook/schema/Issue"
import { InvalidOption } from "@daybook/transport/ClientError"
import { Schema } from "effect"
import { BadRequest } from "../src/RestError.ts"

const Short = Schema.String.check(Schema.isPattern(/^[a-z][a-z ."0-9]{0,38}[a-z]$/), Schema.isPattern(/^(?!.* {2})/))

describe("messages", () => {
  it.prop(
    "law: an invalid option and an invalid parameter have the message of Issue.format",
    [Short, Short, Short],
    ([path, expected, received]) => {
      const issue = { path, expected, received }
      const { message } = new BadRequest({ host: "a.test", what: "parameter", issue })

      expect(new InvalidOption({ option: path, expected, received }).message).toBe(Issue.format("option", issue))
      expect(message).toBe(Issue.format("parameter", issue))
    },
  )
})
