import type { Command } from 'commander'
import { viewWidget } from '../../channels/widget/widgets/views.ts'
import type { WidgetChange } from '../../channels/widget/widgets/widget-rows.ts'
import {
  pauseWidget,
  removeWidget,
  resumeWidget,
  rotateIdentitySecret,
  rotateWidgetKey,
} from '../../channels/widget/widgets/widget-state.ts'
import {
  createWidget,
  type KeyedWidget,
  listWidgets,
  readWidget,
  updateWidget,
} from '../../channels/widget/widgets/widgets.ts'
import {
  WIDGET_LANGUAGES,
  WIDGET_POSITIONS,
  WIDGET_THEMES,
  type WidgetAppearance,
} from '../../database/tables/widgets.ts'
import type { Deps } from '../../deps.ts'
import { UsageError } from '../../errors.ts'
import { addListAndShow, addOfOrg, addOnOne, addStateCommands } from '../commands.ts'
import { collect, oneOf } from '../option-values.ts'
import { formatTime, note, print } from '../output.ts'
import { serverUrl } from '../with-deps.ts'

const what = 'widget'

export function addWidget(program: Command): void {
  const widget = program.command(what).description('create and manage website widgets')
  addCreate(widget)
  addListAndShow(widget, {
    what,
    list: listWidgets,
    read: readWidget,
    viewAll: async (deps, _, rows) => rows.map((row) => view(deps, row)),
    described: {
      list: 'list the widgets of an organization with their state, oldest first',
      show: 'show the settings and the snippet of a widget',
    },
    columns: {
      ID: ({ id }) => id,
      NAME: ({ name }) => name,
      STATE: ({ state }) => state,
      WEBSITES: ({ origins }) => origins.join(','),
      'LAST SEEN': ({ seen }) => formatTime(seen?.at ?? null),
      DETAIL: ({ detail }) => detail,
    },
    whenEmpty: 'No widgets yet. Create one with: bellhop widget create',
    facts: ({ appearance, refused, ...one }) => ({
      id: one.id,
      name: one.name,
      state: `${one.state}: ${one.detail}`,
      websites: one.origins.join(', '),
      title: appearance.title,
      color: appearance.color,
      position: appearance.position,
      theme: appearance.theme,
      language: appearance.language,
      'who can write': one.verifiedOnly ? 'verified users' : 'everyone',
      'last seen': formatTime(one.seen?.at ?? null),
      'last refused': refused ? `${refused.url} at ${formatTime(refused.at)}` : '-',
      key: one.key,
      snippet: one.snippet,
    }),
  })
  addUpdate(widget)
  addStateCommands(widget, what, {
    pause: { description: 'hide a widget on all websites until it is resumed', run: pauseWidget },
    resume: { description: 'show a widget again', run: resumeWidget },
    remove: { description: 'remove a widget and its key; its conversations stay', run: removeWidget },
  })
  addRotate(widget)
}

type SettingsOptions = Partial<WidgetAppearance> & {
  name?: string
  origin?: string[]
  verifiedOnly?: boolean
}

type CreateOptions = SettingsOptions & {
  name: string
  origin: string[]
  identitySecret?: true
  json?: true
}

function addCreate(widget: Command): void {
  const command = addOfOrg(widget, 'create', {
    description: 'create a widget and print the snippet for the website',
    run: async (deps, orgId, given: CreateOptions) => {
      const { name, origin: origins } = given
      const made = await createWidget(deps, orgId, { ...settingsOf(given), name, origins })
      return { ...view(deps, made.widget), identitySecret: made.identitySecret }
    },
    print: ({ id, key, snippet, identitySecret }, options) => {
      const secret = options.identitySecret && { identitySecret }
      if (options.json) return print(JSON.stringify({ id, key, snippet, ...secret }))
      print(snippet)
      if (secret) print(identitySecret)
    },
  })
    .requiredOption('--name <name>', 'a name for your team')
    .requiredOption(
      '--origin <origin>',
      'website that may show it, such as https://example.com or https://*.example.com; repeat it for several',
      collect,
    )
  withSettings(command)
    .option('--identity-secret', 'also print the secret that signs users; it is shown only once')
    .option('--json', 'print {"id","key","snippet"}')
}

/** Options of `create` and `update`. */
function withSettings(command: Command): Command {
  return command
    .option('--title <title>', 'the name at the top of the panel')
    .option('--greeting <text>', 'shown before the first message')
    .option('--color <color>', 'such as #2563eb')
    .option('--position <position>', WIDGET_POSITIONS.join(' or '), oneOf(WIDGET_POSITIONS))
    .option('--theme <theme>', WIDGET_THEMES.join(', '), oneOf(WIDGET_THEMES))
    .option('--language <language>', `of its texts: ${WIDGET_LANGUAGES.join(', ')}`, oneOf(WIDGET_LANGUAGES))
    .option('--verified-only', 'only users that the website has signed in can write')
}

function settingsOf({ name, origin, verifiedOnly, ...given }: SettingsOptions): WidgetChange {
  const { title, greeting, color, position, theme, language } = given
  const appearance = Object.entries({ title, greeting, color, position, theme, language }).filter(
    ([, value]) => value !== undefined,
  )
  return {
    ...(name !== undefined && { name }),
    ...(origin !== undefined && { origins: origin }),
    ...(verifiedOnly !== undefined && { verifiedOnly }),
    ...(appearance.length > 0 && { appearance: Object.fromEntries(appearance) }),
  }
}

function addUpdate(widget: Command): void {
  const command = addOnOne(widget, 'update', {
    what,
    description: 'change the settings of a widget',
    check: (given: SettingsOptions) => {
      if (Object.keys(settingsOf(given)).length > 0) return
      throw new UsageError('Give at least one setting to change.')
    },
    run: async (deps, orgId, id, given) =>
      view(deps, await updateWidget(deps, orgId, { id, change: settingsOf(given) })),
    print: (_, id) => print(`Changed ${id}.`),
  })
    .option('--name <name>', 'a name for your team')
    .option(
      '--origin <origin>',
      'website that may show it, replacing all others; repeat it for several',
      collect,
    )
  withSettings(command).option('--no-verified-only', 'everyone can write').option('--json', 'print JSON')
}

function addRotate(widget: Command): void {
  addOnOne(widget, 'rotate', {
    what,
    description: 'replace the public key or the identity secret, and print the new snippet or secret',
    check: ({ key, identitySecret }: { key?: true; identitySecret?: true }) => {
      if (key === identitySecret) throw new UsageError('Give either --key or --identity-secret.')
    },
    run: async (deps, orgId, id, { key }) => {
      if (key) return { printed: view(deps, await rotateWidgetKey(deps, orgId, id)).snippet }
      const made = await rotateIdentitySecret(deps, orgId, id)
      const { previousSecretUntil: until } = view(deps, made.widget)
      return {
        printed: made.identitySecret,
        more: `The previous secret is accepted until ${formatTime(until)}.`,
      }
    },
    print: ({ printed, more }) => {
      print(printed)
      if (more) note(more)
    },
  })
    .option('--key', 'the snippet with the previous key stops working at once')
    .option('--identity-secret', 'the previous secret is accepted for 24 more hours')
}

function view({ config }: Pick<Deps, 'config'>, widget: KeyedWidget) {
  return viewWidget(widget, serverUrl(config))
}
