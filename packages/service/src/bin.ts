#!/usr/bin/env node
/** Entry point of the installed command: runs `main`, or reports that this version of Node is too old. */
import * as CompileCache from "./cli/CompileCache.ts"
import * as NodeVersion from "./cli/NodeVersion.ts"

const issue = NodeVersion.issue(process.versions.node)
if (issue === undefined) {
  CompileCache.enable()
  await import("./main.ts")
} else {
  process.stderr.write(`${issue}\n`)
  process.exitCode = 1
}
