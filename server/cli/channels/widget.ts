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
import { collect, oneOf } from '../option-values.ts'
import { formatTime, note, print, printFacts, printJson, printTable } from '../output.ts'
import { serverUrl, withOrganization, withOwner } from '../with-deps.ts'
import { addStateCommands } from './state-commands.ts'

export function addWidget(program: Command): void {
  const widget = program.command('widget').description('create and manage website widgets')
  addCreate(widget)
  addList(widget)
  addShow(widget)
  addUpdate(widget)
  addStateCommands(widget, 'widget', {
    pause: { description: 'hide a widget on all websites until it is resumed', run: pauseWidget },
    resume: { description: 'show a widget again', run: resumeWidget },
    remove: {
      description: 'remove a widget and its key; its conversations stay',
      run: removeWidget,
    },
  })
  addRotate(widget)
}

interface JsonOption {
  json?: true
}

type SettingsOptions = Partial<WidgetAppearance> & {
  name?: string
  origin?: string[]
  verifiedOnly?: boolean
}

function addCreate(widget: Command): void {
  withSettings(
    widget
      .command('create')
      .description('create a widget and print the snippet for the website')
      .requiredOption('--org <org>', 'id or name of the organization')
      .requiredOption('--name <name>', 'a name for your team')
      .requiredOption(
        '--origin <origin>',
        'website that may show it, such as https://example.com or https://*.example.com; repeat it for several',
        collect,
      ),
  )
    .option('--identity-secret', 'also print the secret that signs users; it is shown only once')
    .option('--json', 'print {"id","key","snippet"}')
    .action(async ({ org, json, identitySecret, ...given }: CreateOptions) => {
      const made = await withOrganization(org, async (deps, { id }) => {
        const { name, origin } = given
        const created = await createWidget(deps, id, { ...settingsOf(given), name, origins: origin })
        return { ...shown(deps, created.widget), identitySecret: created.identitySecret }
      })
      const { id, key, snippet } = made
      const secret = identitySecret && { identitySecret: made.identitySecret }
      if (json) return print(JSON.stringify({ id, key, snippet, ...secret }))
      print(snippet)
      if (secret) print(secret.identitySecret)
    })
}

type CreateOptions = SettingsOptions &
  JsonOption & { org: string; name: string; origin: string[]; identitySecret?: true }

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

function addList(widget: Command): void {
  widget
    .command('list')
    .description('list the widgets of an organization with their state, oldest first')
    .requiredOption('--org <org>', 'id or name of the organization')
    .option('--json', 'print JSON')
    .action(async ({ org, json }: { org: string } & JsonOption) => {
      const found = await withOrganization(org, async (deps, { id }) =>
        (await listWidgets(deps, id)).map((one) => shown(deps, one)),
      )
      if (json) return printJson(found)
      printTable(
        ['ID', 'NAME', 'STATE', 'WEBSITES', 'LAST SEEN', 'DETAIL'],
        found.map(({ id, name, state, origins, seen, detail }) => [
          id,
          name,
          state,
          origins.join(','),
          formatTime(seen?.at ?? null),
          detail,
        ]),
        'No widgets yet. Create one with: bellhop widget create',
      )
    })
}

function addShow(widget: Command): void {
  widget
    .command('show <id>')
    .description('show the settings and the snippet of a widget')
    .option('--json', 'print JSON')
    .action(async (id: string, { json }: JsonOption) => {
      const found = await withOwner('widget', { named: id }, async (deps, orgId) =>
        shown(deps, await readWidget(deps, orgId, id)),
      )
      if (json) return printJson(found)
      const { appearance, refused } = found
      printFacts({
        id: found.id,
        name: found.name,
        state: `${found.state}: ${found.detail}`,
        websites: found.origins.join(', '),
        title: appearance.title,
        color: appearance.color,
        position: appearance.position,
        theme: appearance.theme,
        language: appearance.language,
        'who can write': found.verifiedOnly ? 'verified users' : 'everyone',
        'last seen': formatTime(found.seen?.at ?? null),
        'last refused': refused ? `${refused.url} at ${formatTime(refused.at)}` : '-',
        key: found.key,
        snippet: found.snippet,
      })
    })
}

function addUpdate(widget: Command): void {
  withSettings(
    widget
      .command('update <id>')
      .description('change the settings of a widget')
      .option('--name <name>', 'a name for your team')
      .option(
        '--origin <origin>',
        'website that may show it, replacing all others; repeat it for several',
        collect,
      ),
  )
    .option('--no-verified-only', 'everyone can write')
    .option('--json', 'print JSON')
    .action(async (id: string, { json, ...given }: SettingsOptions & JsonOption) => {
      const change = settingsOf(given)
      if (Object.keys(change).length === 0) throw new UsageError('Give at least one setting to change.')
      const changed = await withOwner('widget', { named: id }, async (deps, orgId) =>
        shown(deps, await updateWidget(deps, orgId, { id, change })),
      )
      if (json) printJson(changed)
      else print(`Changed ${id}.`)
    })
}

function addRotate(widget: Command): void {
  widget
    .command('rotate <id>')
    .description('replace the public key or the identity secret, and print the new snippet or secret')
    .option('--key', 'the snippet with the previous key stops working at once')
    .option('--identity-secret', 'the previous secret is accepted for 24 more hours')
    .action(async (id: string, { key, identitySecret }: { key?: true; identitySecret?: true }) => {
      if (key === identitySecret) throw new UsageError('Give either --key or --identity-secret.')
      const result = await withOwner('widget', { named: id }, async (deps, orgId) => {
        if (key) return { printed: shown(deps, await rotateWidgetKey(deps, orgId, id)).snippet }
        const made = await rotateIdentitySecret(deps, orgId, id)
        const { previousSecretUntil: until } = shown(deps, made.widget)
        return {
          printed: made.identitySecret,
          more: `The previous secret is accepted until ${formatTime(until)}.`,
        }
      })
      print(result.printed)
      if (result.more) note(result.more)
    })
}

function shown({ config }: Pick<Deps, 'config'>, widget: KeyedWidget) {
  return viewWidget(widget, serverUrl(config))
}
