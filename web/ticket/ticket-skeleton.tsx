import { Skeleton } from '../ui/skeleton.tsx'

/** The shape of a ticket while it is on its way. */
export function TicketSkeleton() {
  return (
    <div class="ticket-skeleton">
      <Skeleton lines={2} label="Loading the ticket" />
      <Skeleton lines={3} />
      <Skeleton lines={4} />
    </div>
  )
}
