import type { LauncherState, Shell, WidgetSettings } from './contract.ts'
import css from './launcher.css?inline'

/** What page styles can't override: inline and important. `all` first, because later properties win. */
const HOST_STYLE: [string, string][] = [
  ['all', 'initial'],
  ['position', 'fixed'],
  ['display', 'block'],
  ['inset', 'auto 0 0 auto'],
  ['width', '0'],
  ['height', '0'],
  ['overflow', 'visible'],
  ['z-index', '2147483647'],
]
/** Within an element of the settings page, which is what `fixed` refers to there. */
const SAMPLE_STYLE: [string, string][] = [
  ['all', 'initial'],
  ['position', 'absolute'],
  ['display', 'block'],
  ['inset', '0'],
  ['transform', 'translate(0)'],
  ['pointer-events', 'none'],
]
/** A speech bubble, and an arrow down. */
const ICONS = [
  'M21 11.5a8.4 8.4 0 0 1-8.9 8.4 9.6 9.6 0 0 1-3.3-.6L4 21l1.4-4.1A8 8 0 0 1 3.3 11.5 8.6 8.6 0 0 1 12 3a8.6 8.6 0 0 1 9 8.5z',
  'M6 9.5l6 6 6-6',
]
const SVG = 'http://www.w3.org/2000/svg'
/** These events don't reach the page, so that its shortcuts don't take what a visitor types. */
const TYPING = ['keydown', 'keypress', 'keyup', 'paste', 'copy', 'cut', 'drop', 'dragover']

type Launcher = Pick<Shell, 'root' | 'frame' | 'launcher' | 'setLauncher' | 'setHidden'> & {
  update(settings: WidgetSettings): void
  remove(): void
}

/** Puts the button into the corner of the page, or of an element for samples. */
export function showLauncher(settings: WidgetSettings, into?: Element): Launcher {
  const host = document.createElement('bellhop-widget')
  for (const [name, value] of into ? SAMPLE_STYLE : HOST_STYLE)
    host.style.setProperty(name, value, 'important')
  const root = host.attachShadow({ mode: 'open' })
  const sheet = new CSSStyleSheet()
  sheet.replaceSync(css)
  root.adoptedStyleSheets = [sheet]
  const frame = document.createElement('div')
  frame.className = 'launcher-frame'
  const launcher = document.createElement('button')
  launcher.type = 'button'
  launcher.className = 'launcher'
  launcher.append(...ICONS.map(iconOf))
  const badge = document.createElement('span')
  badge.className = 'launcher-badge'
  badge.setAttribute('aria-hidden', 'true')
  launcher.append(badge)
  frame.append(launcher)
  root.append(frame)
  for (const name of TYPING) root.addEventListener(name, (event) => event.stopPropagation())

  const page = document.documentElement
  const dark = matchMedia('(prefers-color-scheme: dark)')
  let current = settings
  function update(next: WidgetSettings): void {
    current = next
    const { colorScheme, direction } = getComputedStyle(page)
    const [isLight, isDarkToo] = ['light', 'dark'].map((scheme) => colorScheme.includes(scheme))
    // Where the page names both or none, the system decides.
    const auto = (isLight === isDarkToo ? dark.matches : isDarkToo) ? 'dark' : 'light'
    frame.dataset.theme = next.theme === 'auto' ? auto : next.theme
    frame.dataset.position = next.position
    frame.dir = direction
    frame.style.setProperty('--brand', next.color)
    frame.style.setProperty('--on-brand', inkOn(next.color))
  }
  function setLauncher({ isOpen, unread, label }: LauncherState): void {
    launcher.setAttribute('aria-expanded', String(isOpen))
    launcher.setAttribute('aria-label', label)
    badge.hidden = unread === 0
    badge.textContent = unread > 99 ? '99+' : String(unread)
  }
  const onTheme = () => update(current)
  dark.addEventListener('change', onTheme)
  // A style sheet may arrive after the launcher.
  addEventListener('load', onTheme)
  // Websites switch their theme by an attribute.
  const watched = new MutationObserver(onTheme)
  watched.observe(page, { attributes: true })
  update(settings)
  setLauncher({ isOpen: false, unread: 0, label: settings.title || 'Chat' })

  // Frameworks replace the body when the visitor follows a link, so the widget is beside it.
  const parent = into ?? page
  parent.append(host)
  // Above everything, whatever the page's z-indexes are.
  if (!into && 'popover' in host) {
    host.popover = 'manual'
    host.showPopover()
  }
  return {
    root,
    frame,
    launcher,
    setLauncher,
    update,
    setHidden: (isHidden) => {
      frame.hidden = isHidden
    },
    remove() {
      dark.removeEventListener('change', onTheme)
      watched.disconnect()
      host.remove()
    },
  }
}

function iconOf(path: string): SVGElement {
  const svg = document.createElementNS(SVG, 'svg')
  svg.setAttribute('viewBox', '0 0 24 24')
  svg.setAttribute('class', 'launcher-icon')
  svg.setAttribute('aria-hidden', 'true')
  const drawn = document.createElementNS(SVG, 'path')
  drawn.setAttribute('d', path)
  svg.append(drawn)
  return svg
}

/** White or black, whichever is easier to read on the color. About the relative luminance of WCAG 2.2. */
function inkOn(color: string): string {
  const number = Number.parseInt(color.slice(1), 16)
  const light = (part: number) => (part & 255) ** 2.2
  const luminance = 0.2126 * light(number >> 16) + 0.7152 * light(number >> 8) + 0.0722 * light(number)
  // Contrast with white and with black is the same here.
  return luminance > 0.179 * 255 ** 2.2 ? '#000' : '#fff'
}
