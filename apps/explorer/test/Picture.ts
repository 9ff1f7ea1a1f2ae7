/** Screenshots for documents: small files of a whole page, including the part below the screen. */
import { writeFileSync } from "node:fs"
import type { Browser, Page } from "playwright-core"

const quality = 0.6

/** Takes screenshots as WebP. */
export interface Camera {
  readonly take: (page: Page, path: string, maxHeight: number) => Promise<void>
  readonly close: () => Promise<void>
}

/** Opens a separate page without the site's content security policy, which encodes images. */
export const open = async (browser: Browser): Promise<Camera> => {
  const context = await browser.newContext()
  const darkroom = await context.newPage()
  return {
    take: async (page, path, maxHeight) => {
      await page.evaluate(() => window.scrollTo(0, 0))
      const { height, width } = await page.evaluate(() => ({
        height: document.documentElement.scrollHeight,
        width: window.innerWidth,
      }))
      const clip = { x: 0, y: 0, width, height: Math.min(height, maxHeight) }
      const png = await page.screenshot({ fullPage: true, clip, animations: "disabled" })
      const webp = await darkroom.evaluate(
        async ([data, at]) => {
          const image = new Image()
          image.src = `data:image/png;base64,${data}`
          await image.decode()
          const canvas = document.createElement("canvas")
          Object.assign(canvas, { width: image.width, height: image.height })
          canvas.getContext("2d")?.drawImage(image, 0, 0)
          return canvas.toDataURL("image/webp", at)
        },
        [png.toString("base64"), quality] as const,
      )
      writeFileSync(path, Buffer.from(webp.slice(webp.indexOf(",") + 1), "base64"))
    },
    close: () => context.close(),
  }
}
