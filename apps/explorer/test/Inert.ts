/**
 * Finds text that a page rendered as anything but text: elements, scripts, links to other hosts. It also finds misleading text, with
 * characters that are invisible or change the direction of adjacent text.
 */
import type { Page } from "playwright-core"
import type * as Site from "./Site.ts"

/** Adds violations of the content security policy to the issues of a site, from the first page on. */
export const watch = async (site: Site.Site): Promise<Site.Site> => {
  await site.page.exposeFunction("reportViolation", (text: string) => void site.issues.push(`policy: ${text}`))
  await site.page.addInitScript(() => {
    const { reportViolation } = globalThis as unknown as { readonly reportViolation: (text: string) => void }
    addEventListener("securitypolicyviolation", ({ blockedURI, violatedDirective }) => {
      reportViolation(`${violatedDirective} ${blockedURI}`)
    })
  })
  return site
}

/** Runs in the page: elements, attributes and links that no page of the explorer contains. */
const readElements = (origin: string): ReadonlyArray<string> => {
  const issues: Array<string> = []
  if ("wasRun" in globalThis) issues.push("a script of a text was run")
  const foreign = "iframe, base, object, embed, main script, main style, main img, main form[action], meta[http-equiv]"
  for (const element of document.querySelectorAll(foreign)) issues.push(`element: ${element.outerHTML.slice(0, 80)}`)
  for (const link of document.querySelectorAll<HTMLAnchorElement>("a[href]")) {
    if (link.origin !== origin) issues.push(`link: ${link.href}`)
  }
  for (const element of document.querySelectorAll("main *")) {
    const handler = [...element.attributes].find(({ name }) => name.startsWith("on"))
    if (handler !== undefined) issues.push(`handler: ${handler.name}`)
  }
  return issues
}

/** Runs in the page: invisible characters, and right-to-left text that is not isolated. */
const readTexts = (): ReadonlyArray<string> => {
  const issues: Array<string> = []
  const hidden = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u
  const letters = /[\u0590-\u08ff]/
  const quote = (text: string) => JSON.stringify(text.slice(0, 60))
  /** Line breaks are visible, and isolated text in a title or an option is enclosed in isolate characters. */
  const hasHidden = (text: string) => hidden.test(text.replaceAll(/[\t\n\r\u2068\u2069]/g, ""))
  const isIsolated = (node: Node): boolean => {
    let parent = node.parentElement
    // Blocks and isolated inline elements do not change the direction of adjacent text.
    while (parent !== null && getComputedStyle(parent).display === "inline") {
      if (/isolate|plaintext/.test(getComputedStyle(parent).unicodeBidi)) return true
      parent = parent.parentElement
    }
    return parent !== null && parent.textContent === node.textContent
  }
  const texts = document.createTreeWalker(document.querySelector("#root") ?? document.body, NodeFilter.SHOW_TEXT)
  for (let node = texts.nextNode(); node !== null; node = texts.nextNode()) {
    const text = node.textContent ?? ""
    if (hasHidden(text)) issues.push(`hidden: ${quote(text)}`)
    if (letters.test(text) && !isIsolated(node) && node.parentElement?.tagName !== "OPTION") {
      issues.push(`direction: ${quote(text)}`)
    }
  }
  for (const element of document.querySelectorAll("main *")) {
    for (const { name, value } of element.attributes)
      if (hasHidden(value)) issues.push(`hidden: ${name} ${quote(value)}`)
  }
  if (hasHidden(document.title)) issues.push(`hidden: title ${quote(document.title)}`)
  return issues
}

/** Issues of the open page. */
export const issuesOf = async (page: Page, url: string): Promise<ReadonlyArray<string>> => [
  ...(await page.evaluate(readElements, url)),
  ...(await page.evaluate(readTexts)),
]
