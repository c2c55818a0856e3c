import { useNavigate } from '@solidjs/router'
import { ConfirmButton } from '../forms/confirm-dialog.tsx'
import { toast } from '../ui/toaster.tsx'
import { Section } from './page.tsx'

interface RemoveSectionProps {
  verb: 'Delete' | 'Remove'
  /** "endpoint". */
  noun: string
  /** What is kept. */
  text: string
  /** The question. */
  title: string
  /** What will happen. */
  warning: string
  /** Must be typed first. */
  word?: string
  run: () => Promise<unknown>
  onDone: () => void
  /** What the toast says then. */
  done: string
  /** The page to go to. */
  list: string
}

/** The last part of an item's page: removes it permanently, after a confirmation. */
export function RemoveSection(props: RemoveSectionProps) {
  const navigate = useNavigate()
  const remove = async () => {
    const { done, list } = props
    await props.run()
    props.onDone()
    toast(done)
    navigate(list)
  }
  return (
    <Section title={props.verb} text={props.text}>
      <div>
        <ConfirmButton
          label={`${props.verb} ${props.noun}…`}
          title={props.title}
          text={props.warning}
          word={props.word}
          action={`${props.verb} ${props.noun}`}
          onConfirm={remove}
        />
      </div>
    </Section>
  )
}
