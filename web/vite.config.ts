import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { defineConfig, type Plugin } from 'vite'
import solid from 'vite-plugin-solid'

const HERE = import.meta.dirname
/** Where `bun run dev` expects the server. */
const SERVER = 'http://127.0.0.1:3000'
/** Every browser of the last two years: older ones do not know `light-dark()`, on which both themes stand. */
const BROWSERS = ['chrome123', 'firefox120', 'safari17.5']

export default defineConfig({
  root: HERE,
  plugins: [solid(), firstPaint()],
  build: {
    outDir: join(HERE, '../dist/web'),
    emptyOutDir: true,
    target: 'es2022',
    cssTarget: BROWSERS,
    // As data: addresses they would be allowed, but not cached by themselves.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // Modules that several pages share are one file: split into ten, they compress worse.
    rolldownOptions: { output: { codeSplitting: { groups: [{ name: 'shared', minShareCount: 2 }] } } },
    sourcemap: false,
    reportCompressedSize: false,
  },
  server: {
    host: '127.0.0.1',
    port: 5173,
    proxy: { '/v1': SERVER, '/console': SERVER, '/health': SERVER, '/docs': SERVER },
  },
})

/** `first-paint.js` is no module, so Vite leaves it alone: it becomes a hashed file like all others. */
function firstPaint(): Plugin {
  const source = readFileSync(join(HERE, 'first-paint.js'), 'utf8').replace(/^\/\/.*\n/gm, '')
  const digest = createHash('sha256').update(source).digest('base64url').slice(0, 8)
  const fileName = `assets/first-paint-${digest}.js`
  return {
    name: 'first-paint',
    apply: 'build',
    buildStart() {
      this.emitFile({ type: 'asset', fileName, source })
    },
    transformIndexHtml: {
      order: 'post',
      handler: (html) => html.replace('/first-paint.js', `/${fileName}`),
    },
  }
}
