const ALLOWED = new Set(['P', 'BR', 'STRONG', 'EM', 'A', 'UL', 'OL', 'LI', 'CODE', 'PRE', 'BLOCKQUOTE'])
const SAFE_HREF = /^(?:https?:|mailto:)/i

/** An answer with formatting. */
export function ChatFormatted(props: { html: string }) {
  return <div class="chat-formatted">{formattedNodes(props.html)}</div>
}

/**
 * The answer of an agent, rebuilt from the allowed elements. The server has made it safe already, but a page of someone
 * else's must not depend on that. Attributes are dropped, except the URLs of links.
 */
function formattedNodes(html: string): Node[] {
  const { body } = new DOMParser().parseFromString(html, 'text/html')
  return nodesOf(body)
}

function nodesOf(parent: Node): Node[] {
  return [...parent.childNodes].flatMap((node) => {
    if (node.nodeType === Node.TEXT_NODE) return [document.createTextNode(node.textContent ?? '')]
    if (!(node instanceof Element)) return []
    if (!ALLOWED.has(node.tagName)) return /^(?:SCRIPT|STYLE)$/.test(node.tagName) ? [] : nodesOf(node)
    const copy = document.createElement(node.tagName)
    const href = node.getAttribute('href') ?? ''
    if (copy instanceof HTMLAnchorElement && SAFE_HREF.test(href)) {
      copy.href = href
      copy.target = '_blank'
      copy.rel = 'noopener noreferrer nofollow'
    }
    const start = Number(node.getAttribute('start'))
    if (copy instanceof HTMLOListElement && start > 1) copy.start = start
    copy.append(...nodesOf(node))
    return [copy]
  })
}
