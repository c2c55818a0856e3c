import { loadSettings } from './machine/settings-file.ts'

// Before anything else is loaded, because the schema depends on DATABASE_URL.
const args = loadSettings(process.argv.slice(2))
const isServing = args.length === 0 || (args.length === 1 && args[0] === 'serve')
const { run } = await import('./cli/run.ts')

// `serve` starts faster without loading Commander and the other commands.
process.exitCode = await run(async () => {
  if (isServing) await (await import('./cli/serve.ts')).serve()
  else {
    const { runCommand } = await import('./cli/program.ts')
    // As in service.ts: some commands, such as backups, work for long.
    Bun.unsafe.setJITPolicy(1)
    await runCommand(args)
  }
})
