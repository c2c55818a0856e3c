import { PlannedChannel } from './planned-channel.tsx'

const PLAN = [
  'New email opens a ticket, with the sender as its customer. Replies stay in the same ticket.',
  'Replies go out through your own mail server, from your own address, with your signature.',
  'Bounces are shown on the reply.',
]

/** The email channel, which is not available yet. */
export function EmailPage() {
  return (
    <PlannedChannel
      title="Email"
      lead="Turn email to your support address into tickets, and reply by email."
      status="Email isn't available yet. For now, create tickets through the API."
      plan={PLAN}
    >
      <p class="muted">
        Set the name and signature that customers see under <a href="/settings/organization">Organization</a>.
      </p>
    </PlannedChannel>
  )
}
