import ChevronDown from 'lucide-solid/icons/chevron-down'
import { createSignal, For } from 'solid-js'
import { readStored, store } from '../../browser/local-storage.ts'
import { Button } from '../../ui/button.tsx'
import { Menu, MenuChoice } from '../../ui/menu.tsx'
import type { Actions } from '../changes/actions.ts'

interface SendButtonProps {
  isDisabled: boolean
  onSend: (choice: SendChoice) => void
}

/** Sends with the last choice; the menu beside it has the others. */
export function SendButton(props: SendButtonProps) {
  return (
    <div class="send-button">
      <Button
        look="primary"
        class="send-button-main"
        keys="mod+enter"
        disabled={props.isDisabled}
        onClick={() => props.onSend(sendChoice())}
      >
        {sendChoice().label}
      </Button>
      <Menu
        placement="top-end"
        trigger={(given) => (
          <Button
            {...given}
            look="primary"
            class="send-button-more"
            disabled={props.isDisabled}
            aria-label="Other ways to send"
          >
            <ChevronDown />
          </Button>
        )}
      >
        <For each={SEND_CHOICES}>
          {(choice) => (
            <MenuChoice isChosen={choice.id === sendChoice().id} onSelect={() => chooseSend(choice)}>
              {choice.label}
            </MenuChoice>
          )}
        </For>
      </Menu>
    </div>
  )
}

/** What Send does to the ticket. */
export const SEND_CHOICES = [
  { id: 'send', label: 'Send', actions: undefined },
  { id: 'resolve', label: 'Send and resolve', actions: { status: 'resolved' } },
  { id: 'pending', label: 'Send and set pending', actions: { status: 'pending' } },
] as const satisfies readonly { id: string; label: string; actions: Actions | undefined }[]

export type SendChoice = (typeof SEND_CHOICES)[number]

const KEY = 'bellhop.send'

const [chosen, setChosen] = createSignal(choiceOf(readStored(KEY, isId, 'send')))

/** The last choice in this browser. */
export const sendChoice = chosen

function chooseSend(next: SendChoice): void {
  setChosen(next)
  store(KEY, next.id)
}

function choiceOf(id: SendChoice['id']): SendChoice {
  return SEND_CHOICES.find((known) => known.id === id) ?? SEND_CHOICES[0]
}

function isId(value: unknown): value is SendChoice['id'] {
  return SEND_CHOICES.some(({ id }) => id === value)
}
