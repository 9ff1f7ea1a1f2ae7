/** What is shown for an unknown path, and for a page that failed. */
import { Notice, Page } from "../display/Page.tsx"
import { ForeignText } from "../text/ForeignText.tsx"
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

/** What failed, and how to try again. */
export const Failure = ({ error }: { readonly error: unknown }) => (
  <Notice
    title="This could not be shown"
    tone="bad"
    actions={
      <button type="button" className="button" onClick={() => location.reload()}>
        Reload
      </button>
    }
  >
    <ForeignText text={error instanceof Error ? error.message : "No reason was given."} />
  </Notice>
)

export const PageError = ({ error }: { readonly error: unknown }) => (
  <Page title="This page failed" heading="This page failed">
    <Failure error={error} />
  </Page>
)
