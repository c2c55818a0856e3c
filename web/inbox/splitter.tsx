import { type PaneName, type Panes, WIDTHS_PX } from './panes.ts'
import './splitter.css'

const STEP_PX = 16

interface SplitterProps {
  panes: Panes
  pane: PaneName
  label: string
  /** The pane it sizes lies right of it. */
  isLeft?: boolean
}

/** The edge between two panes: dragged, moved with the arrow keys, put back by a double click. */
export function Splitter(props: SplitterProps) {
  const towards = () => (props.isLeft ? -1 : 1)
  let begin: { x: number; width: number } | undefined

  function onKeyDown(event: KeyboardEvent): void {
    const steps: Record<string, number> = { ArrowLeft: -STEP_PX, ArrowRight: STEP_PX }
    const step = steps[event.key]
    if (step === undefined) return
    event.preventDefault()
    props.panes.resize(props.pane, props.panes.width(props.pane) + step * towards())
  }

  return (
    <hr
      class="splitter"
      tabindex="0"
      aria-orientation="vertical"
      aria-label={props.label}
      aria-valuenow={props.panes.width(props.pane)}
      aria-valuemin={WIDTHS_PX[props.pane].least}
      aria-valuemax={WIDTHS_PX[props.pane].most}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId)
        begin = { x: event.clientX, width: props.panes.width(props.pane) }
      }}
      onPointerMove={(event) => {
        if (begin) props.panes.resize(props.pane, begin.width + (event.clientX - begin.x) * towards())
      }}
      onPointerUp={() => {
        begin = undefined
      }}
      onPointerCancel={() => {
        begin = undefined
      }}
      onDblClick={() => props.panes.resize(props.pane, WIDTHS_PX[props.pane].usual)}
      onKeyDown={onKeyDown}
    />
  )
}
