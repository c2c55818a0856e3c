import { Dialog } from '@kobalte/core/dialog'
import PanelLeft from 'lucide-solid/icons/panel-left'
import { type Accessor, createSignal, type JSX, onCleanup, Show } from 'solid-js'
import { createStore, unwrap } from 'solid-js/store'
import { readStored, store } from '../browser/local-storage.ts'
import { createFocusReturn } from '../ui/focus-return.ts'
import { IconButton } from '../ui/icon-button.tsx'

export type Panes = ReturnType<typeof createPanes>
type PaneName = 'rail' | 'list' | 'panel'

const WIDTHS_PX: Record<PaneName, { default: number; min: number; max: number }> = {
  rail: { default: 208, min: 168, max: 320 },
  list: { default: 360, min: 280, max: 560 },
  panel: { default: 300, min: 240, max: 440 },
}
const KEY = 'bellhop.panes'
const DEFAULTS = {
  rail: WIDTHS_PX.rail.default,
  list: WIDTHS_PX.list.default,
  panel: WIDTHS_PX.panel.default,
  isRailHidden: false,
  isPanelHidden: false,
}
type StoredPanes = typeof DEFAULTS

/** Widths of the panes and which are hidden, stored in this browser, and which of them fit on a narrow screen. */
export function createPanes() {
  const [stored, setStored] = createStore<StoredPanes>({
    ...DEFAULTS,
    ...readStored(KEY, isStored, DEFAULTS),
  })
  const [isRailOpen, setRailOpen] = createSignal(false)
  const [isPanelOpen, setPanelOpen] = createSignal(false)
  const isPanelDrawer = createMedia('(max-width: 1099px)')
  const isRailDrawer = createMedia('(max-width: 899px)')
  const isOnePane = createMedia('(max-width: 599px)')

  function save(change: Partial<StoredPanes>): void {
    setStored(change)
    store(KEY, unwrap(stored))
  }

  function toggleRail(): void {
    if (isRailDrawer()) setRailOpen(!isRailOpen())
    else save({ isRailHidden: !stored.isRailHidden })
  }

  function togglePanel(): void {
    if (isPanelDrawer()) setPanelOpen(!isPanelOpen())
    else save({ isPanelHidden: !stored.isPanelHidden })
  }

  return {
    width: (name: PaneName) => stored[name],
    resize(name: PaneName, width: number): void {
      const { min, max } = WIDTHS_PX[name]
      save({ [name]: Math.round(Math.min(Math.max(width, min), max)) })
    },
    isOnePane,
    /** Shown beside the list, not as a drawer. */
    isRailShown: () => !isRailDrawer() && !stored.isRailHidden,
    isPanelShown: () => !isPanelDrawer() && !stored.isPanelHidden,
    isRailOpen: () => isRailDrawer() && isRailOpen(),
    isPanelOpen: () => isPanelDrawer() && isPanelOpen(),
    setRailOpen,
    setPanelOpen,
    toggleRail,
    togglePanel,
    /** Hides both, or shows both. */
    toggleBoth(): void {
      const areHidden = stored.isRailHidden && stored.isPanelHidden
      save({ isRailHidden: !areHidden, isPanelHidden: !areHidden })
    },
  }
}

function createMedia(query: string): Accessor<boolean> {
  const media = matchMedia(query)
  const [isTrue, setTrue] = createSignal(media.matches)
  const follow = () => setTrue(media.matches)
  media.addEventListener('change', follow)
  onCleanup(() => media.removeEventListener('change', follow))
  return isTrue
}

function isStored(value: unknown): value is StoredPanes {
  if (typeof value !== 'object' || value === null) return false
  const found = Object.entries(value)
  return Object.entries(DEFAULTS).every(([name, initial]) =>
    found.some(([key, known]) => key === name && typeof known === typeof initial),
  )
}

const STEP_PX = 16

/** Shows the rail while it is hidden. */
export function RailButton(props: { panes: Panes }) {
  return (
    <Show when={!props.panes.isRailShown()}>
      <IconButton name="Menu" keys="[" onClick={props.panes.toggleRail}>
        <PanelLeft />
      </IconButton>
    </Show>
  )
}

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

interface DrawerProps {
  isOpen: boolean
  onClose: () => void
  /** For screen readers. */
  label: string
  side: 'left' | 'right'
  children: JSX.Element
}

/** A pane that slides in over the page on a narrow screen. */
export function Drawer(props: DrawerProps) {
  const returnFocus = createFocusReturn(() => props.isOpen)
  return (
    <Dialog open={props.isOpen} onOpenChange={(isOpen) => !isOpen && props.onClose()} modal>
      <Dialog.Portal>
        <Dialog.Overlay class="dialog-backdrop" />
        <Dialog.Content
          onOpenAutoFocus={focusDrawer}
          onCloseAutoFocus={returnFocus}
          class="drawer ringless"
          data-side={props.side}
          aria-label={props.label}
        >
          {props.children}
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog>
  )
}

/** Focusing the first button would open its tooltip, and Escape would close that instead of the drawer. */
function focusDrawer(event: Event): void {
  event.preventDefault()
  if (event.target instanceof HTMLElement) event.target.focus()
}
