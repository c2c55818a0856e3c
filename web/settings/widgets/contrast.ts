/** `#rrggbb` */
const COLOR = /^#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})$/i

/** The text on a color, and how well both can be seen. Ratios are those of WCAG 2.2, from 1 to 21. */
interface ColorCheck {
  text: 'white' | 'black'
  textContrast: number
  /** Contrast of the color with a white page and with a black one. */
  onWhite: number
  onBlack: number
}

/** Undefined for what isn't a color. */
export function checkColor(color: string): ColorCheck | undefined {
  const luminance = luminanceOf(color)
  if (luminance === undefined) return undefined
  const onWhite = 1.05 / (luminance + 0.05)
  const onBlack = (luminance + 0.05) / 0.05
  return {
    text: onWhite >= onBlack ? 'white' : 'black',
    textContrast: Math.max(onWhite, onBlack),
    onWhite,
    onBlack,
  }
}

/** Relative luminance (WCAG 2.2), from 0 to 1. */
function luminanceOf(color: string): number | undefined {
  const match = COLOR.exec(color.trim())
  if (!match) return undefined
  const [red = 0, green = 0, blue = 0] = match.slice(1).map((part) => {
    const share = Number.parseInt(part, 16) / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}
