import { join } from 'node:path'
import { temporaryFolder } from './folder.ts'

/** A program that says a line for each thing it has done, until it is killed. */
export interface KilledProgram {
  /** Its file. It loads, waits for the end of its standard input, and only then begins. */
  program: string
  args: string[]
  env: Record<string, string | undefined>
  kills: number
  longestLifeMs: number
  /** Its life counts from the moment it says this; by default, from its first word. */
  firstWord?: string
}

/**
 * Lets the program live again and again, each time until a moment by chance, and answers what it said in each life. The
 * next life loads while this one goes on. The last line may be cut short and is left out.
 */
export async function* killedLives(given: KilledProgram): AsyncGenerator<string[]> {
  const bundled = { ...given, program: await bundle(given) }
  let next = load(bundled)
  try {
    for (let kill = 0; kill < given.kills; kill += 1) {
      const life = next
      next = load(bundled)
      yield await linesUntilKilled(life, given)
    }
  } finally {
    next.kill('SIGKILL')
  }
}

/** Parts without types, comments, and long names, which load in half the time. Returns the path of the first one. */
async function bundle({ program }: KilledProgram): Promise<string> {
  const outdir = temporaryFolder('program')
  const options = { outdir, target: 'bun', minify: true } as const
  await Bun.build({ ...options, entrypoints: [program], splitting: true, naming: { entry: 'program.js' } })
  return join(outdir, 'program.js')
}

function load({ program, args, env }: KilledProgram) {
  return Bun.spawn([process.execPath, program, ...args], { env, stdio: ['pipe', 'pipe', 'inherit'] })
}

async function linesUntilKilled(
  life: ReturnType<typeof load>,
  { longestLifeMs, firstWord = '' }: KilledProgram,
): Promise<string[]> {
  await life.stdin.end()
  let said = ''
  let hasBegun = false
  for await (const chunk of life.stdout) {
    said += Buffer.from(chunk).toString()
    if (hasBegun || !said.includes(firstWord)) continue
    hasBegun = true
    void Bun.sleep(Math.random() * longestLifeMs).then(() => life.kill('SIGKILL'))
  }
  await life.exited
  return said.split('\n').slice(0, -1)
}
