// Turns the HTML of other programs, each with its own paragraphs, lists and tables, into what the editor reads.

/** Elements that stand on lines of their own. */
const BLOCKS =
  'address,article,aside,blockquote,center,div,dl,dt,dd,figure,footer,form,h1,h2,h3,h4,h5,h6,header,hr,li,main,nav,ol,p,pre,section,table,ul'
const HEADINGS = 'h1,h2,h3,h4,h5,h6'
const WORD_LIST = /mso-list:\s*l\d+\s+level(\d+)/i
const WORD_MARK = /mso-list:\s*ignore/i
/** How Word writes the number of an item: `1.`, `a)`, `iv.`. Bullets are characters of symbol fonts, or an `o`. */
const WORD_NUMBER = /^\(?(?:\d+|[a-z]|[ivxlc]+)[.)]/i

/** Styles are dropped. Otherwise the page's policy (`style-src 'self'`) would report them. */
const STYLE_ELEMENT = /<style[\s\S]*?<\/style>/gi
const TAG = /<[a-z][^>]*>/gi
const STYLE_ATTRIBUTE = /\sstyle\s*=/gi
const BOLD = /font-weight:\s*(?:bold|[6-9]\d\d)/i
const NOT_BOLD = /font-weight:\s*(?:normal|[1-4]\d\d)/i
const ITALIC = /font-style:\s*italic/i
/** Code of an editor for programs. */
const CODE = /white-space:\s*pre\s*(?:;|$)/i

/** The HTML that is pasted, with its text, bold, italic, links, lists, quotes and code. Nothing of it is loaded or run. */
export function cleanedHtml(html: string): string {
  const styleless = html
    .replace(STYLE_ELEMENT, '')
    .replace(TAG, (tag) => tag.replace(STYLE_ATTRIBUTE, ' data-style='))
  const { body } = new DOMParser().parseFromString(styleless, 'text/html')
  for (const element of body.querySelectorAll('style,script,title,meta,link,xml')) element.remove()
  removeComments(body)
  if (body.querySelector('[data-pm-slice]')) return body.innerHTML
  for (const table of [...body.querySelectorAll('table')].reverse()) replaceTable(table)
  joinWordLists(body)
  for (const styled of body.querySelectorAll<HTMLElement>('[data-style]')) replaceStyle(styled)
  for (const heading of body.querySelectorAll(HEADINGS)) replaceHeading(heading)
  for (const element of [body, ...body.querySelectorAll('div,blockquote,td')]) joinLines(element)
  for (const paragraph of body.querySelectorAll('p'))
    if (paragraph.textContent?.trim() === '') paragraph.remove()
  return body.innerHTML
}

function removeComments(body: HTMLElement): void {
  const comments = document.createNodeIterator(body, NodeFilter.SHOW_COMMENT)
  for (let comment = comments.nextNode(); comment; comment = comments.nextNode())
    comment.parentNode?.removeChild(comment)
}

/** A line for each row, with a tab between its cells. The content of a single cell stays as it is. */
function replaceTable(table: HTMLTableElement): void {
  const rows = [...table.rows].map((row) => [...row.cells])
  const [cell, ...others] = rows.flat()
  if (cell && others.length === 0 && rows.length === 1) {
    const content = table.ownerDocument.createElement('div')
    content.append(...cell.childNodes)
    table.replaceWith(content)
    return
  }
  const lines = table.ownerDocument.createElement('p')
  lines.dataset.tabbed = ''
  for (const [at, cells] of rows.entries())
    lines.append(
      ...(at > 0 ? [lines.ownerDocument.createElement('br')] : []),
      cells.map(textOfCell).join('\t'),
    )
  table.replaceWith(lines)
}

function textOfCell(cell: HTMLTableCellElement): string {
  return (cell.textContent ?? '').replace(/\s+/g, ' ').trim()
}

