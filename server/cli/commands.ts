import type { Command } from 'commander'
import type { Deps } from '../deps.ts'
import { print, printFacts, printJson, printTable } from './output.ts'
import { type OwnedResource, withOrganization, withOwner } from './with-deps.ts'

const ORG = 'id or name of the organization'

interface Created<Options, Result> {
  description: string
  run(deps: Deps, orgId: string, options: Options): Promise<Result>
  print(result: Result, options: Options): void
}

/** Adds a command of an organization, such as `create --org <org>`. */
export function addOfOrg<Options, Result>(
  parent: Command,
  name: string,
  { description, run, print }: Created<Options, Result>,
): Command {
  return parent
    .command(name)
    .description(description)
    .requiredOption('--org <org>', ORG)
    .action(async (options: Options & { org: string }) => {
      print(await withOrganization(options.org, (deps, { id }) => run(deps, id, options)), options)
    })
}

interface Listed<Row, Options> {
  description: string
  find(deps: Deps, orgId: string, options: Options): Promise<Row[]>
  /** A cell by the head of its column. */
  columns: Record<string, (row: Row) => string>
  whenEmpty: string
}

/** Adds `list --org <org> --json`. Returns it, for more options. */
export function addList<Row, Options = object>(
  parent: Command,
  { description, find, columns, whenEmpty }: Listed<Row, Options>,
): Command {
  return addOfOrg<Options & { json?: true }, Row[]>(parent, 'list', {
    description,
    run: find,
    print: (rows, { json }) =>
      json
        ? printJson(rows)
        : printTable(
            Object.keys(columns),
            rows.map((row) => Object.values(columns).map((cell) => cell(row))),
            whenEmpty,
          ),
  }).option('--json', 'print JSON')
}

interface OnOne<Result, Options> {
  what: OwnedResource
  description: string
  /** Throws `UsageError`, before anything is opened. */
  check?(options: Options): void
  run(deps: Deps, orgId: string, id: string, options: Options): Promise<Result>
  print(result: Result, id: string): void
}

/** Adds a command of one resource, such as `pause <id>`. Returns it, for more options. With `--json`, the result is printed. */
export function addOnOne<Result, Options = object>(
  parent: Command,
  name: string,
  { what, description, check, run, print }: OnOne<Result, Options>,
): Command {
  return parent
    .command(/ /.test(name) ? name : `${name} <id>`)
    .description(description)
    .action(async (named: string, options: Options & { org?: string; json?: true }) => {
      check?.(options)
      const result = await withOwner(what, { named, org: options.org }, (deps, orgId) =>
        run(deps, orgId, named, options),
      )
      if (options.json) printJson(result)
      else print(result, named)
    })
}

interface Account<Row, View> {
  what: 'mailbox' | 'bot' | 'widget'
  list(deps: Deps, orgId: string): Promise<Row[]>
  read(deps: Deps, orgId: string, id: string): Promise<Row>
  viewAll(deps: Deps, orgId: string, rows: Row[]): Promise<View[]>
  /** Descriptions of the commands. */
  described: { list: string; show: string }
  columns: Record<string, (view: View) => string>
  whenEmpty: string
  facts(view: View): Record<string, string>
}

/** Adds `list --org <org>` and `show <id>`, which print the same with `--json`. */
export function addListAndShow<Row, View>(
  parent: Command,
  { what, list, read, viewAll, described, columns, whenEmpty, facts }: Account<Row, View>,
): void {
  addList(parent, {
    description: described.list,
    find: async (deps, orgId) => viewAll(deps, orgId, await list(deps, orgId)),
    columns,
    whenEmpty,
  })
  addOnOne(parent, 'show', {
    what,
    description: described.show,
    run: async (deps, orgId, id) => (await viewAll(deps, orgId, [await read(deps, orgId, id)]))[0],
    print: (view) => view && printFacts(facts(view)),
  }).option('--json', 'print JSON')
}

type Verb = Pick<OnOne<unknown, object>, 'description' | 'run'>

/** Adds `pause <id>`, `resume <id>`, and `remove <id>` to the command of a mailbox, bot, or widget. */
export function addStateCommands(
  parent: Command,
  what: 'mailbox' | 'bot' | 'widget',
  { pause, resume, remove }: Record<'pause' | 'resume' | 'remove', Verb>,
): void {
  addOnOne(parent, 'pause', { what, ...pause, print: (_, id) => print(`${id} is paused.`) })
  addOnOne(parent, 'resume', { what, ...resume, print: (_, id) => print(`${id} is active.`) })
  addOnOne(parent, 'remove', { what, ...remove, print: (_, id) => print(`Removed ${id}.`) })
}
