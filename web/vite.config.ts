import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { defineConfig, type Plugin } from 'vite'
import solid from 'vite-plugin-solid'

const HERE = import.meta.dirname
/** The server that `bun run dev` forwards requests to. */
const SERVER = 'http://127.0.0.1:3000'
/** Browsers of the last two years. Older ones lack `light-dark()`, which the themes need. */
const BROWSERS = ['chrome123', 'firefox120', 'safari17.5']

/** All modules but those that only tickets, mails, chats and forms need, which come later. */
const SHARED =
  /^(?!.*\/web\/(?:formatting|sign-in|inbox\/(?:palette|rail|list\/ticket-row)|ticket\/(?:attachments|changes|chats|customer|draft|ticket-names|composer|focus-in-pane|header|list-cache|mail|marked|recipients|outgoing|thread|ticket-query|visitor|telegram)|forms\/(?:form|password-field)|live\/channel-problems|ui\/(?:checkbox|nav-link)|browser\/notification-setting)[/.])/
/** Parts of the inbox that the settings have too: they load nothing else of it. */
const PARTS =
  /\/web\/(?:inbox\/(?:palette\/palette|list\/ticket-row)|ticket\/(?:draft\/drafts|composer\/variables|ticket-names|focus-in-pane)|formatting\/(?:formatted-text|formatted-field|load-editor|writing-field|apply-edit)|ui\/(?:nav-link|docs-link)|browser\/writing-setting)\.(?:tsx?|css)$/
/** What is loaded before the inbox can be used, with what it imports. */
const FIRST_VIEW = ['main.tsx', 'inbox/inbox-page.tsx', 'ticket/ticket-pane.tsx']
/** The list and the ticket beside it. */
const INBOX = /\/web\/(?:inbox\/inbox-page|ticket\/ticket-pane)\.tsx$/
/** What a ticket shows a moment later, the bar of selected tickets, and what opens over the list. */
const LATER =
  /\/server\/formatting\/cut-quotes|\/web\/(?:inbox\/(?:list\/bulk-bar|rail\/saved-view-menu|search\/(?:suggestions|search-filters)|quick-pickers)|ticket\/(?:attachments\/(?:drop-target|upload-queue)|customer\/customer-(?:card|panel|query)|changes\/(?:follow|action-words)|moves\/(?:merge-target|move-line|moves\.ts)|composer\/(?:waiting-replies|reply-problem|other-draft|mention-picker)|header\/(?:ticket-menu|followers|snooze-line)|mail\/(?:message-|mail-body|failed-send)|thread\/(?:activity-lines|waiting-reply-card|sending-message-card)))/
/** What formats a text, in the editor and in the plain field. */
const TOOLBAR = /\/web\/formatting\/(?:format-toolbar|link-|markdown-edits|textarea-formats|typing)/
/** The form to sign in, which the inbox has for when the session ends, and what all forms have. */
const FORMS =
  /\/web\/(?:forms\/(?:form|create-form|password-field)|sign-in\/(?:credentials-form|sign-in-form))\./
/** What every page loads a moment later. */
const ANYWHERE =
  /\/web\/(?:inbox\/palette\/palette-|live\/(?:notified|push-subscription)|ticket\/(?:composer\/apply-saved-reply|outgoing\/(?:new-tickets|outgoing-mail)))/

