import ChevronDown from 'lucide-solid/icons/chevron-down'
import { type JSX, splitProps } from 'solid-js'
import { Button, type ButtonProps } from '../../ui/button.tsx'
import { Menu } from '../../ui/menu.tsx'
import './split-button.css'

interface SplitButtonProps extends ButtonProps {
  /** What is in the menu beside it, as `MenuItem` and the like. */
  others: JSX.Element
}

/** Sends in one way; the menu beside it has the other ways. */
export function SplitButton(props: SplitButtonProps) {
  const [own, rest] = splitProps(props, ['others'])
  return (
    <div class="split-button">
      <Button {...rest} look="primary" class="split-button-main" />
      <Menu
        placement="top-end"
        trigger={(given) => (
          <Button
            {...given}
            look="primary"
            class="split-button-more"
            disabled={props.disabled}
            aria-label="Other ways to send"
          >
            <ChevronDown />
          </Button>
        )}
      >
        {own.others}
      </Menu>
    </div>
  )
}
