/**
 * Builds the API reference of the published packages as a static site with search: `pnpm reference [FOLDER]`, `dist/reference` by default.
 * Fails on a broken link in a comment or on the site, and on an exported value without an example.
 */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join, relative, resolve, sep } from "node:path"
import * as PeerInstall from "../bench/PeerInstall.ts"
import { manifest, published, root } from "../check/Workspace.ts"

PeerInstall.install(import.meta.dirname)
const { Application, LogLevel } = await import("typedoc")

const target = resolve(process.argv[2] ?? join(root, "dist/reference"))
const work = mkdtempSync(join(tmpdir(), "daybook-reference-"))
const tsconfig = join(import.meta.dirname, "tsconfig.json")
const failed: Array<string> = []

/** Modules of a package that a program may import. */
const modulesOf = (folder: string): ReadonlyArray<string> =>
  Object.values(manifest(folder).exports ?? {}).flatMap((file) =>
    typeof file === "string" && file.endsWith(".ts") && !file.includes("*") ? [join(folder, file)] : [],
  )

/** A copy of a README for the site. The site has copies of the linked files, but neither their anchors nor folders. */
const readmeOf = (folder: string, name: string): string => {
  const text = readFileSync(join(folder, "README.md"), "utf8").replaceAll(
    /\[([^\]]+)\]\(([^)#:]+)(?:#[^)]*)?\)/g,
    (link, label: string, path: string) => {
      const file = resolve(folder, path)
      if (!existsSync(file)) return link
      return statSync(file).isDirectory() ? label : `[${label}](${relative(work, file)})`
    },
  )
  const copy = join(work, `${name}.md`)
  writeFileSync(copy, text)
  return copy
}

const convert = async (name: string): Promise<string> => {
  const folder = join(root, "packages", name)
  const app = await Application.bootstrap({
    name: manifest(folder).name,
    entryPoints: [...modulesOf(folder)],
    tsconfig,
    basePath: join(folder, "src"),
    readme: readmeOf(folder, name),
    excludeExternals: true,
    excludeInternal: true,
    excludePrivate: true,
    skipErrorChecking: true,
    disableSources: true,
    // Types of other packages and of internal modules are named but have no page.
    validation: {
      notExported: false,
      invalidLink: true,
      invalidPath: true,
      rewrittenLink: false,
      notDocumented: false,
    },
    logLevel: LogLevel.Warn,
    blockTags: ["@param", "@returns", "@throws", "@example", "@see", "@since", "@deprecated", "@module"],
  })
  const project = await app.convert()
  if (project === undefined) throw new Error(`TypeDoc generated nothing for ${name}.`)
  app.validate(project)
  const file = join(work, `${name}.json`)
  await app.generateJson(project, file)
  if (app.logger.hasErrors()) failed.push(`${name}: see above`)
  return file
}

const merge = async (files: ReadonlyArray<string>): Promise<void> => {
  const app = await Application.bootstrap({
    name: "Daybook",
    entryPointStrategy: "merge",
    entryPoints: [...files],
    readme: readmeOf(root, "index"),
    includeHierarchySummary: false,
    out: target,
    searchInComments: true,
    hideGenerator: true,
    githubPages: false,
    logLevel: LogLevel.Warn,
  })
  const project = await app.convert()
  if (project === undefined) throw new Error("TypeDoc merged nothing.")
  await app.generateOutputs(project)
}

const pagesUnder = (folder: string): ReadonlyArray<string> =>
  readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) return pagesUnder(path)
    return path.endsWith(".html") ? [path] : []
  })

/** Links and images of a page that the site does not contain, and links to anchors that do not exist. */
const brokenOf = (page: string, namesOf: (file: string) => ReadonlySet<string>): ReadonlyArray<string> => {
  const links = [...readFileSync(page, "utf8").matchAll(/\s(?:href|src)="([^"]*)"/g)].map(([, link = ""]) => link)
  return links.flatMap((link) => {
    if (/^(?:https?:|mailto:|data:)/.test(link)) return []
    const [path = "", name = ""] = link.replaceAll("&amp;", "&").split("#")
    const file = path === "" ? page : resolve(dirname(page), decodeURIComponent(path))
    const isInside = !path.startsWith("/") && file.startsWith(target + sep)
    if (!isInside || !existsSync(file) || statSync(file).isDirectory())
      return [`${page.slice(target.length + 1)}: ${link}`]
    const isNamed = name === "" || !file.endsWith(".html") || namesOf(file).has(decodeURIComponent(name))
    return isNamed ? [] : [`${page.slice(target.length + 1)}: ${link}`]
  })
}

const checkLinks = (): number => {
  const known = new Map<string, ReadonlySet<string>>()
  const namesOf = (file: string): ReadonlySet<string> => {
    const found =
      known.get(file) ?? new Set([...readFileSync(file, "utf8").matchAll(/\sid="([^"]*)"/g)].map(([, id = ""]) => id))
    known.set(file, found)
    return found
  }
  const pages = pagesUnder(target)
  for (const page of pages) failed.push(...brokenOf(page, namesOf))
  return pages.length
}

try {
  rmSync(target, { recursive: true, force: true })
  const files: Array<string> = []
  for (const name of published) files.push(await convert(name))
  await merge(files)
  const pages = checkLinks()
  for (const issue of failed.slice(0, 40)) console.error(issue)
  console.log(`reference: ${pages} pages, ${failed.length} issues`)
  process.exitCode = failed.length === 0 ? 0 : 1
} finally {
  rmSync(work, { recursive: true, force: true })
}
