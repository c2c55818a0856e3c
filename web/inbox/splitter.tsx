import { type PaneName, type Panes, WIDTHS_PX } from './panes.ts'
import './splitter.css'

const STEP_PX = 16

interface SplitterProps {
  panes: Panes
  pane: PaneName
  label: string
  /** The pane it resizes is to its right. */
  isLeft?: boolean
}

/** The edge between two panes. Drag it, or use the arrow keys; a double click resets it. */
export function Splitter(props: SplitterProps) {
  const direction = () => (props.isLeft ? -1 : 1)
  let start: { x: number; width: number } | undefined

  function onKeyDown(event: KeyboardEvent): void {
    const steps: Record<string, number> = { ArrowLeft: -STEP_PX, ArrowRight: STEP_PX }
    const step = steps[event.key]
    if (step === undefined) return
    event.preventDefault()
    props.panes.resize(props.pane, props.panes.width(props.pane) + step * direction())
  }

  return (
    <hr
      class="splitter"
      tabindex="0"
      aria-orientation="vertical"
      aria-label={props.label}
      aria-valuenow={props.panes.width(props.pane)}
      aria-valuemin={WIDTHS_PX[props.pane].min}
      aria-valuemax={WIDTHS_PX[props.pane].max}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId)
        start = { x: event.clientX, width: props.panes.width(props.pane) }
      }}
      onPointerMove={(event) => {
        if (start) props.panes.resize(props.pane, start.width + (event.clientX - start.x) * direction())
      }}
      onPointerUp={() => {
        start = undefined
      }}
      onPointerCancel={() => {
        start = undefined
      }}
      onDblClick={() => props.panes.resize(props.pane, WIDTHS_PX[props.pane].default)}
      onKeyDown={onKeyDown}
    />
  )
}
