/** Nearer to the end than this counts as being there. */
const AT_END_PX = 48
/** How far below the top the first unread message comes to stand. */
const ABOVE_NEW_PX = 56

/** So near to the beginning of what is shown, the reader will want what is above it. */
const NEAR_TOP_PX = 400

interface Edges {
  onEnd: () => void
  onTop: () => void
}

/** Keeps a thread where its reader is: at the end it follows what is new, elsewhere nothing moves. */
export function createFollowing({ onEnd, onTop }: Edges) {
  let scroller: HTMLElement | undefined
  let content: HTMLElement | undefined
  let isFollowing = true

  const sizes = new ResizeObserver(() => {
    if (isFollowing) jumpToEnd()
  })

  function jumpToEnd() {
    if (scroller) scroller.scrollTop = scroller.scrollHeight
  }

  function isAtEnd() {
    if (!scroller) return true
    return scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight < AT_END_PX
  }

  function scrolled() {
    isFollowing = isAtEnd()
    if (isFollowing) onEnd()
    else if (scroller && scroller.scrollTop < NEAR_TOP_PX) onTop()
  }

  return {
    scroller: (element: HTMLElement) => {
      scroller = element
    },
    content: (element: HTMLElement) => {
      content = element
    },
    isAtEnd: () => isFollowing,
    toEnd() {
      isFollowing = true
      onEnd()
      requestAnimationFrame(jumpToEnd)
    },
    /** Adds something above without moving what is being read. */
    keepPlace(change: () => void) {
      if (!scroller) return change()
      const anchor = content?.querySelector('.speech')
      const before = anchor?.getBoundingClientRect().top ?? 0
      isFollowing = false
      change()
      const after = anchor?.getBoundingClientRect().top ?? before
      scroller.scrollTop += after - before
    },
    /** Whether the content is shorter than its place. */
    hasRoom: () =>
      scroller !== undefined && scroller.scrollHeight <= scroller.clientHeight && scroller.clientHeight > 0,
    /** Begins at the first unread message, or at the end. */
    start() {
      if (!scroller?.isConnected || !content) return
      const firstNew = content.querySelector<HTMLElement>('.thread-new')
      if (firstNew) scroller.scrollTop = firstNew.offsetTop - ABOVE_NEW_PX
      else jumpToEnd()
      isFollowing = isAtEnd()
      scroller.addEventListener('scroll', scrolled, { passive: true })
      sizes.observe(scroller)
      sizes.observe(content)
    },
    stop() {
      sizes.disconnect()
      scroller?.removeEventListener('scroll', scrolled)
    },
  }
}
