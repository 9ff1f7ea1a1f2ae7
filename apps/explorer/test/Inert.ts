/** Looks for text that a page took for anything else: elements, scripts, links to other hosts, and a changed direction of text. */
import type { Page } from "playwright-core"
import type * as Site from "./Site.ts"

/** Also counts violations of the content security policy as issues of a site, from the first page on. */
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

/** What is not as it should be on the page that is open. */
export const issuesOf = (page: Page, url: string): Promise<ReadonlyArray<string>> =>
  page.evaluate((origin) => {
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
    /** Letters from right to left, and characters that change the direction of what follows. */
    const bidi = /[\u0590-\u08ff\u200e\u200f\u202a-\u202e\u2066-\u2069]/
    const texts = document.createTreeWalker(document.querySelector("#root") ?? document.body, NodeFilter.SHOW_TEXT)
    for (let node = texts.nextNode(); node !== null; node = texts.nextNode()) {
      if (!bidi.test(node.textContent ?? "")) continue
      let parent = node.parentElement
      // A block, and an inline element that is isolated, keep the direction to themselves.
      while (parent !== null && getComputedStyle(parent).display === "inline") {
        if (/isolate|plaintext/.test(getComputedStyle(parent).unicodeBidi)) break
        parent = parent.parentElement
      }
      const isInline = parent !== null && getComputedStyle(parent).display === "inline"
      const isAlone = parent !== null && parent.textContent === node.textContent
      if (!isInline && !isAlone) issues.push(`direction: ${JSON.stringify(node.textContent?.slice(0, 60))}`)
    }
    return issues
  }, url)
