import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { buildClients } from '../../release/clients/build.ts'
import { temporaryFolder } from '../support/folder.ts'
import type { Program } from './scenarios.ts'

let built: ReturnType<typeof buildClients> | undefined

/** A folder with nothing but a built client, whose file ends like this. Returns both paths. */
export async function emptyProject(ending: string): Promise<{ folder: string; file: string }> {
  built ??= buildClients(new Date('2026-03-01T09:30:00Z'))
  const client = (await built).find(({ name }) => name.endsWith(ending))
  if (!client) throw new Error(`No client ends with ${ending}.`)
  const folder = temporaryFolder('project')
  const file = join(folder, client.name)
  writeFileSync(file, client.bytes)
  return { folder, file }
}

/** A command that takes a scenario and what it is given, and prints JSON. */
export function programOf(folder: string, command: string[]): Program {
  return {
    async run(scenario, given, settings) {
      const printed = await run(folder, [...command, scenario, JSON.stringify(given)], settings)
      return JSON.parse(printed)
    },
  }
}

/** Runs a command in the folder and returns what it printed. */
export async function run(
  cwd: string,
  command: string[],
  settings: Record<string, string> = {},
): Promise<string> {
  const child = Bun.spawn(command, {
    cwd,
    env: { ...process.env, ...settings },
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [out, err, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ])
  if (code !== 0) throw new Error(`${command.slice(0, 4).join(' ')}: ${out}${err}`)
  return out
}
