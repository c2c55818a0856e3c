import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { minify } from 'terser'
import { build, type InlineConfig, type Plugin } from 'vite'
import solid from 'vite-plugin-solid'

const HERE = import.meta.dirname
/** Browsers of the last four years: visitors choose theirs themselves. */
const BROWSERS = ['es2022', 'chrome105', 'firefox110', 'safari16.4']

/** Vite leaves libraries readable, for those who build with them. */
const SMALL = { minify: true }
/** Three percent smaller: Vite doesn't put what is used once in its place. */
const smallest: Plugin = {
  name: 'smallest',
  async generateBundle(_options, bundle) {
    for (const chunk of Object.values(bundle)) {
      if (chunk.type !== 'chunk') continue
      const { code } = await minify(chunk.code, {
        module: true,
        ecma: 2020,
        compress: { passes: 3, hoist_funs: true, unsafe_arrows: true },
      })
      chunk.code = code ?? chunk.code
    }
  },
}

const [outDir] = process.argv.slice(2)
if (!outDir) throw new Error('The folder to build into is missing.')

// As libraries, because in the scripts of pages Vite waits for imports by the page's own Promise, which may be broken.
await build(
  configOf({
    // Events of a shadow root don't always reach the document, where Solid would wait for them.
    plugins: [solid({ solid: { delegateEvents: false } }), smallest],
    resolve: {
      alias: [
        { find: /^solid-js$/, replacement: join(HERE, 'runtime/reactive.ts') },
        { find: /^solid-js\/web$/, replacement: join(HERE, 'runtime/dom.ts') },
      ],
    },
    build: {
      outDir: join(outDir, 'assets'),
      lib: { entry: join(HERE, 'app.tsx'), formats: ['es'] },
      rolldownOptions: {
        preserveEntrySignatures: 'allow-extension',
        output: {
          ...SMALL,
          entryFileNames: '[name]-[hash].js',
          chunkFileNames: '[name]-[hash].js',
          // One file compresses better than many.
          codeSplitting: { groups: [{ name: 'app', test: /\/widget\/(?:runtime\/\w+\.ts|app\.tsx)$/ }] },
        },
      },
    },
  }),
)
const app = readdirSync(join(outDir, 'assets')).find((name) => /^app-.*\.js$/.test(name))
await build(
  configOf({
    plugins: [smallest],
    define: { APP_FILE: JSON.stringify(app) },
    build: {
      outDir,
      lib: { entry: join(HERE, 'loader.ts'), formats: ['iife'], name: 'bellhop' },
      rolldownOptions: { output: { ...SMALL, entryFileNames: 'widget.js' } },
    },
  }),
)
function configOf(own: InlineConfig): InlineConfig {
  const { plugins, define, resolve, build: options } = own
  return {
    configFile: false,
    root: HERE,
    logLevel: 'error',
    publicDir: false,
    ...(plugins && { plugins }),
    ...(resolve && { resolve }),
    define: { 'process.env.NODE_ENV': '"production"', ...define },
    build: {
      ...options,
      target: BROWSERS,
      emptyOutDir: false,
      sourcemap: false,
      reportCompressedSize: false,
    },
  }
}
