/**
 * Type-checks and runs the examples of documents and docstrings.
 *
 * In Markdown, a block runs if it starts with "```ts run" or "```sh run needs-service"; in a docstring, every "```ts" block does. A
 * shell command must succeed and print the output that the following comment states. A block that is also marked `needs-service` runs if
 * DAYBOOK_BASE_URL, DAYBOOK_RPC_URL, DAYBOOK_API_KEY and DAYBOOK_ADDRESS are set; otherwise it is only type-checked. Arguments select
 * documents by a part of their path.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { availableParallelism } from "node:os"
import { basename, join } from "node:path"
import * as ShellExample from "./ShellExample.ts"
import * as Source from "./Source.ts"
import { files, published, report, root, run } from "./Workspace.ts"

interface Block extends Source.Example {
  readonly document: string
  /** The package from which the example imports: its own, that of the programs for guides, or the demo, which depends on all others. */
  readonly home: string
}

const text = (file: string): string => readFileSync(join(root, file), "utf8")

const documents = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "llms.txt"]
  .filter((file) => readdirSync(root).includes(file))
  .concat(
    ["docs", "packages", "apps"].flatMap((folder) =>
      files(join(root, folder), ".md").map((file) => `${folder}/${file}`),
    ),
  )

const homeOf = (document: string): string =>
  /^packages\/[^/]+/.exec(document)?.[0] ?? (/^docs\/(?:guides\/|books)/.test(document) ? "examples" : "apps/demo")

const inMarkdown: ReadonlyArray<Block> = documents.flatMap((document) =>
  Source.markdownExamples(text(document))
    .filter((example) => example.words.includes("run"))
    .map((example) => ({ ...example, document, home: homeOf(document) })),
)

const inSources: ReadonlyArray<Block> = published.flatMap((name) => {
  const home = `packages/${name}`
  return files(join(root, home, "src"), ".ts").flatMap((file) => {
    const document = `${home}/src/${file}`
    return Source.docExamples(document, text(document)).map((example) => ({ ...example, document, home }))
  })
})

const wanted = process.argv.slice(2)
const isWanted = ({ document }: Pick<Block, "document">): boolean =>
  wanted.length === 0 || wanted.some((file) => document.includes(file))
const blocks = [...inMarkdown, ...inSources].filter(isWanted)

/** Shell examples that need a service; the others are tested elsewhere. */
const shellBlocks = documents
  .flatMap((document) => Source.markdownExamples(text(document), "sh").map((example) => ({ ...example, document })))
  .filter((block) => isWanted(block) && ["run", "needs-service"].every((word) => block.words.includes(word)))

const serviceVariables = ["DAYBOOK_BASE_URL", "DAYBOOK_RPC_URL", "DAYBOOK_API_KEY", "DAYBOOK_ADDRESS"]
const service = serviceVariables.every((name) => process.env[name] !== undefined)

const nameOf = (block: Block): string =>
  `${block.document.replace(/\.(?:md|ts)$/, "").replaceAll(/[^A-Za-z0-9]+/g, "_")}_${block.line}.ts`

/** Maps positions in the extracted file to positions in the document. */
const inDocument = (block: Block, output: string): string =>
  output
    .replaceAll(
      new RegExp(`\\S*${nameOf(block)}[(:](\\d+)[,:](\\d+)\\)?`, "g"),
      (_, line: string, column: string) => `${block.document}:${Number(line) + block.line - 1}:${column}`,
    )
    .trim()

const program = join(root, ".examples")

const config = (homes: ReadonlyArray<string>) => ({
  extends: join(root, "tsconfig.base.json"),
  compilerOptions: { noEmit: true, noUnusedLocals: false, noUnusedParameters: false },
  include: homes.map((home) => `../${home}/.examples/*.ts`),
})

