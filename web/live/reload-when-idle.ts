/** Without input for this long at least, and up to twice that: not all pages load at once. */
const IDLE_MS = 300_000
/** What would be gone. */
const OPEN = '[role$=dialog], .bulk-bar'
const CURSOR = ':read-write:focus'

let timer: ReturnType<typeof setTimeout> | undefined

/**
 * The server may be of another version now. If it has other pages, loads them once nobody has used this one for a while.
 * What was typed and not sent is a draft, which stays.
 */
export function reloadWhenIdle(): void {
  for (const input of ['keydown', 'pointermove', 'wheel']) addEventListener(input, wait)
  if (!timer) wait()
}

function wait(): void {
  clearTimeout(timer)
  timer = setTimeout(reloadIfOutdated, IDLE_MS * (1 + Math.random()))
}

async function reloadIfOutdated(): Promise<void> {
  timer = undefined
  const page = await fetch('/')
    .then((answer) => answer.text())
    .catch(() => '')
  // None in what a proxy answers while no server does.
  const [script] = /\/assets\/index[^"]+/.exec(page) ?? []
  if (!script || document.querySelector(`[src="${script}"]`)) return
  const isFree = dispatchEvent(new Event('beforeunload', { cancelable: true }))
  const isTyping = document.hasFocus() && document.querySelector(CURSOR)
  if (isFree && !isTyping && !document.querySelector(OPEN)) location.reload()
  else wait()
}
