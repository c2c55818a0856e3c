import { createMemo, For, Show } from 'solid-js'
import {
  type Bell,
  changeBell,
  changeOwnNotifications,
  type OwnNotifications,
} from '../../api/own-notifications.ts'
import { SavedSwitch, useSaved } from '../../forms/action.tsx'
import { toast, toastError } from '../../ui/toaster.tsx'
import { Section } from '../page.tsx'
import './notifications-page.css'

type Reason = keyof OwnNotifications['ways']

/** In the order of the page. */
const REASONS: Record<Reason, string> = {
  mentioned: 'I’m mentioned',
  assigned: 'A ticket is assigned to me',
  customer_wrote: 'A customer writes on one of my tickets',
  followed: 'A customer writes, or a colleague adds a note, on a ticket I follow',
  unassigned: 'A new ticket is unassigned',
  snooze_ended: 'My snooze ended',
  failed: 'My reply failed, bounced or is held',
}
const ORDER = Object.keys(REASONS) as Reason[]

/** A table of checkboxes: what the agent is notified of, and how. */
export function NotificationReasons(props: { own: OwnNotifications }) {
  const hasNoMail = () => props.own.mailbox === null
  // A bell that is turned off stays on the page, so that it can be turned on again there.
  const bells = createMemo<string[]>(
    (before) => [...new Set([...before, ...props.own.bells.map(({ viewId }) => viewId)])],
    [],
  )
  return (
    <Section title="Notify me when">
      <div class="panel notifications-page-table">
        <table>
          <thead>
            <tr>
              <th scope="col">
                <span class="unseen">Reason</span>
              </th>
              <th scope="col">Push</th>
              <th scope="col" class={hasNoMail() ? 'muted' : ''}>
                Email
              </th>
              <th scope="col">Sound</th>
            </tr>
          </thead>
          <tbody>
            <For each={ORDER}>
              {(reason) => {
                const ways = () => props.own.ways[reason]
                const set = (way: object) => changeOwnNotifications({ ways: { [reason]: way } })
                return (
                  <tr>
                    <th scope="row">{REASONS[reason]}</th>
                    <td>
                      <Box
                        label={`Push: ${REASONS[reason]}`}
                        isChecked={ways().push}
                        save={(push) => set({ push })}
                      />
                    </td>
                    <td>
                      <Box
                        label={`Email: ${REASONS[reason]}`}
                        isChecked={ways().email}
                        isDisabled={hasNoMail()}
                        save={(email) => set({ email })}
                      />
                    </td>
                    <td>
                      <Box
                        label={`Sound: ${REASONS[reason]}${reason === 'unassigned' ? ' (chats)' : ''}`}
                        isChecked={ways().sound !== false}
                        save={(isOn) => set({ sound: isOn && reason === 'unassigned' ? 'chats' : isOn })}
                      />
                      <Show when={reason === 'unassigned'}>
                        <span class="notifications-page-chats muted">chats</span>
                      </Show>
                    </td>
                  </tr>
                )
              }}
            </For>
            <For each={bells()}>
              {(viewId) => <BellRow own={props.own} viewId={viewId} hasNoMail={hasNoMail()} />}
            </For>
          </tbody>
        </table>
      </div>
      <p class="muted">To be notified of what is new in a saved view, open its menu in the inbox.</p>
      <Show when={hasNoMail()}>
        <p class="muted">
          Emails need a mailbox, and none is connected. An administrator can connect one under Settings →
          Email.
        </p>
      </Show>
      <SavedSwitch
        label="Show message text"
        hint="Otherwise, notifications show only who wrote and what happened."
        isChecked={props.own.showsText}
        save={(showsText) => changeOwnNotifications({ showsText })}
      />
    </Section>
  )
}

/** What the agent is notified of by the bell of a saved view. It makes no sound. */
function BellRow(props: { own: OwnNotifications; viewId: string; hasNoMail: boolean }) {
  const found = () => props.own.bells.find(({ viewId }) => viewId === props.viewId)
  const name = createMemo<string>((before) => found()?.name ?? before, '')
  const bell = (): Bell => found() ?? { push: false, email: false }
  const reason = () => `A ticket is new in “${name()}”`
  return (
    <tr>
      <th scope="row">{reason()}</th>
      <td>
        <Box
          label={`Push: ${reason()}`}
          isChecked={bell().push}
          save={(push) => changeBell(props.viewId, { push })}
        />
      </td>
      <td>
        <Box
          label={`Email: ${reason()}`}
          isChecked={bell().email}
          isDisabled={props.hasNoMail}
          save={(email) => changeBell(props.viewId, { email })}
        />
      </td>
      <td />
    </tr>
  )
}

interface BoxProps {
  label: string
  isChecked: boolean
  isDisabled?: boolean
  save: (isChecked: boolean) => Promise<unknown>
}

/** A checkbox that is saved at once. If that fails, it goes back. */
function Box(props: BoxProps) {
  const saved = useSaved(props)
  return (
    <input
      type="checkbox"
      class="checkbox-box"
      aria-label={props.label}
      checked={saved.isChecked()}
      disabled={props.isDisabled}
      onChange={(event) => saved.change(event.currentTarget.checked)}
    />
  )
}

/** Follows the link of an email that ends emails for its reason. */
export async function endEmails(name: string): Promise<void> {
  const reason = ORDER.find((one) => one === name)
  if (!reason && name !== 'summary') return
  try {
    await changeOwnNotifications(reason ? { ways: { [reason]: { email: false } } } : { hasSummary: false })
    toast(reason ? `No more emails: ${REASONS[reason]}.` : 'No more summaries.')
  } catch {
    toastError("Couldn't end these emails. Uncheck them below.")
  }
}
