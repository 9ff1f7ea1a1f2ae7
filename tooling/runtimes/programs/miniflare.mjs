/** Sends 30 concurrent requests to the Worker in workerd, and prints their outcomes. */
import { Miniflare, Response } from "miniflare"

const worker = new Miniflare({
  modules: true,
  scriptPath: "worker.bundle.mjs",
  host: "127.0.0.1",
  compatibilityDate: "2026-01-01",
  handleRuntimeStdio: () => {},
})
const hung = () => new Promise((resolve) => setTimeout(() => resolve(new Response("hung")), 10_000))
const texts = await Promise.all(
  Array.from({ length: 30 }, async () => {
    const response = await Promise.race([worker.dispatchFetch("http://worker.test/"), hung()])
    return (await response.text()).split("\n")[0]
  }),
)
await worker.dispose()
const different = [...new Set(texts)]
console.log(different.length === 1 ? different[0] : different.join("; "))
process.exit(0)
