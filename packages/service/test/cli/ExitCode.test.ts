import { Cause } from "effect"
import { expect, it } from "vitest"
import * as ExitCode from "../../src/cli/ExitCode.ts"
import { ProcessNotStarted } from "../../src/server/cluster/Primary.ts"

it.each([
  [5, 5],
  [0, 1],
  [null, 1],
])("ofCause: of a serving process that ended with %s before it listened is %i", (exitCode, code) => {
  const error = new ProcessNotStarted({ message: "A serving process did not start.", exitCode })

  expect(ExitCode.ofCause(Cause.fail(error))).toBe(code)
})
