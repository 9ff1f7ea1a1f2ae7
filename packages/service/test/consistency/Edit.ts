/**
 * Edits of sources as they are loaded in a child process, with which a test removes a safeguard from the service or observes its
 * statements: `node --import Edit.load.ts`, with the edits in an environment variable.
 */
import { existsSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"

/** An edit of a source below `src`. */
export interface Edit {
  readonly file: string
  readonly from: string
  readonly to: string
}

const variable = "DAYBOOK_TEST_EDITS"
const loader = fileURLToPath(new URL("Edit.load.ts", import.meta.url))

const roots = ["../../src/", "../../../transport/src/"].map((root) => new URL(root, import.meta.url))

/** True if the source still contains the text that the edit replaces. */
export const isCurrent = ({ file, from }: Edit): boolean =>
  roots.map((root) => new URL(file, root)).some((url) => existsSync(url) && readFileSync(url, "utf8").includes(from))

/** Edits of this process. */
export const current = (): ReadonlyArray<Edit> => JSON.parse(process.env[variable] ?? "[]")

/** Arguments and environment of a Node process with further edits. */
export const processWith = (edits: ReadonlyArray<Edit>) => ({
  args: ["--import", loader],
  env: { ...process.env, [variable]: JSON.stringify([...current(), ...edits]) },
})

/** Applies edits to the source of a file; throws if the text of an edit is missing. */
export const apply = (edits: ReadonlyArray<Edit>, url: string, source: string): string => {
  let edited = source
  for (const { file, from, to } of edits) {
    if (!url.endsWith(`/src/${file}`)) continue
    if (!edited.includes(from)) throw new Error(`Text of an edit not found in ${file}: ${from}`)
    edited = edited.replaceAll(from, () => to)
  }
  return edited
}
