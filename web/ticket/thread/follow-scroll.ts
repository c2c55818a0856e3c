/** Closer to the end than this counts as being at the end. */
const AT_END_PX = 48
/** The space between the top and the first unread message. */
const ABOVE_NEW_PX = 56

/** Closer to the top than this, earlier messages are shown. */
const NEAR_TOP_PX = 400

interface Edges {
  onEnd: () => void
  onTop: () => void
}

/** Keeps the scroll position of a thread: at the end it follows new messages, elsewhere nothing moves. */
export function createFollowScroll({ onEnd, onTop }: Edges) {
  let scroller: HTMLElement | undefined
  let content: HTMLElement | undefined
  let isFollowing = true
  let lastTop = 0

  const sizes = new ResizeObserver(() => {
    if (isFollowing) jumpToEnd()
  })

  function jumpToEnd() {
    if (!scroller) return
    scroller.scrollTop = scroller.scrollHeight
    lastTop = scroller.scrollTop
  }

  function isAtEnd() {
    if (!scroller) return true
    return scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight < AT_END_PX
  }

  function onScroll() {
    const top = scroller?.scrollTop ?? 0
    // Only scrolling up ends it: the thread may have grown, or its area become smaller, since the last jump.
    isFollowing = isAtEnd() || (isFollowing && top >= lastTop)
    lastTop = top
    if (isFollowing) onEnd()
    else if (top < NEAR_TOP_PX) onTop()
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
    /** Adds rows above without moving the visible ones. */
    keepPlace(change: () => void) {
      if (!scroller) return change()
      const anchor = content?.querySelector('.message-group')
      const before = anchor?.getBoundingClientRect().top ?? 0
      isFollowing = false
      change()
      const after = anchor?.getBoundingClientRect().top ?? before
      scroller.scrollTop += after - before
    },
    /** Whether the content is shorter than the visible area. */
    hasRoom: () =>
      scroller !== undefined && scroller.scrollHeight <= scroller.clientHeight && scroller.clientHeight > 0,
    /** Scrolls to a message or note, to the first unread message, or to the end. */
    start(messageId?: string) {
      if (!scroller?.isConnected || !content) return
      const wanted = messageId && content.querySelector<HTMLElement>(`[data-message="${messageId}"]`)
      const firstNew = content.querySelector<HTMLElement>('.thread-new')
      if (wanted) scroller.scrollTop += topIn(scroller, wanted) - ABOVE_NEW_PX
      else if (firstNew) scroller.scrollTop = firstNew.offsetTop - ABOVE_NEW_PX
      else jumpToEnd()
      isFollowing = isAtEnd()
      lastTop = scroller.scrollTop
      scroller.addEventListener('scroll', onScroll, { passive: true })
      sizes.observe(scroller)
      sizes.observe(content)
    },
    stop() {
      sizes.disconnect()
      scroller?.removeEventListener('scroll', onScroll)
    },
  }
}

function topIn(scroller: HTMLElement, element: HTMLElement): number {
  return element.getBoundingClientRect().top - scroller.getBoundingClientRect().top
}
