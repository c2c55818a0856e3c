import { createSignal, For } from 'solid-js'
import { readStored, store } from '../../browser/local-storage.ts'
import { actionsIn, useKeys } from '../../keyboard/keys.ts'
import { lazyDialog } from '../../live/lazy-page.tsx'
import { MenuChoice, MenuItem, MenuLine } from '../../ui/menu.tsx'
import type { Actions } from '../changes/actions.ts'
import { SplitButton } from './split-button.tsx'

interface SendButtonProps {
  isDisabled: boolean
  /** `at` for a later time. */
  onSend: (choice: SendChoice, at?: Date) => void
}

/** Loaded when it is first opened. */
const SendDialogs = lazyDialog(() => import('./send-dialogs.tsx'))

/** Sends with the last choice; the menu beside it has the others. */
export function SendButton(props: SendButtonProps) {
  const [asked, setAsked] = createSignal<'later' | 'snooze'>()
  useKeys(() =>
    actionsIn('Reply', [
      {
        id: 'ticket.send-later',
        label: 'Send later…',
        keys: [],
        isEnabled: () => !props.isDisabled,
        run: () => setAsked('later'),
      },
      {
        id: 'ticket.send-snooze',
        label: 'Send and snooze…',
        keys: [],
        isEnabled: () => !props.isDisabled,
        run: () => setAsked('snooze'),
      },
    ]),
  )
  return (
    <>
      <SplitButton
        keys="mod+enter"
        disabled={props.isDisabled}
        onClick={() => props.onSend(sendChoice())}
        others={
          <>
            <For each={SEND_CHOICES}>
              {(choice) => (
                <MenuChoice isChosen={choice.id === sendChoice().id} onSelect={() => chooseSend(choice)}>
                  {choice.label}
                </MenuChoice>
              )}
            </For>
            <MenuLine />
            <MenuItem onSelect={() => setAsked('snooze')}>Send and snooze…</MenuItem>
            <MenuItem onSelect={() => setAsked('later')}>Send later…</MenuItem>
          </>
        }
      >
        {sendChoice().label}
      </SplitButton>
      <SendDialogs
        isOpen={asked() !== undefined}
        onClose={() => setAsked()}
        asked={asked()}
        label={sendChoice().label}
        onLater={(at) => props.onSend(sendChoice(), at)}
        onSnooze={(snooze) => props.onSend({ ...SEND_CHOICES[0], actions: snooze })}
      />
    </>
  )
}

/** What Send does to the ticket. */
export const SEND_CHOICES = [
  { id: 'send', label: 'Send', actions: undefined },
  { id: 'resolve', label: 'Send and resolve', actions: { status: 'resolved' } },
  { id: 'pending', label: 'Send and set pending', actions: { status: 'pending' } },
] as const satisfies readonly { id: string; label: string; actions: Actions | undefined }[]

type SendId = (typeof SEND_CHOICES)[number]['id']

export interface SendChoice {
  id: SendId
  label: string
  actions: Actions | undefined
}

const KEY = 'bellhop.send'

const [chosen, setChosen] = createSignal(choiceOf(readStored(KEY, isId, 'send')))

/** The last choice in this browser. */
export const sendChoice = chosen

function chooseSend(next: SendChoice): void {
  setChosen(next)
  store(KEY, next.id)
}

function choiceOf(id: SendId): SendChoice {
  return SEND_CHOICES.find((known) => known.id === id) ?? SEND_CHOICES[0]
}

function isId(value: unknown): value is SendId {
  return SEND_CHOICES.some(({ id }) => id === value)
}
