import { PlannedChannel } from './planned-channel.tsx'

const PLAN = [
  'New mail will open a ticket with the sender as its customer; an answer to a reply stays in its ticket.',
  'Replies will leave through your own mail server, under your own address, with your signature.',
  'Mail that cannot be delivered will be shown at the reply, so that nobody waits in vain.',
]

/** E-mail: what it will do, and that it cannot be connected yet. */
export function EmailPage() {
  return (
    <PlannedChannel
      title="E-mail"
      lead="Mail to your support address will become tickets, and your replies will go out as mail."
      status="This version of Bellhop cannot be connected to a mailbox yet. Until then, your own programs can turn mail into tickets with the API."
      plan={PLAN}
    >
      <p class="muted">
        The name and the signature that customers see are set under{' '}
        <a href="/settings/organization">Organization</a>.
      </p>
    </PlannedChannel>
  )
}
