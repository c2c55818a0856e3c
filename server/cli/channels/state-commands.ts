import type { Command } from 'commander'
import type { Deps } from '../../deps.ts'
import { print } from '../output.ts'
import { withOwner } from '../with-deps.ts'

interface StateCommand {
  description: string
  run(deps: Deps, orgId: string, id: string): Promise<unknown>
}

/** Adds `pause <id>`, `resume <id>`, and `remove <id>` to the command of a mailbox, bot, or widget. */
export function addStateCommands(
  command: Command,
  what: 'mailbox' | 'bot' | 'widget',
  commands: Record<'pause' | 'resume' | 'remove', StateCommand>,
): void {
  const add = (name: keyof typeof commands, done: (id: string) => string) => {
    const { description, run } = commands[name]
    command
      .command(`${name} <id>`)
      .description(description)
      .action(async (id: string) => {
        await withOwner(what, { named: id }, (deps, orgId) => run(deps, orgId, id))
        print(done(id))
      })
  }
  add('pause', (id) => `${id} is paused.`)
  add('resume', (id) => `${id} is active.`)
  add('remove', (id) => `Removed ${id}.`)
}
