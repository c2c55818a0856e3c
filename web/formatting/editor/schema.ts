import { Schema } from 'prosemirror-model'
import { safeHref } from '../../../server/formatting/links.ts'

/** What an editor can hold: what the Markdown of server/formatting can say, as the elements that formatted-text.tsx shows. */
export const schema = new Schema({
  nodes: {
    doc: { content: 'block+' },
    paragraph: {
      group: 'block',
      content: 'inline*',
      parseDOM: [{ tag: 'p[data-tabbed]', preserveWhitespace: 'full', priority: 60 }, { tag: 'p' }],
      toDOM: () => ['p', { dir: 'auto' }, 0],
    },
    quote: {
      group: 'block',
      content: 'block+',
      defining: true,
      parseDOM: [{ tag: 'blockquote' }],
      toDOM: () => ['blockquote', { dir: 'auto' }, 0],
    },
    bullets: {
      group: 'block',
      content: 'item+',
      parseDOM: [{ tag: 'ul' }],
      toDOM: () => ['ul', { dir: 'auto' }, 0],
    },
    numbers: {
      group: 'block',
      content: 'item+',
      attrs: { start: { default: 1, validate: 'number' } },
      parseDOM: [
        { tag: 'ol', getAttrs: (list) => ({ start: Number(list.getAttribute('start') ?? 1) || 1 }) },
      ],
      toDOM: ({ attrs }) => ['ol', { dir: 'auto', start: attrs.start }, 0],
    },
    item: {
      content: 'block+',
      defining: true,
      parseDOM: [{ tag: 'li' }],
      toDOM: () => ['li', 0],
    },
    code_block: {
      group: 'block',
      content: 'text*',
      marks: '',
      code: true,
      defining: true,
      parseDOM: [{ tag: 'pre', preserveWhitespace: 'full' }],
      toDOM: () => ['pre', ['code', 0]],
    },
    text: { group: 'inline' },
    hard_break: {
      group: 'inline',
      inline: true,
      selectable: false,
      linebreakReplacement: true,
      parseDOM: [{ tag: 'br' }],
      toDOM: () => ['br'],
    },
    /** A picture of the message, by the name of its file. */
    image: {
      group: 'inline',
      inline: true,
      attrs: { name: { validate: 'string' }, alt: { default: '', validate: 'string' } },
      parseDOM: [
        {
          tag: 'span[data-picture]',
          getAttrs: (span) => ({ name: span.dataset.picture ?? '', alt: span.dataset.alt ?? '' }),
        },
      ],
      toDOM: ({ attrs }) => ['span', { 'data-picture': attrs.name, 'data-alt': attrs.alt }],
      leafText: ({ attrs }) => attrs.alt,
    },
    /** A colleague or a team that a note notifies. */
    mention: {
      group: 'inline',
      inline: true,
      attrs: { of: { validate: 'string' }, id: { validate: 'string' }, name: { validate: 'string' } },
      parseDOM: [
        {
          tag: 'span[data-mention]',
          getAttrs: ({ dataset: { mention = '', of = '', name = '' } }) =>
            /^(?:agent|team)$/.test(of) && { of, id: mention, name },
        },
      ],
      toDOM: ({ attrs: { of, id, name } }) => [
        'span',
        { class: 'formatted-text-mention', 'data-mention': id, 'data-of': of, 'data-name': name },
        `@${name}`,
      ],
      leafText: ({ attrs }) => `@${attrs.name}`,
    },
  },
  marks: {
    link: {
      inclusive: false,
      attrs: { href: { validate: 'string' } },
      parseDOM: [
        {
          tag: 'a[href]',
          getAttrs: (link) => {
            const href = safeHref(link.getAttribute('href') ?? '')
            return href !== undefined && { href }
          },
        },
      ],
      toDOM: ({ attrs }) => ['a', { href: attrs.href, rel: 'noopener noreferrer nofollow' }, 0],
    },
    emphasis: {
      parseDOM: [{ tag: 'i' }, { tag: 'em' }],
      toDOM: () => ['em', 0],
    },
    strong: {
      parseDOM: [{ tag: 'b' }, { tag: 'strong' }],
      toDOM: () => ['strong', 0],
    },
    code: {
      inclusive: false,
      code: true,
      parseDOM: [{ tag: 'code' }, { tag: 'tt' }, { tag: 'kbd' }, { tag: 'samp' }],
      toDOM: () => ['code', 0],
    },
  },
})
