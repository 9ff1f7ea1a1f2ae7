/** Folders of a package as a graph of imports, and the difference from an order in which each folder imports only folders before it. */
import { posix } from "node:path"
import { imports } from "./Source.ts"

/** A source of a package, with its path from the repository's root. */
export interface File {
  readonly path: string
  readonly text: string
}

/** An import of one folder by another, with the imports that cause it. */
export interface Arrow {
  readonly from: string
  readonly to: string
  /** Locations as `file:line`. */
  readonly places: ReadonlyArray<string>
}

/**
 * Folder of a source in `src`; a file directly in `src` counts as a folder of its own. Null for the barrel, for files outside of `src`,
 * and for `internal`, which belongs to the modules around it.
 */
const folderOf = (path: string): string | null => {
  const [, , src, name = ""] = path.split("/")
  return src !== "src" || name === "internal" || name === "index.ts" ? null : name.replace(/\.[^.]+$/, "")
}

/** The arrows between the folders of one package. */
export const arrows = (all: ReadonlyArray<File>): ReadonlyArray<Arrow> => {
  const importsByFolders = new Map<string, { from: string; to: string; places: Array<string> }>()
  for (const { path, text } of all) {
    const from = folderOf(path)
    if (from === null) continue
    for (const { specifier, line } of imports(path, text)) {
      const to = specifier.startsWith(".") ? folderOf(posix.join(posix.dirname(path), specifier)) : null
      if (to === null || to === from) continue
      const key = `${from} -> ${to}`
      const arrow = importsByFolders.get(key) ?? { from, to, places: [] }
      arrow.places.push(`${path}:${line}`)
      importsByFolders.set(key, arrow)
    }
  }
  return [...importsByFolders.values()]
}

const successors = (all: ReadonlyArray<Arrow>): ReadonlyMap<string, ReadonlyArray<string>> => {
  const next = new Map<string, Array<string>>()
  for (const { from, to } of all) next.set(from, [...(next.get(from) ?? []), to])
  return next
}

const reachable = (next: ReadonlyMap<string, ReadonlyArray<string>>, start: string): ReadonlySet<string> => {
  const seen = new Set<string>()
  const queue = [...(next.get(start) ?? [])]
  for (let folder = queue.pop(); folder !== undefined; folder = queue.pop()) {
    if (seen.has(folder)) continue
    seen.add(folder)
    queue.push(...(next.get(folder) ?? []))
  }
  return seen
}

/** Groups of folders with cyclic imports, each sorted. */
export const circles = (all: ReadonlyArray<Arrow>): ReadonlyArray<ReadonlyArray<string>> => {
  const next = successors(all)
  const reach = new Map([...next.keys()].map((folder) => [folder, reachable(next, folder)]))
  const groups = new Map<string, ReadonlyArray<string>>()
  for (const [folder, seen] of reach) {
    if (!seen.has(folder)) continue
    const group = [...seen].filter((other) => reach.get(other)?.has(folder) === true).toSorted()
    groups.set(group.join(), group)
  }
  return [...groups.values()]
}

/** Maximum number of folders in a cycle for which the best order is searched; each additional folder doubles the work. */
const maxFolders = 20

/** An import between folders weighs far more than the number of import statements that cause it. */
const costOf = ({ places }: Arrow): number => 1e6 + places.length

/**
 * Backward imports of one cycle in its best order: as few as possible and, among those, with as few import statements. The search adds
 * one folder at a time; its state is the set of placed folders, as bits.
 */
const backOf = (group: ReadonlyArray<string>, all: ReadonlyArray<Arrow>): ReadonlyArray<Arrow> => {
  if (group.length > maxFolders) {
    throw new Error(`Invalid folders: expected circles of ${maxFolders} at most, received ${group.join(", ")}.`)
  }
  const inside = all.filter(({ from, to }) => group.includes(from) && group.includes(to))
  const outgoing = group.map((folder) =>
    inside.filter(({ from }) => from === folder).map((arrow) => ({ bit: 1 << group.indexOf(arrow.to), arrow })),
  )
  const full = (1 << group.length) - 1
  const least = new Float64Array(full + 1).fill(Number.POSITIVE_INFINITY)
  const last = new Uint8Array(full + 1)
  least[0] = 0
  for (let placed = 0; placed < full; placed++) {
    for (const [index, arrows] of outgoing.entries()) {
      const after = placed | (1 << index)
      if (after === placed) continue
      const back = arrows.reduce((sum, { bit, arrow }) => ((after & bit) === 0 ? sum + costOf(arrow) : sum), 0)
      const cost = (least[placed] ?? 0) + back
      if (cost >= (least[after] ?? 0)) continue
      least[after] = cost
      last[after] = index
    }
  }
  const order: Array<string> = []
  for (let placed = full; placed > 0; placed &= ~(1 << (last[placed] ?? 0)))
    order.unshift(group[last[placed] ?? 0] ?? "")
  return inside.filter(({ from, to }) => order.indexOf(to) > order.indexOf(from))
}

/** Backward imports in the best order of the folders: the fewest that must be removed so that no cycle remains. */
export const arrowsBack = (all: ReadonlyArray<Arrow>): ReadonlyArray<Arrow> =>
  circles(all).flatMap((group) => backOf(group, all))
