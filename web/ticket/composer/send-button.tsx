import ChevronDown from 'lucide-solid/icons/chevron-down'
import { For } from 'solid-js'
import { Button } from '../../ui/button.tsx'
import { Menu, MenuChoice } from '../../ui/menu.tsx'
import { chooseSend, SEND_CHOICES, type SendChoice, sendChoice } from './send-choice.ts'

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
