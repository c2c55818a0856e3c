import type { Source } from './sources.ts'

/** Returns one sentence per violation in a file. */
export type Rule = (source: Source) => string[]

/**
 * Folders of `server`, lowest first. A folder imports only from earlier lines. A folder or file inside one can have
 * its own.
 */
const LAYERS = [
  ['text', 'machine', 'channels/kinds.ts'],
  ['database', 'network'],
  ['cluster'],
  ['requests'],
  ['responses'],
  ['formatting'],
  ['audit'],
  ['jobs'],
  ['events'],
  ['reactions'],
  ['channels/accounts'],
  ['customers', 'attachments', 'webhooks', 'idempotency', 'suggestions/close-suggestions.ts'],
  ['channels/channel.ts'],
  ['messages/sends'],
  ['tickets', 'organizations'],
  ['backup'],
  ['api-keys', 'export'],
  ['agents'],
  ['sessions'],
  ['suggestions'],
  ['search', 'saved-replies', 'threads'],
  ['saved-views', 'messages', 'moves', 'imports', 'attachments/api'],
  ['inbox', 'erasure', 'tags', 'customers/directory'],
  ['live', 'customers/api'],
  ['notifications', 'events/api'],
  ['webhooks/api'],
  ['channels'],
  ['mcp', 'oauth'],
  ['doctor'],
  ['http'],
  ['demo'],
  ['cli'],
]
/** Route files can also import the guards that identify the caller. */
const ROUTE_FILES = /\/(?:v1|(?:[\w-]+-)?routes)\.ts$/
const IDENTITIES = ['agents', 'api-keys', 'sessions']
/** These files compose the program. Every other file directly in `server` is a leaf. */
const COMPOSITION = [
  'server/main.ts',
  'server/service.ts',
  'server/deps.ts',
  'server/open-deps.ts',
  'server/config.ts',
]

