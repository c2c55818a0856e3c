import { run } from './cli/run.ts'

const args = process.argv.slice(2)
const isServing = args.length === 0 || (args.length === 1 && args[0] === 'serve')

// The server is on the way to its first answer without loading what only the other commands need.
process.exitCode = await run(async () => {
  if (isServing) await (await import('./cli/serve.ts')).serve()
  else await (await import('./cli/program.ts')).runCommand(args)
})
