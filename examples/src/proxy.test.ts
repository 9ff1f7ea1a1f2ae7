/** Tests the proxy behind a real nginx that caches the pages of a fake service. */
import { spawn } from "node:child_process"
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir, userInfo } from "node:os"
import { join } from "node:path"
import { createRestClient } from "@daybook/rest/promise"
import { FakeService } from "@daybook/testkit"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { proxy } from "./proxy.ts"

const nginx = "/usr/sbin/nginx"
const fake = FakeService.make({ seed: 7, emptyWallets: [] })
const answer = proxy(createRestClient(fake.rest))
const folder = mkdtempSync(join(tmpdir(), "daybook-nginx-"))

const listen = (server: Server): Promise<number> =>
  new Promise((resolve) =>
    // Sound: a listening server of TCP has an address.
    server.listen(0, "127.0.0.1", () => resolve((server.address() as AddressInfo).port)),
  )

const program = createServer((request, response) => {
  const headers = new Headers(request.headers as Record<string, string>)
  void answer(new Request(`http://proxy.test${request.url}`, { headers })).then(async (reply) => {
    response.writeHead(reply.status, Object.fromEntries(reply.headers))
    response.end(Buffer.from(await reply.arrayBuffer()))
  })
})

/** A port on which nothing listens. */
const freePort = async (): Promise<number> => {
  const server = createServer()
  const port = await listen(server)
  await new Promise((resolve) => server.close(resolve))
  return port
}

describe.skipIf(!existsSync(nginx))("proxy behind nginx", () => {
  let url = ""
  let child: ReturnType<typeof spawn>

  beforeAll(async () => {
    const [upstream, port] = [await listen(program), await freePort()]
    const text = readFileSync(join(import.meta.dirname, "../../deploy/nginx.conf"), "utf8")
    const own = text
      .replace("127.0.0.1:8788", `127.0.0.1:${upstream}`)
      .replace("127.0.0.1:8080", `127.0.0.1:${port}`)
      .replace("worker_processes auto;", `worker_processes 1;\ndaemon off;\nuser ${userInfo().username};`)
      .replace("access_log off;", "access_log off;\n  client_body_temp_path body;\n  proxy_temp_path proxy;")
    writeFileSync(join(folder, "nginx.conf"), own)
    mkdirSync(join(folder, "logs"))
    child = spawn(nginx, ["-p", folder, "-c", "nginx.conf", "-e", "error.log"], { stdio: "ignore" })
    url = `http://127.0.0.1:${port}/${fake.wallet}`
  })

  afterAll(async () => {
    child.kill("SIGQUIT")
    await new Promise((resolve) => child.on("close", resolve))
    program.closeAllConnections()
    program.close()
    rmSync(folder, { recursive: true, force: true })
  })

  /** Waits until nginx is listening. */
  const isUp = () =>
    expect
      .poll(
        () =>
          fetch(url).then(
            ({ status }) => status,
            () => 0,
          ),
        { timeout: 20_000 },
      )
      .toBe(200)

  const get = async (tag?: string) => {
    const response = await fetch(url, tag === undefined ? {} : { headers: { "if-none-match": tag } })
    return {
      status: response.status,
      cache: response.headers.get("x-cache"),
      tag: response.headers.get("etag"),
      text: await response.text(),
    }
  }

  it("caches a page while permitted, then revalidates it by its tag, and sends the next one after a new block", async () => {
    await isUp()
    const first = await get()
    const statuses = new Set<string | null>()
    await expect
      .poll(
        async () => {
          const { cache, text } = await get()
          expect(text).toBe(first.text)
          statuses.add(cache)
          return statuses.has("HIT") && statuses.has("REVALIDATED")
        },
        { timeout: 20_000 },
      )
      .toBe(true)
    const asked = fake.received.filter(({ headers }) => headers["if-none-match"] === first.tag)
    const had = await get(first.tag ?? "")
    fake.mine(20)
    await expect.poll(async () => (await get()).tag !== first.tag, { timeout: 20_000 }).toBe(true)
    const next = await get(first.tag ?? "")

    expect(asked.length).toBeGreaterThan(0)
    expect([had.status, had.text]).toEqual([304, ""])
    expect(next.status).toBe(200)
    expect(JSON.parse(next.text).result[0].hash).not.toBe(JSON.parse(first.text).result[0].hash)
    expect(fake.received.every(({ headers }) => headers["x-api-key"] === "test-key")).toBe(true)
  })

  it("does not cache an error response", async () => {
    await isUp()
    const wrong = url.replace(fake.wallet, "0x12")
    const [one, other] = [await fetch(wrong), await fetch(wrong)]

    expect([one.status, other.status, other.headers.get("x-cache")]).toEqual([400, 400, "MISS"])
  })
})