/** Type errors of all blocks, which are one program: the packages that several of them import are checked once. */
const typeProblems = async (homes: ReadonlyArray<string>): Promise<ReadonlyArray<string>> => {
  mkdirSync(program, { recursive: true })
  writeFileSync(join(program, "tsconfig.json"), JSON.stringify(config(homes)))
  const { code, output } = await run("tsc", ["-p", program, "--pretty", "false", "--checkers", "1"])
  return code === 0 ? [] : [blocks.reduce((so, block) => inDocument(block, so), output)]
}

/** Imports its arguments in sequence, and names those that fail. */
const runner = `
for (const file of process.argv.slice(2)) {
  try {
    await import(file)
  } catch (error) {
    console.error(file, error)
    process.exitCode = 1
  }
}
`

/** Blocks of one package that run in the same process. */
type Group = readonly [Block, ...Array<Block>]

const runProblems = async (group: Group): Promise<ReadonlyArray<string>> => {
  const [{ document, home, line }] = group
  const folder = join(root, home, ".examples")
  const files = group.map((block) => join(folder, nameOf(block)))
  const args = [join(folder, "run.mjs"), ...files]
  const { code, output } = await run("node", args, { cwd: join(root, home), timeoutMillis: 60_000 })
  const text = group.reduce((so, block) => inDocument(block, so), output)
  return code === 0 ? [] : [`${document}:${line}${group.length > 1 ? " and others" : ""} exit ${code}\n${text}`]
}

const shellProblems = async ({
  code,
  document,
  line,
}: (typeof shellBlocks)[number]): Promise<ReadonlyArray<string>> => {
  const commands = ShellExample.commandsOf(code)
  const { output, standardOutput } = await run("bash", ["-c", ShellExample.scriptOf(commands)], {
    timeoutMillis: 120_000,
  })
  const issues = ShellExample.issuesOf(commands, standardOutput)
  return issues.length === 0 ? [] : [`${document}:${line} ${issues.join("\n")}\n${output.slice(-500)}`]
}

/** An example of a document runs in its own process; those of the docstrings of a package share one. */
const groupsOf = (all: ReadonlyArray<Block>): Array<Group> => {
  const groups = new Map<string, [Block, ...Array<Block>]>()
  for (const block of all) {
    const key = block.document.endsWith(".md") ? `${block.document}:${block.line}` : block.home
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [block])
    else group.push(block)
  }
  return [...groups.values()]
}

const homes = [...new Set(blocks.map((block) => block.home))]
const issues: Array<string> = []
try {
  for (const home of homes) {
    const folder = join(root, home, ".examples")
    rmSync(folder, { recursive: true, force: true })
    mkdirSync(folder)
    writeFileSync(join(folder, "run.mjs"), runner)
    // The same number of lines as the block, and a module even when it imports nothing.
    for (const block of blocks.filter((one) => one.home === home)) {
      writeFileSync(join(folder, nameOf(block)), `${block.code}export {}\n`)
    }
  }
  issues.push(...(await typeProblems(homes)))
  const queue = groupsOf(blocks.filter((block) => service || !block.words.includes("needs-service")))
  const worker = async (): Promise<void> => {
    for (let group = queue.shift(); group !== undefined; group = queue.shift())
      issues.push(...(await runProblems(group)))
  }
  await Promise.all(Array.from({ length: availableParallelism() }, worker))
  if (service) for (const block of shellBlocks) issues.push(...(await shellProblems(block)))
} finally {
  for (const home of [".", ...homes]) rmSync(join(root, home, ".examples"), { recursive: true, force: true })
}

const all = [...blocks, ...shellBlocks]
const waiting = service ? 0 : all.filter((block) => block.words.includes("needs-service")).length
if (waiting > 0)
  console.log(`examples: ${waiting} need a service and were not run. Set ${serviceVariables.join(", ")}.`)
const count = new Set(all.map((block) => basename(block.document))).size
report("examples", issues, `${all.length - waiting} of ${all.length} examples of ${count} files ran`)
