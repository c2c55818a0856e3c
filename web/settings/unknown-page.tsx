import Compass from 'lucide-solid/icons/compass'
import { EmptyState } from '../ui/empty-state.tsx'
import { Page } from './page.tsx'

/** What stands at an address under `/settings` that leads nowhere. */
export function UnknownPage() {
  return (
    <Page title="No such page">
      <EmptyState
        icon={<Compass />}
        title="There is no such page in the settings"
        text="The address may be mistyped. All pages stand in the list of settings."
        action={<a href="/settings">Go to the settings</a>}
      />
    </Page>
  )
}
