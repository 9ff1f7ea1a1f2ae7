/**
 * Measures the duration of interactions with a long history on screen. Event Timing measures each from the input to the next paint, as
 * Interaction to Next Paint does, for real key presses, clicks and wheel events.
 */
import type { CDPSession, Page } from "playwright-core"

/** Slowest of several interactions of one kind. */
export interface Interaction {
  readonly what: string
  /** Milliseconds. */
  readonly value: number
}

/** Entry of Event Timing, which the DOM types of some TypeScript versions lack. */
interface EventTiming extends PerformanceEntry {
  readonly interactionId: number
}

/** Starts to collect the durations of interactions. The browser rounds them to 8 ms and reports those of at least 16 ms. */
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

/** The longest interaction since the last call; 16 if none took that long. */
const slowest = (page: Page): Promise<number> =>
  page.evaluate(async () => {
    // Entries are reported after the next paint.
    await new Promise((resolve) => setTimeout(resolve, 500))
    const { durations } = globalThis as unknown as { readonly durations: Array<number> }
    return Math.max(16, ...durations.splice(0))
  })

/** Reads the history to its end, and returns the number of its rows. */
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
      type: "mouseWheel",
      x: 600,
      y: 500,
      deltaX: 0,
      deltaY: turn % 2 === 0 ? -2e3 : 1400,
    })
  }
  return page.evaluate(() => {
    const { frames } = globalThis as unknown as { readonly frames: { longest: number; isOn: boolean } }
    frames.isOn = false
    return frames.longest
  })
}

/** State of the measurements on one page. */
interface Measured {
  readonly page: Page
  /** Name and number of the rows. */
  readonly name: string
  readonly found: Array<Interaction>
}

/** Records the slowest interaction since the last record. */
const note = async ({ found, name, page }: Measured, what: string): Promise<void> => {
  found.push({ what: `${name}: ${what}`, value: await slowest(page) })
}

/** Opens a history and reads all of its pages. */
const open = async ({ page }: Measured, url: string, rows: number): Promise<void> => {
  await page.goto(url)
  await page.locator(".rows-body .row").first().waitFor()
  const read = await readAll(page)
  if (read < rows) throw new Error(`measure: expected ${rows} rows, received ${read}.`)
  await slowest(page)
}

const scroll = async (measured: Measured): Promise<void> => {
  const { found, name, page } = measured
  const session = await page.context().newCDPSession(page)
  found.push({ what: `${name}: scrolling by wheel, longest frame`, value: await scrolling(page, session) })
  for (const key of ["Home", "PageDown", "End", "PageUp", "Home"]) await page.keyboard.press(key)
  await note(measured, "scrolling by keyboard")
}

const type = async (measured: Measured): Promise<void> => {
  const { page } = measured
  await page.keyboard.press("/")
  await page.getByRole("searchbox").pressSequentially("savings of alice", { delay: 30 })
  await note(measured, "typing into the search")
  await page.getByRole("searchbox").fill("")
}

/** The row in the middle of the screen, and its offset on the screen. */
const middleRow = (page: Page): Promise<string> =>
  page.evaluate(() => {
    const row = document.elementFromPoint(innerWidth / 2, innerHeight / 2)?.closest<HTMLElement>(".row")
    return `${row?.dataset["key"]} at ${Math.round(row?.getBoundingClientRect().top ?? 0)}`
  })

/** Opens a row in the middle of the history, and goes back to it. */
const openRow = async (measured: Measured): Promise<void> => {
  const { found, name, page } = measured
  await page.evaluate(() => window.scrollTo(0, document.documentElement.scrollHeight / 2))
  await page.locator(".rows-body .row a[href^='/tx/']").nth(15).waitFor()
  await slowest(page)
  const before = await middleRow(page)
  await page.locator(".rows-body .row a[href^='/tx/']").nth(15).click()
  await page.getByRole("heading", { name: "Transaction", level: 1 }).waitFor()
  await note(measured, "opening a row")
  let pages = 0
  page.on("request", (request) => {
    // The page of a transaction requests pages of its block, and pages with a limit for the adjacent transactions.
    if (request.url().includes("cursor=") && !/[?&](?:from_block|limit)=/.test(request.url())) pages++
  })
  const millis = await page.evaluate(async () => {
    const start = performance.now()
    history.back()
    while (document.querySelector(".rows-body .row") === null) await new Promise(requestAnimationFrame)
    await new Promise(requestAnimationFrame)
    return performance.now() - start
  })
  found.push({ what: `${name}: going back from a row, to the rows`, value: millis })
  await slowest(page)
  const after = await middleRow(page)
  if (before !== after || pages > 0) {
    throw new Error(`measure: expected ${before} and no requests, received ${after} and ${pages} requests.`)
  }
}

/** Interactions of a user with a long list of transactions, oldest first. */
export const transactions = async (page: Page, url: string, rows: number): Promise<ReadonlyArray<Interaction>> => {
  const measured: Measured = { page, name: `${rows} transactions`, found: [] }
  await observe(page)
  page.setDefaultTimeout(600_000)
  await open(measured, url, rows)
  await scroll(measured)
  await type(measured)
  await openRow(measured)
  await page.getByLabel("Order").focus()
  await page.keyboard.press("ArrowUp")
  await page.waitForURL((shown) => !shown.searchParams.has("order"))
  await note(measured, "sorting")
  await open(measured, url, rows)
  await page.getByLabel("From (UTC)").click()
  await page.keyboard.type("01022026", { delay: 30 })
  await note(measured, "typing into the filter by day")
  return measured.found
}

/** Interactions of a user with a long list of movements, with the balance after each. */
export const movements = async (page: Page, url: string, rows: number): Promise<ReadonlyArray<Interaction>> => {
  const measured: Measured = { page, name: `${rows} movements`, found: [] }
  await open(measured, url, rows)
  await scroll(measured)
  await openRow(measured)
  await page.getByLabel("Direction").focus()
  await page.keyboard.press("ArrowDown")
  await page.waitForURL((shown) => shown.searchParams.has("direction"))
  await note(measured, "filtering by direction")
  return measured.found
}
