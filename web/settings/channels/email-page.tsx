import { Page, Section } from '../page.tsx'
import { NotConnected } from './channel-status.tsx'

/** E-mail: what it will do, and that it cannot be connected yet. */
export function EmailPage() {
  return (
    <Page
      title="E-mail"
      lead="Mail to your support address will become tickets, and your replies will go out as mail."
    >
      <NotConnected>
        This version of Bellhop cannot be connected to a mailbox yet. Until then, your own programs can turn
        mail into tickets with the API.
      </NotConnected>
      <Section title="How it will work">
        <ul class="bullets">
          <li>
            New mail will open a ticket with the sender as its customer; an answer to a reply stays in its
            ticket.
          </li>
          <li>
            Replies will leave through your own mail server, under your own address, with your signature.
          </li>
          <li>Mail that cannot be delivered will be shown at the reply, so that nobody waits in vain.</li>
        </ul>
      </Section>
      <p class="muted">
        The name and the signature that customers see are set under{' '}
        <a href="/settings/organization">Organization</a>.
      </p>
    </Page>
  )
}
