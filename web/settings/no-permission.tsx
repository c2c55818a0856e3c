import Lock from 'lucide-solid/icons/lock'
import { useSession } from '../api/session.ts'
import { EmptyState } from '../ui/empty-state.tsx'
import { Page } from './page.tsx'

/** What agents see where only administrators may go. */
export function NoPermission() {
  const session = useSession()
  return (
    <Page title="For administrators">
      <EmptyState
        icon={<Lock />}
        title="This page is for administrators"
        text={`You are signed in as an agent. An administrator of ${session().organization.name} can change your role.`}
        action={<a href="/settings/account">Go to your account</a>}
      />
    </Page>
  )
}