/** Word writes the items of a list as paragraphs, each with its level and its mark as text. */
function joinWordLists(body: HTMLElement): void {
  const lists: HTMLElement[] = []
  let last: Element | undefined
  for (const item of body.querySelectorAll('p')) {
    const level = Number(WORD_LIST.exec(item.dataset.style ?? '')?.[1] ?? 0)
    if (level === 0) continue
    if (!last || item.previousElementSibling !== last) lists.length = 0
    const marks = [...item.querySelectorAll('span')].filter((span) =>
      WORD_MARK.test(span.dataset.style ?? ''),
    )
    const name = WORD_NUMBER.test(marks[0]?.textContent?.trim() ?? '') ? 'ol' : 'ul'
    for (const mark of marks) mark.remove()
    lists.length = Math.min(lists.length, level)
    if (lists[level - 1] && lists[level - 1]?.localName !== name) lists.length = level - 1
    while (lists.length < level) {
      const list = body.ownerDocument.createElement(name)
      const parent = lists.at(-1)?.lastElementChild
      if (parent) parent.append(list)
      else if (lists.length > 0) lists.at(-1)?.append(body.ownerDocument.createElement('li'), list)
      else item.before(list)
      lists.push(list)
    }
    const line = body.ownerDocument.createElement('li')
    line.append(...item.childNodes)
    lists.at(-1)?.append(line)
    item.remove()
    last = lists[0]
  }
}

/** Bold and italic as elements. Google Docs wraps all it copies into a `b` that isn't bold. */
function replaceStyle(element: HTMLElement): void {
  const { style = '' } = element.dataset
  delete element.dataset.style
  const isPlain = (element.localName === 'b' || element.localName === 'strong') && NOT_BOLD.test(style)
  if (CODE.test(style)) {
    const code = element.ownerDocument.createElement('pre')
    const lines = element.children.length > 1 ? [...element.children] : [element]
    code.textContent = lines.map((line) => line.textContent ?? '').join('\n')
    element.replaceWith(code)
  } else if (isPlain) element.replaceWith(...element.childNodes)
  else {
    if (BOLD.test(style)) wrapContent(element, 'strong')
    if (ITALIC.test(style)) wrapContent(element, 'em')
  }
}

function wrapContent(element: Element, name: 'strong' | 'em'): void {
  const wrapper = element.ownerDocument.createElement(name)
  wrapper.append(...element.childNodes)
  element.append(wrapper)
}

function replaceHeading(heading: Element): void {
  const paragraph = heading.ownerDocument.createElement('p')
  const strong = heading.ownerDocument.createElement('strong')
  strong.append(...heading.childNodes)
  paragraph.append(strong)
  heading.replaceWith(paragraph)
}

/** Gmail writes each line as a `div`, and a blank line as one with a `br`. Lines up to a blank one are one paragraph. */
function joinLines(parent: Element): void {
  let paragraph: HTMLElement | undefined
  for (const child of [...parent.children]) {
    const isLine = child.localName === 'div' && child.querySelector(BLOCKS) === null
    const isBlank = isLine && child.textContent?.trim() === '' && child.querySelector('img') === null
    if (!isLine) paragraph = undefined
    else if (isBlank) {
      paragraph = undefined
      child.remove()
    }
    if (!isLine || isBlank) continue
    if (child.lastChild?.nodeName === 'BR') child.lastChild.remove()
    if (paragraph && isNext(paragraph, child)) {
      paragraph.append(parent.ownerDocument.createElement('br'), ...child.childNodes)
      child.remove()
    } else {
      paragraph = parent.ownerDocument.createElement('p')
      paragraph.append(...child.childNodes)
      child.replaceWith(paragraph)
    }
  }
}

/** Nothing but space is between them. */
function isNext(one: Element, other: Element): boolean {
  let between = one.nextSibling
  while (between?.nodeType === Node.TEXT_NODE && between.textContent?.trim() === '')
    between = between.nextSibling
  return between === other
}
