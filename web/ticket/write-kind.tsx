import Reply from 'lucide-solid/icons/reply'
import StickyNote from 'lucide-solid/icons/sticky-note'
import { Button } from '../ui/button.tsx'
import type { DraftKind } from './stored-draft.ts'

interface WriteKindProps {
  kind: DraftKind
  onChange: (kind: DraftKind) => void
}

/** To the customer, or to the team. */
export function WriteKind(props: WriteKindProps) {
  return (
    <fieldset class="write-kind">
      <legend class="unseen">What is written</legend>
      <Button
        size="small"
        look="quiet"
        aria-pressed={props.kind === 'reply'}
        aria-keyshortcuts="r"
        icon={<Reply />}
        onClick={() => props.onChange('reply')}
      >
        Reply
      </Button>
      <Button
        size="small"
        look="quiet"
        aria-pressed={props.kind === 'note'}
        aria-keyshortcuts="n"
        icon={<StickyNote />}
        onClick={() => props.onChange('note')}
      >
        Note
      </Button>
    </fieldset>
  )
}
