import { useSession } from '../session.tsx'

/** The inbox: `/inbox/:view?/:ticketId?`. */
export default function InboxPage() {
  const session = useSession()
  return (
    <main>
      <h1>{session().organization.name}</h1>
      <p>Signed in as {session().agent.name}.</p>
    </main>
  )
}