export default defineConfig({
  root: HERE,
  plugins: [smallIcons(), solid(), firstPaint(), installableApp()],
  build: {
    outDir: join(HERE, '../dist/web'),
    emptyOutDir: true,
    target: 'es2022',
    cssTarget: BROWSERS,
    // Files, not data: URLs, so that browsers cache each on its own.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // Modules that at least three pages share are one file, because ten small files compress worse. So are those that are
    // always loaded together, because each file is a request. Each group takes what its modules import along.
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            { name: byFirstView('shared'), minShareCount: 3, test: SHARED, priority: 4 },
            { name: 'index', test: /\/web\/main\.tsx$/, priority: 3 },
            {
              name: byFirstView('icons', 'later-icons'),
              minShareCount: 2,
              // Those of a password's field are a part of it: the sign-in needs no other.
              test: /\/lucide-solid\/(?!.*\/eye)/,
              priority: 2,
            },
            { name: 'parts', test: PARTS, priority: 2 },
            { name: 'inbox', test: INBOX, priority: 1 },
            { name: 'later', test: LATER },
            { name: 'toolbar', test: TOOLBAR },
            { name: 'forms', test: FORMS },
            { name: 'anywhere', test: ANYWHERE },
          ],
        },
      },
    },
    sourcemap: false,
    reportCompressedSize: false,
  },
  server: {
    host: '127.0.0.1',
    port: 5173,
    proxy: { '/v1': SERVER, '/console': SERVER, '/health': SERVER, '/docs': SERVER },
  },
})

/**
 * Names the file of modules by whether the first view imports them, itself or through others: what only later parts share
 * is in another one, or in none.
 */
function byFirstView(first: string, later?: string) {
  let modules: Set<string> | undefined
  return (id: string, graph: ModuleGraph): string | null => {
    modules ??= modulesOf(FIRST_VIEW, graph)
    return modules.has(id) ? first : (later ?? null)
  }
}

interface ModuleGraph {
  getModuleInfo(id: string): { readonly importedIds: readonly string[] } | null
}

/** The modules with these paths and all that they import, but not what is loaded later. */
function modulesOf(paths: string[], graph: ModuleGraph): Set<string> {
  const found = new Set(paths.map((path) => join(HERE, path)))
  for (const id of found)
    for (const imported of graph.getModuleInfo(id)?.importedIds ?? []) found.add(imported)
  return found
}

/** Vite ignores `first-paint.js`, because it isn't a module. This adds it as a hashed file, like all others. */
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

/** Takes what nothing reads out of the icons: the keys of their parts, and a second name that Rolldown keeps a statement of. */
function smallIcons(): Plugin {
  return {
    name: 'small-icons',
    apply: 'build',
    enforce: 'pre',
    transform: {
      filter: { id: /\/lucide-solid\/.*\/icons\// },
      handler: (code) =>
        code.replaceAll(/, key: "\w+"/g, '').replace('__iconNode = __iconData.node', '__iconNode = []'),
    },
  }
}

/** What browsers need to install the pages as an app and to show its pushes: manifest, icons, and the worker `/sw.js`. */
function installableApp(): Plugin {
  const folder = join(HERE, 'app')
  const hashed = (name: string, source: string | Uint8Array) => {
    const digest = createHash('sha256').update(source).digest('base64url').slice(0, 8)
    return { fileName: `assets/${name.replace('.', `-${digest}.`)}`, source }
  }
  const icons = ['icon-192.png', 'icon-512.png', 'icon-maskable-512.png'].map((name) => ({
    name,
    ...hashed(name, readFileSync(join(folder, name))),
  }))
  const withIcons = (text: string) =>
    icons.reduce((changed, { name, fileName }) => changed.replace(`"${name}"`, `"/${fileName}"`), text)
  const shown = icons.find(({ name }) => name === 'icon-192.png')
  const manifest = hashed(
    'app.webmanifest',
    withIcons(JSON.stringify(JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8')))),
  )
  const worker = readFileSync(join(folder, 'sw.js'), 'utf8')
    .replace(/^(?:\/\/|\/\*\*).*\n/gm, '')
    .replace("'ICON'", `'/${shown?.fileName}'`)
  return {
    name: 'installable-app',
    apply: 'build',
    buildStart() {
      for (const { fileName, source } of [...icons, manifest])
        this.emitFile({ type: 'asset', fileName, source })
      this.emitFile({ type: 'asset', fileName: 'sw.js', source: worker })
    },
    transformIndexHtml: () => [
      { tag: 'link', attrs: { rel: 'manifest', href: `/${manifest.fileName}` }, injectTo: 'head' },
    ],
  }
}
