/** Entry of the explorer: mounts the router in the page. */
import { QueryClient, QueryClientProvider } from "@tanstack/react-query"
import { RouterProvider } from "@tanstack/react-router"
import { StrictMode } from "react"
import { createRoot } from "react-dom/client"
import { makeRouter } from "./router.tsx"
import "./styles/tokens.css"
import "./styles/layout.css"
import "./styles/parts.css"
import "./styles/tables.css"

// The clients have retried what can be retried.
const queries = new QueryClient({ defaultOptions: { queries: { retry: false, refetchOnWindowFocus: false } } })
const router = makeRouter()

const root = document.getElementById("root")
if (root !== null) {
  createRoot(root).render(
    <StrictMode>
      <QueryClientProvider client={queries}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </StrictMode>,
  )
}
