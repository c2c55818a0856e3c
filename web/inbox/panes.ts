import { type Accessor, createSignal, onCleanup } from 'solid-js'
import { createStore, unwrap } from 'solid-js/store'
import { readStored, store } from '../browser/local-storage.ts'

export type Panes = ReturnType<typeof createPanes>
export type PaneName = 'rail' | 'list' | 'panel'

export const WIDTHS_PX: Record<PaneName, { usual: number; least: number; most: number }> = {
  rail: { usual: 208, least: 168, most: 320 },
  list: { usual: 360, least: 280, most: 560 },
  panel: { usual: 300, least: 240, most: 440 },
}
const KEY = 'bellhop.panes'
const USUAL = {
  rail: WIDTHS_PX.rail.usual,
  list: WIDTHS_PX.list.usual,
  panel: WIDTHS_PX.panel.usual,
  isRailHidden: false,
  isPanelHidden: false,
}
type Kept = typeof USUAL

/** How wide the panes are and which are folded away, kept in this browser; and which of them a narrow screen has room for. */
export function createPanes() {
  const [kept, setKept] = createStore<Kept>({ ...USUAL, ...readStored(KEY, isKept, USUAL) })
  const [isRailOpen, setRailOpen] = createSignal(false)
  const [isPanelOpen, setPanelOpen] = createSignal(false)
  const isPanelDrawer = createMedia('(max-width: 1099px)')
  const isRailDrawer = createMedia('(max-width: 899px)')
  const isOnePane = createMedia('(max-width: 599px)')

  function keep(change: Partial<Kept>): void {
    setKept(change)
    store(KEY, unwrap(kept))
  }

  function toggleRail(): void {
    if (isRailDrawer()) setRailOpen(!isRailOpen())
    else keep({ isRailHidden: !kept.isRailHidden })
  }

  function togglePanel(): void {
    if (isPanelDrawer()) setPanelOpen(!isPanelOpen())
    else keep({ isPanelHidden: !kept.isPanelHidden })
  }

  return {
    width: (name: PaneName) => kept[name],
    resize(name: PaneName, width: number): void {
      const { least, most } = WIDTHS_PX[name]
      keep({ [name]: Math.round(Math.min(Math.max(width, least), most)) })
    },
    isOnePane,
    /** In its place beside the list. */
    isRailShown: () => !isRailDrawer() && !kept.isRailHidden,
    isPanelShown: () => !isPanelDrawer() && !kept.isPanelHidden,
    isRailOpen: () => isRailDrawer() && isRailOpen(),
    isPanelOpen: () => isPanelDrawer() && isPanelOpen(),
    setRailOpen,
    setPanelOpen,
    toggleRail,
    togglePanel,
    /** Both away, or both back. */
    toggleBoth(): void {
      const areHidden = kept.isRailHidden && kept.isPanelHidden
      keep({ isRailHidden: !areHidden, isPanelHidden: !areHidden })
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

function isKept(value: unknown): value is Kept {
  if (typeof value !== 'object' || value === null) return false
  const found = Object.entries(value)
  return Object.entries(USUAL).every(([name, usual]) =>
    found.some(([key, known]) => key === name && typeof known === typeof usual),
  )
}
