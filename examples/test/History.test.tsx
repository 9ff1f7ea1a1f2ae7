// @vitest-environment jsdom
import { createRestClient } from "@daybook/rest/promise"
import { QueryClient, QueryClientProvider } from "@tanstack/react-query"
import { act } from "react"
import { createRoot } from "react-dom/client"
import { describe, expect, it, vi } from "vitest"
import { History } from "../src/History.tsx"
import { address, apiKey, baseUrl } from "./service.ts"

describe("History", () => {
  it("shows the first page, and every row of the wallet once the last page is requested", async () => {
    vi.stubGlobal("IS_REACT_ACT_ENVIRONMENT", true)
    const rest = createRestClient({ baseUrl, apiKey })
    const expected: Array<string> = []
    for await (const { hash } of rest.walletTransactionsStream({ address })) expected.push(hash)
    const container = document.createElement("main")
    const root = createRoot(container)
    act(() =>
      root.render(
        <QueryClientProvider client={new QueryClient()}>
          <History address={address} rest={rest} />
        </QueryClientProvider>,
      ),
    )
    const shown = () => [...container.querySelectorAll("li")].map((row) => row.dataset["hash"])
    const button = () => container.querySelector("button")
    await act(() => vi.waitFor(() => expect(shown()).toHaveLength(5)))
    while (!shown().includes(expected.at(-1))) {
      const before = shown().length
      await act(async () => {
        await vi.waitFor(() => expect(button()?.disabled).toBe(false))
        button()?.click()
        await vi.waitFor(() => expect(shown().length).toBeGreaterThan(before), { timeout: 5_000 })
      })
    }
    const all = shown()
    act(() => root.unmount())

    expect(expected.length).toBeGreaterThan(10)
    // Other tests may have sent transactions from the wallet in the meantime; their newer rows precede these.
    expect(all.slice(-expected.length)).toEqual(expected)
  })
})
