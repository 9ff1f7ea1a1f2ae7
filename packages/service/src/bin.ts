#!/usr/bin/env node
/** The installed command: says in one sentence when this Node is too old, else runs `main`, which an old one cannot even load. */
import * as NodeVersion from "./cli/NodeVersion.ts"

const issue = NodeVersion.issue(process.versions.node)
if (issue === undefined) await import("./main.ts")
else {
  process.stderr.write(`${issue}\n`)
  process.exitCode = 1
}