/** Exceptions to the rules. */
const ENVIRONMENT_READERS = [
  'server/machine/settings-file.ts',
  'server/database/columns.ts',
  'server/machine/sd-notify.ts',
  'web/build.ts',
]
const CLOCKS: Record<string, RegExp> = {
  'server/clock.ts': /./,
  // Duration of a flush, and pauses between attempts to take a lock or open the file.
  'server/database/sqlite/sqlite.ts': /performance|setTimeout/,
  // How long results wait for others, and an attempt takes that the main thread doesn't see begin.
  'server/webhooks/deliveries/post-worker.ts': /performance|setTimeout/,
  // When a thread without work ends.
  'server/database/database-thread.ts': /setTimeout/,
  // Keeps a command alive while a thread reads the database.
  'server/doctor/examine.ts': /setTimeout/,
  'server/database/migrate.ts': /Bun\.sleepSync/,
}
const READS_ENVIRONMENT = /\b(?:process|Bun|import\.meta)\.env\b/
const TIME = /\bDate\.now\b|\bnew Date\(\)|\bperformance\b|\bset(?:Timeout|Interval)\b|\bBun\.sleep\w*/g
/** The colors of the pages, which the documentation also uses. */
const DESIGN_TOKENS = 'web/ui/tokens.css'
/** The server modules whose values the web imports, and their parts: no framework, no database. */
const PAGE_MODULES = [
  'server/search/fold.ts',
  'server/search/query-language.ts',
  'server/formatting/cut-quotes.ts',
  'server/formatting/inline.ts',
  'server/formatting/inline-markdown.ts',
  'server/formatting/markdown.ts',
  'server/formatting/plain-text.ts',
  'server/formatting/links.ts',
  'server/formatting/shown-address.ts',
  'server/formatting/to-markdown.ts',
  'server/text/direction-controls.ts',
  'server/text/sizes.ts',
]
const PURE = [
  ...PAGE_MODULES,
  'server/search/index-words.ts',
  'server/dates.ts',
  'server/formatting/email-html.ts',
  'server/formatting/message-html.ts',
  'server/formatting/page-html.ts',
]
/** What is looked up without knowing the organization. */
const DIRECTORY = 'server/organizations/directory.ts'
const LOOKUP_OVER_ALL =
  /\beq\((?:apiKeys\.hash|organizations\.name)\b|\.groupBy\(agents\.emailKey\)|\.from\(organizations\)\s*\.limit\b|\.from\(organizations\)\s*\.orderBy\(asc\(organizations\.createdAt/g
const VAGUE_NAME = /(?:^|[/.-])(?:utils?|helpers?|shared|common|lib|misc)(?=[/.-])/
const SUPPRESSION = /(?:biome[-]ignore|@ts[-](?:ignore|nocheck|expect-error)|eslint[-]disable)[\w-]*/g
const ANY = /(?:[:<,|&=]|\bas)\s*any\b/g
const DRIZZLE = /^drizzle-orm\b/

/** Where a channel is known by name: its room and table, the widget that leads to it, the list of all, and the demo. */
const KNOWS_TELEGRAM =
  /^server\/(?:channels\/(?:telegram|widget)\/|channels\/(?:registry|kinds)\.ts|database\/tables\/bots\.ts|demo\/)/
/** Its settings and columns, which have the name in them, and what its room doesn't contribute through the contract yet. */
const TELEGRAM_ELSEWHERE = [
  'server/cli/channels/bot.ts',
  'server/config.ts',
  'server/database/tables/messages.ts',
  'server/database/tables/organizations.ts',
  'server/database/tables/widgets.ts',
  'server/doctor/check-channels.ts',
  'server/doctor/check-clock.ts',
  'server/doctor/check-deliveries.ts',
  'server/doctor/check-dns.ts',
  'server/export/missing-columns.ts',
  'server/export/record-kinds.ts',
  'server/http/app.ts',
  'server/http/data-metrics.ts',
  'server/http/docs/guides.ts',
  'server/machine/recorded-settings.ts',
  'server/organizations/checklist.ts',
  'server/organizations/routes.ts',
  'server/search/index/read-documents.ts',
  'server/search/query-language.ts',
  'server/threads/timeline.ts',
  'server/tickets/queries.ts',
  'server/tickets/receive-message.ts',
]
const TELEGRAM = /telegram/i

/** Every exception above, and whether a file still needs it. */
export const EXCEPTIONS: { path: string; isNeeded: (source: Source) => boolean }[] = [
  ...ENVIRONMENT_READERS.map((path) => ({
    path,
    isNeeded: ({ code }: Source) => READS_ENVIRONMENT.test(code),
  })),
  ...Object.entries(CLOCKS).map(([path, allowed]) => ({
    path,
    isNeeded: ({ code }: Source) => found(code, TIME).some((use) => allowed.test(use)),
  })),
  ...TELEGRAM_ELSEWHERE.map((path) => ({ path, isNeeded: namesTelegram })),
]

function namesTelegram({ text, code, imports }: Source): boolean {
  return (
    TELEGRAM.test(code) ||
    /['"]telegram['"]/.test(text) ||
    imports.some(({ target }) => TELEGRAM.test(target))
  )
}

export const RULES: Record<string, Rule> = {
  'no room but its own knows the channel Telegram by name'(source) {
    if (!source.path.startsWith('server/') || KNOWS_TELEGRAM.test(source.path)) return []
    if (TELEGRAM_ELSEWHERE.includes(source.path)) return []
    return namesTelegram(source) ? ['names the channel Telegram'] : []
  },

  'a folder of the server imports only folders below it'(source) {
    const folder = folderOf(source.path)
    if (!folder) return []
    const own = layerOf(folder)
    if (own < 0) return [`the folder ${folder} is new: give it its place in LAYERS`]
    return importedFolders(source).flatMap((imported) => {
      if (imported === folder || layerOf(imported) < own) return []
      if (ROUTE_FILES.test(source.path) && IDENTITIES.includes(imported)) return []
      return [`${folder} may not import ${imported}`]
    })
  },

  'a leaf file of the server imports no folder, and only the program itself imports what puts it together'(
    source,
  ) {
    if (!source.path.startsWith('server/')) return []
    const isLeaf = folderOf(source.path) === undefined && !COMPOSITION.includes(source.path)
    const isProgram = folderOf(source.path) === 'cli' || COMPOSITION.includes(source.path)
    return source.imports.flatMap(({ target }) => {
      if (isLeaf && folderOf(target)) return [`a leaf imports ${target}`]
      const isComposition = target === 'server/main.ts' || target === 'server/service.ts'
      return isComposition && !isProgram ? [`imports ${target}`] : []
    })
  },

  'the server imports neither the web nor the tests, and the web only types of the API, the grammar of a search and the formatting of messages'(
    source,
  ) {
    return source.imports.flatMap(({ target, isTypeOnly }) => {
      if (source.path.startsWith('server/')) {
        return /^(web|test)\//.test(target) && target !== DESIGN_TOKENS ? [`imports ${target}`] : []
      }
      if (!source.path.startsWith('web/') || !/^(server|test)\//.test(target)) return []
      const isAllowed = PAGE_MODULES.includes(target) || (isTypeOnly && target === 'server/http/app.ts')
      return isAllowed ? [] : [`imports ${target}`]
    })
  },

  'what the page uses of the server imports only types, and what is as pure'(source) {
    if (!PURE.includes(source.path)) return []
    return source.imports.flatMap(({ target, isTypeOnly }) =>
      isTypeOnly || PURE.includes(target) ? [] : [`imports ${target}`],
    )
  },

  'the environment is read where it becomes settings'(source) {
    if (!isProduct(source) || ENVIRONMENT_READERS.includes(source.path)) return []
    return found(source.code, /\b(?:process|Bun|import\.meta)\.env\b/g)
  },

  'bun:sqlite is used in server/database only'(source) {
    if (!isProduct(source) || folderOf(source.path) === 'database') return []
    // It locks a file, without any SQL of the product.
    if (source.path === 'web/build.ts') return []
    return source.imports.flatMap(({ target }) => (target === 'bun:sqlite' ? [`imports ${target}`] : []))
  },

  'lookups over all organizations are in the directory'(source) {
    if (!source.path.startsWith('server/') || source.path === DIRECTORY) return []
    return found(source.code, LOOKUP_OVER_ALL)
  },

  'time comes from the clock of deps'(source) {
    if (!source.path.startsWith('server/')) return []
    const uses = [...found(source.code, TIME), ...source.imports.map(({ target }) => target).filter(isTimer)]
    return uses.filter((use) => !CLOCKS[source.path]?.test(use))
  },

  'names say what is inside: no utils, helpers, shared, common, lib or misc'(source) {
    return VAGUE_NAME.test(source.path) ? ['its name says nothing'] : []
  },

  'no barrels'(source) {
    const isIndex = /\/index\.tsx?$/.test(source.path)
    return [...(isIndex ? ['is an index'] : []), ...found(source.code, /\bexport\s+(?:type\s+)?\*/g)]
  },

  'relative imports have their extension'({ imports }) {
    return imports
      .filter(({ target, isRelative }) => isRelative && !/\.\w+(?:\?inline)?$/.test(target))
      .map(({ target }) => `imports ${target}`)
  },

  'no Suspense: while anything loads it removes the page, and the focus with it'(source) {
    return source.path.startsWith('web/') ? found(source.code, /\bSuspense\b|\buseTransition\b/g) : []
  },

  'the keys of queries come from web/api/query-keys.ts'(source) {
    if (!source.path.startsWith('web/')) return []
    return found(
      source.text,
      /\bqueryKey: (?:\[\s*['"`]\w+|string)|\b(?:showSaved|[gs]etQueryData)(?:<[^>]*>)?\(\s*\[/g,
    )
  },

  'no any, and nothing that silences the compiler or the linter'({ code, text }) {
    return [...found(code, ANY), ...found(text, SUPPRESSION)]
  },

  'verbs and views know no HTTP: Elysia is used in http, in route files, in schemas and in require-*'(
    source,
  ) {
    const mayUse = /\/(?:v1|(?:[\w-]+-)?routes|schemas)\.ts$|\/require-[\w-]+\.ts$|^server\/http\//
    if (!source.path.startsWith('server/') || mayUse.test(source.path)) return []
    return source.imports
      .filter(({ target, isTypeOnly }) => /^@?elysia/.test(target) && !isTypeOnly)
      .map(({ target }) => `imports ${target}`)
  },

  'routes, schemas and views hold no queries'(source) {
    if (!/^server\/.*\/(?:v1|(?:[\w-]+-)?routes|schemas|views|require-[\w-]+)\.ts$/.test(source.path))
      return []
    return source.imports
      .filter(({ target }) => DRIZZLE.test(target) || target === 'server/database/statement.ts')
      .map(({ target }) => `imports ${target}`)
  },
}

function isProduct({ path }: Source): boolean {
  return /^(server|web)\//.test(path)
}

function isTimer(target: string): boolean {
  return /^(node:)?timers\b/.test(target)
}

/** `tickets` of `server/tickets/v1.ts`; nothing for a file directly in `server` or elsewhere. */
function folderOf(path: string): string | undefined {
  const [, folder, inside] = /^server\/([^/]+)\/([^/]+)/.exec(path) ?? []
  return layerOf(`${folder}/${inside}`) < 0 ? folder : `${folder}/${inside}`
}

function importedFolders({ imports }: Source): string[] {
  return imports.map(({ target }) => folderOf(target)).filter((folder) => folder !== undefined)
}

function layerOf(folder: string): number {
  return LAYERS.findIndex((layer) => layer.includes(folder))
}

function found(text: string, pattern: RegExp): string[] {
  return [...text.matchAll(pattern)].map(([match]) => match.replaceAll(/\s+/g, ' '))
}
