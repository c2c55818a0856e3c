import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** Gzipped: the loader, and everything else that a visitor loads. */
const MAX_BYTES = { loader: 3 * 1_024, widget: 20 * 1_024 }
const LANGUAGES = ['de', 'en', 'es', 'fr', 'pt']

/** Throws when a part of the built widget is too large for the pages of others. A visitor loads one language. */
export function checkWidgetSize(folder: string): void {
  const assets = readdirSync(join(folder, 'assets'))
  const sizeOf = (name: string) => {
    const file = assets.find((asset) => asset.startsWith(`${name}-`) && asset.endsWith('.js.gz'))
    if (!file) throw new Error(`The widget has no part "${name}".`)
    return statSync(join(folder, 'assets', file)).size
  }
  const loader = statSync(join(folder, 'widget.js.gz')).size
  const sizes = { loader, widget: sizeOf('app') + Math.max(...LANGUAGES.map(sizeOf)) }
  for (const part of ['loader', 'widget'] as const) {
    if (sizes[part] <= MAX_BYTES[part]) continue
    throw new Error(
      `The widget is too large: "${part}" is ${sizes[part]} bytes gzipped, and the limit is ${MAX_BYTES[part]}.`,
    )
  }
}
