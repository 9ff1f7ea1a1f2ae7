/** Runs the test of this folder with vitest. If it passes, prints the same as the other programs. */
import process from "node:process"
import { startVitest } from "vitest/node"

const vitest = await startVitest("test", ["testkit.test.mjs"], { watch: false, reporters: [] })
const [file] = vitest.state.getTestModules()
if (file?.state() !== "passed") throw new Error("The test did not pass.")
await vitest.close()
process.stdout.write("passed\n")
