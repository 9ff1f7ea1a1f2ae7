/** What is shown for an unknown path, and for a page that failed. */
import { Notice, Page } from "../display/Page.tsx"
import { ForeignText } from "../display/ForeignText.tsx"
import { Link } from "../navigation/Navigation.tsx"
import * as Paths from "../navigation/Paths.ts"

export const NotFound = () => (
  <Page title="Not found" heading="No such page">
    <Notice title="The explorer has no page at this address">
      <p>
        Search above, or <Link to={Paths.home}>go to the latest blocks</Link>.
      </p>
    </Notice>
  </Page>
)

export const PageError = ({ error }: { readonly error: unknown }) => (
  <div className="page">
    <Notice
      title="This page failed"
      tone="bad"
      actions={
        <button type="button" className="button" onClick={() => location.reload()}>
          Reload
        </button>
      }
    >
      <ForeignText text={error instanceof Error ? error.message : "No reason was given."} />
    </Notice>
  </div>
)
