import { useNavigate } from '@solidjs/router'
import Mail from 'lucide-solid/icons/mail'
import { createSignal, Show } from 'solid-js'
import { api, ask } from '../../api/api.ts'
import { errorMessage } from '../../api/api-problem.ts'
import { queries } from '../../api/queries.ts'
import { queryKeys } from '../../api/query-keys.ts'
import { useSession } from '../../api/session.ts'
import { Button } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { toast, toastError } from '../../ui/toaster.tsx'

/** An address that reaches no one (RFC 2606). */
const SAMPLE = {
  subject: 'Sample: Where is my order?',
  customer: { name: 'Sam Sample', email: 'sam@example.com' },
  message:
    'Hello,\n\nI ordered a lamp last week, and it has not arrived yet. Can you tell me where it is?\n\nThank you,\nSam',
  tags: ['sample'],
}

interface ConnectFirstProps {
  onClose: () => void
  /** The sample was opened. */
  onOpened: (ticket: { id: string }) => void
}

/** In place of the form of a new ticket, while there is no mailbox that it could be sent from. */
export function ConnectFirst(props: ConnectFirstProps) {
  const navigate = useNavigate()
  const session = useSession()
  const isAdmin = () => session().agent.role === 'admin'
  const [isOpening, setOpening] = createSignal(false)

  async function openSample(): Promise<void> {
    setOpening(true)
    try {
      const ticket = await ask(api.v1.tickets.post(SAMPLE))
      void queries.invalidateQueries({ queryKey: queryKeys.tickets })
      void queries.invalidateQueries({ queryKey: queryKeys.counts })
      toast('Sample ticket created')
      props.onOpened(ticket)
    } catch (error) {
      toastError(errorMessage(error))
    } finally {
      setOpening(false)
    }
  }

  return (
    <EmptyState
      icon={<Mail />}
      title="Connect a mailbox first"
      text={`A new ticket is an email to a customer, sent from your mailbox. ${isAdmin() ? '' : 'Ask an administrator to connect one. '}To look around, open a sample ticket: nothing is sent.`}
      action={
        <>
          <Show when={isAdmin()}>
            <Button
              look="primary"
              onClick={() => {
                props.onClose()
                navigate('/settings/email')
              }}
            >
              Connect a mailbox
            </Button>
          </Show>
          <Button isBusy={isOpening()} onClick={() => void openSample()}>
            Create a sample ticket
          </Button>
        </>
      }
    />
  )
}
