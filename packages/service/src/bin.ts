#!/usr/bin/env node
/** The installed command: says in one sentence when this Node is too old, else runs `main`, which an old one cannot even load. */
import * as NodeVersion from "./NodeVersion.ts"

const problem = NodeVersion.problem(process.versions.node)
if (problem === undefined) await import("./main.ts")
else {
  process.stderr.write(`${problem}\n`)
  process.exitCode = 1
}
