/**
 * CPU time of an indexer by part: `node profile.ts <file.cpuprofile> ...` prints a table for each profile, which `node --cpu-prof
 * measure.ts <subject> <url> <head>` writes, one for each thread. What no part names counts to the part that called it.
 */
import { readFileSync } from "node:fs"

interface ProfileNode {
  readonly id: number
  readonly callFrame: { readonly functionName: string; readonly url: string }
  readonly children?: ReadonlyArray<number>
}

interface Profile {
  readonly nodes: ReadonlyArray<ProfileNode>
  readonly samples: ReadonlyArray<number>
  readonly timeDeltas: ReadonlyArray<number>
}

/** Parts by the file of a function, the first that matches. */
const parts: ReadonlyArray<readonly [file: RegExp, part: string]> = [
  [/store\/sqlite\/Zstd/, "compressing"],
  [/store\/sqlite\/(Frame|Checksum|DocumentText|Documents|Facts|PreparedBlock)/, "rows of documents"],
  [/store\/sqlite\//, "SQLite"],
  [/verification\//, "verification"],
  [/(projection|decode|indexer\/BlockAssembler)/, "assembling and decoding"],
  [/node\/(TraceFilter|ShortText|ByteList|BoundedFetch|JsonShape|FrameData)/, "bounds of responses"],
  [/schema\/src\/Json/, "JSON.parse"],
  [/schema\/src\//, "validation"],
  [/(undici|transport\/src)/, "HTTP"],
  [/rpc\/src\//, "RPC client"],
  [/(node:internal\/modules|amaro)/, "loading modules"],
]

const namedPart = ({ callFrame }: ProfileNode): string | undefined => {
  if (callFrame.functionName === "(garbage collector)") return "garbage collection"
  if (callFrame.functionName === "(idle)") return "idle"
  return parts.find(([file]) => file.test(callFrame.url))?.[1]
}

/** Milliseconds by part, without the time in which nothing ran. */
const millisByPart = ({ nodes, samples, timeDeltas }: Profile): ReadonlyMap<string, number> => {
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const callers = new Map(nodes.flatMap(({ children = [], id }) => children.map((child) => [child, id] as const)))
  const known = new Map<number, string>()
  const partOf = (id: number): string => {
    const found = known.get(id) ?? namedPart(byId.get(id)!)
    const caller = callers.get(id)
    const part = found ?? (caller === undefined ? "everything else" : partOf(caller))
    known.set(id, part)
    return part
  }
  const millis = new Map<string, number>()
  for (const [at, id] of samples.entries()) {
    const part = partOf(id)
    if (part !== "idle") millis.set(part, (millis.get(part) ?? 0) + (timeDeltas[at] ?? 0) / 1000)
  }
  return millis
}

for (const file of process.argv.slice(2)) {
  const millis = millisByPart(JSON.parse(readFileSync(file, "utf8")) as Profile)
  const all = [...millis.values()].reduce((sum, one) => sum + one, 0)
  console.log(`${file}: ${all.toFixed(0)} ms\n\n| part | share |\n|---|--:|`)
  for (const [part, one] of [...millis].toSorted(([, a], [, b]) => b - a)) {
    console.log(`| ${part} | ${((one / all) * 100).toFixed(0)} % |`)
  }
  console.log("")
}
