import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'

const MIN_TEXT_CONTRAST = 4.5
/** For marks and rings, which are no text (WCAG 2.2, 1.4.11). */
const MIN_MARK_CONTRAST = 3
const SURFACES = ['canvas', 'panel', 'raised']
const PEOPLE = [1, 2, 3, 4, 5, 6]

/** Colors of text, with the backgrounds it is on. */
const TEXTS: [ink: string, grounds: string[]][] = [
  [
    'text-strong',
    [...SURFACES, 'lifted', 'selected', 'hover on canvas', 'hover on panel', 'hover on raised'],
  ],
  ['text', [...SURFACES, 'selected', 'hover on canvas', 'hover on panel', 'hover on raised']],
  ['text-muted', [...SURFACES, 'selected', 'hover on canvas', 'hover on panel', 'hover on raised']],
  ['accent-ink', [...SURFACES, 'selected', 'accent-soft']],
  ['on-accent', ['accent', 'accent-hover']],
  ['on-danger', ['danger', 'danger-hover']],
  ...['green', 'amber', 'red'].map((tone): [string, string[]] => [
    `${tone}-ink`,
    [...SURFACES, `${tone}-soft`, 'hover on raised'],
  ]),
  ...PEOPLE.map((person): [string, string[]] => [`person-${person}-ink`, [`person-${person}-soft`]]),
]
const MARKS: [mark: string, grounds: string[]][] = ['focus', 'green-mark', 'amber-mark', 'red-mark'].map(
  (mark) => [mark, SURFACES],
)

const css = await Bun.file(join(import.meta.dir, '../../web/ui/tokens.css')).text()
const TOKEN = /--([\w-]+): light-dark\(((?:[^()]|\([^()]*\))+), ((?:[^()]|\([^()]*\))+)\);/g
const tokens = new Map(
  [...css.matchAll(TOKEN)].map(([, name = '', light = '', dark = '']) => [name, { light, dark }]),
)

describe.each(['light', 'dark'] as const)('in the %s theme', (theme) => {
  test.each(TEXTS)('%s can be read', (ink, grounds) => {
    expect(tooWeak(theme, ink, grounds, MIN_TEXT_CONTRAST)).toEqual([])
  })

  test.each(MARKS)('%s can be seen', (mark, grounds) => {
    expect(tooWeak(theme, mark, grounds, MIN_MARK_CONTRAST)).toEqual([])
  })
})

test('every ink of the tokens is held to a ground', () => {
  const inks = [...tokens.keys()].filter((name) => /^text|-ink$|^on-/.test(name))
  expect(TEXTS.map(([ink]) => ink).sort()).toEqual(inks.sort())
})

function tooWeak(theme: 'light' | 'dark', ink: string, grounds: string[], least: number): string[] {
  return grounds.flatMap((ground) => {
    const ratio = contrast(colour(theme, ink), groundOf(theme, ground))
    return ratio < least ? [`on ${ground}: ${ratio.toFixed(2)}`] : []
  })
}

type Rgb = [red: number, green: number, blue: number]

function groundOf(theme: 'light' | 'dark', ground: string): Rgb {
  const [name = '', below] = ground.split(' on ')
  return colour(theme, name, below ? colour(theme, below) : undefined)
}

/** `#rrggbb`, or `rgb(r g b / a)` on what lies below it. */
function colour(theme: 'light' | 'dark', name: string, below: Rgb = [0, 0, 0]): Rgb {
  const text = tokens.get(name)?.[theme]
  if (!text) throw new Error(`There is no token --${name} of both themes.`)
  if (text.startsWith('#')) {
    const number = Number.parseInt(text.slice(1), 16)
    return [number >> 16, (number >> 8) & 255, number & 255]
  }
  const [red = 0, green = 0, blue = 0, share = 1] = (text.match(/[\d.]+/g) ?? []).map(Number)
  const mixed = [red, green, blue].map((part, at) => part * share + (below[at] ?? 0) * (1 - share))
  return [mixed[0] ?? 0, mixed[1] ?? 0, mixed[2] ?? 0]
}

/** WCAG 2.2, "contrast ratio". */
function contrast(one: Rgb, other: Rgb): number {
  const [lighter = 0, darker = 0] = [luminance(one), luminance(other)].sort((a, b) => b - a)
  return (lighter + 0.05) / (darker + 0.05)
}

function luminance(rgb: Rgb): number {
  const [red = 0, green = 0, blue = 0] = rgb.map((part) => {
    const share = part / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}
