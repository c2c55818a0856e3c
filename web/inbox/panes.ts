import { type Accessor, createSignal, onCleanup } from 'solid-js'
import { createStore, unwrap } from 'solid-js/store'
import { readStored, store } from '../browser/local-storage.ts'

export type Panes = ReturnType<typeof createPanes>
export type PaneName = 'rail' | 'list' | 'panel'

export const WIDTHS_PX: Record<PaneName, { default: number; min: number; max: number }> = {
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
