/** What every page has around it: header with search, the page, footer. */
import { Link, Outlet } from "@tanstack/react-router"

export const Layout = () => (
  <>
    <header className="site-header">
      <Link to="/" className="brand">
        Daybook
      </Link>
    </header>
    <main id="content">
      <Outlet />
    </main>
  </>
)
