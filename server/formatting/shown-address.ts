import { encodeDirectionControls } from '../text/direction-controls.ts'

/**
 * Scripts that form a writing system when combined in one label of a host. Other combinations are a trick (Unicode UTS
 * 39, section 5.2).
 */
const COMBINED_SCRIPTS = [
  ['Latin', 'Han', 'Hiragana', 'Katakana'],
  ['Latin', 'Han', 'Bopomofo'],
  ['Latin', 'Han', 'Hangul'],
]
/** The scripts in everyday use (Unicode UAX 31, table 5). A name in any other is shown in ASCII. */
const SCRIPTS = [
  ...['Latin', 'Cyrillic', 'Greek', 'Armenian', 'Hebrew', 'Arabic', 'Thaana', 'Devanagari', 'Bengali'],
  ...['Gurmukhi', 'Gujarati', 'Oriya', 'Tamil', 'Telugu', 'Kannada', 'Malayalam', 'Sinhala', 'Thai', 'Lao'],
  ...[
    'Tibetan',
    'Myanmar',
    'Georgian',
    'Ethiopic',
    'Khmer',
    'Hangul',
    'Hiragana',
    'Katakana',
    'Bopomofo',
    'Han',
  ],
]
/** Words of these letters alone look like Latin ones. */
const LOOKS_LATIN = /^(?:[асԁеһіјӏорԛѕԝхуьҽпгѵѡ\d-]+|[αγικνορτυχω\d-]+)$/u
const LATIN_ENDING = /\.[a-z]{2,}\.?$/i
const ASCII = /^[\x20-\x7e]*$/
const LABEL_END = /[.。．｡]/
const WEB_ADDRESS = /^(https?:\/\/(?:[^/?#@\s]*@)?)([^/?#:\s]+)/i
/** Addresses in a text, and words that could be a host. Lengths are bounded, so that no input is slow. */
const WEB_ADDRESSES = /\bhttps?:\/\/[^\s<>"'`\u061c\u200e\u200f]{1,2000}/gi
const HOSTS = /[\p{L}\p{M}\p{N}_-]{1,63}(?:[.。．｡][\p{L}\p{M}\p{N}_-]{1,63}){1,8}/gu

/**
 * A web address in a form that is safe to show. A host that mixes scripts or imitates Latin letters is shown in ASCII
 * (`https://xn--…`).
 */
export function shownAddress(address: string): string {
  if (ASCII.test(address)) return address
  const shown = address.replace(WEB_ADDRESS, (_, start: string, host: string) => start + shownHost(host))
  return encodeDirectionControls(shown)
}

/** The same for every address in a text. In the text of a link, a word can be a host too. */
export function withShownAddresses(text: string, { isLink }: { isLink: boolean }): string {
  if (ASCII.test(text)) return text
  const shown = text.replace(WEB_ADDRESSES, shownAddress)
  return isLink ? shown.replace(HOSTS, shownHost) : shown
}

function shownHost(host: string): string {
  if (ASCII.test(host)) return host
  const ending = LATIN_ENDING.test(host)
  const isHonest = host
    .split(LABEL_END)
    .every((label) => isOneScript(label) && !(ending && LOOKS_LATIN.test(label)))
  return isHonest ? host : (URL.parse(`http://${host}/`)?.host ?? host)
}

function isOneScript(label: string): boolean {
  if (ASCII.test(label)) return true
  return patterns().some((pattern) => pattern.test(label))
}

let compiled: RegExp[] | undefined

/** Compiled at the first host that isn't ASCII. */
function patterns(): RegExp[] {
  compiled ??= [...SCRIPTS.map((script) => [script]), ...COMBINED_SCRIPTS].map((scripts) => {
    const letters = scripts.map((script) => `\\p{scx=${script}}`).join('')
    return new RegExp(`^[${letters}\\p{sc=Common}\\p{sc=Inherited}]*$`, 'u')
  })
  return compiled
}
