/**
 * How long interactions take with a long history on screen: by Event Timing, from the input to the next paint, as Interaction to Next Paint
 * counts it, with real key presses, clicks and turns of a wheel.
 */
import type { CDPSession, Page } from "playwright-core"

/** The slowest of several interactions of a kind. */
export interface Interaction {
  readonly what: string
  /** Milliseconds. */
  readonly value: number
}

/** An entry of Event Timing, whose type the libraries do not have everywhere. */
interface EventTiming extends PerformanceEntry {
  readonly interactionId: number
}

/** Collects the durations of interactions from now on; the browser rounds them to 8 ms and reports those from 16 ms. */
const observe = async (page: Page): Promise<void> => {
  await page.addInitScript(() => {
    const durations: Array<number> = []
    Object.assign(globalThis, { durations })
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries() as unknown as ReadonlyArray<EventTiming>) {
        if (entry.interactionId > 0) durations.push(entry.duration)
      }
    }).observe({ type: "event", durationThreshold: 16 } as PerformanceObserverInit)
  })
}

/** The longest interaction since the last call; 16 where none took that long. */
const slowest = (page: Page): Promise<number> =>
  page.evaluate(async () => {
    // Entries are reported after the next paint.
    await new Promise((resolve) => setTimeout(resolve, 500))
    const { durations } = globalThis as unknown as { readonly durations: Array<number> }
    return Math.max(16, ...durations.splice(0))
  })

/** Reads the history to its end, and gives the number of its rows. */
const readAll = (page: Page): Promise<number> =>
  page.evaluate(async () => {
    while (document.querySelector(".end") === null) {
      window.scrollTo(0, document.documentElement.scrollHeight)
      await new Promise((resolve) => setTimeout(resolve, 4))
    }
    return Number(document.querySelector('[role="table"]')?.getAttribute("aria-rowcount")) - 1
  })

/** The longest time between two frames while the wheel turns. */
const scrolling = async (page: Page, session: CDPSession): Promise<number> => {
  await page.evaluate(() => {
    const state = { longest: 0, last: performance.now(), isOn: true }
    Object.assign(globalThis, { frames: state })
    const frame = (now: number) => {
      state.longest = Math.max(state.longest, now - state.last)
      state.last = now
      if (state.isOn) requestAnimationFrame(frame)
    }
    requestAnimationFrame((now) => {
      state.last = now
      requestAnimationFrame(frame)
    })
  })
  for (let turn = 0; turn < 60; turn++) {
    await session.send("Input.dispatchMouseEvent", {
      ...{ type: "mouseWheel", x: 600, y: 500, deltaX: 0 },
      deltaY: turn % 2 === 0 ? -2_000 : 1_400,
    })
  }
  return page.evaluate(() => {
    const { frames } = globalThis as unknown as { readonly frames: { longest: number; isOn: boolean } }
    frames.isOn = false
    return frames.longest
  })
}

/** Opens a history, reads all of it, and measures what a person does with it. */
export const measure = async (page: Page, url: string, rows: number): Promise<ReadonlyArray<Interaction>> => {
  await observe(page)
  page.setDefaultTimeout(600_000)
  await page.goto(url)
  await page.locator(".rows-body .row").first().waitFor()
  const read = await readAll(page)
  if (read < rows) throw new Error(`measure: expected ${rows} rows, received ${read}.`)
  const found: Array<Interaction> = []
  const note = async (what: string) => found.push({ what: `${what}, ${read} rows`, value: await slowest(page) })
  await slowest(page)

  const session = await page.context().newCDPSession(page)
  found.push({ what: `scrolling by wheel, longest frame, ${read} rows`, value: await scrolling(page, session) })
  for (const key of ["Home", "PageDown", "End", "PageUp", "Home"]) await page.keyboard.press(key)
  await note("scrolling by keyboard")
  await page.keyboard.press("/")
  await page.getByRole("searchbox").pressSequentially("savings of alice", { delay: 30 })
  await note("typing into the search")
  await page.getByRole("searchbox").fill("")
  await page.evaluate(() => window.scrollTo(0, 400))
  const link = page.locator(".rows-body .row a[href^='/tx/']").nth(20)
  await link.hover()
  await link.click()
  await page.getByRole("heading", { name: "Transaction", level: 1 }).waitFor()
  await note("opening a row")
  await page.goBack()
  await page.locator(".rows-body .row").first().waitFor()
  await readAll(page)
  await slowest(page)
  await page.getByLabel("Order").focus()
  await page.keyboard.press("ArrowUp")
  await page.waitForURL((shown) => !shown.searchParams.has("order"))
  await note("sorting")
  await page.goto(url)
  await page.locator(".rows-body .row").first().waitFor()
  await readAll(page)
  await slowest(page)
  await page.getByLabel("From (UTC)").click()
  await page.keyboard.type("01022026", { delay: 30 })
  await note("typing into the filter by day")
  return found
}
