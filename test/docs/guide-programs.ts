import { expect } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startFlakyProxy } from '../clients/flaky-proxy.ts'
import type { Client } from '../support/bellhop.ts'
import { reservePort } from '../support/mail/ports.ts'
import { block } from './page.ts'

export const GUIDE_LANGUAGES = [
  {
    name: 'Python',
    block: 'python',
    command: (file: string) => ['python3', '-u', `${file}.py`],
    ending: 'py',
  },
  {
    name: 'TypeScript',
    block: 'ts',
    command: (file: string) => [process.execPath, `${file}.ts`],
    ending: 'ts',
  },
]

type GuideLanguage = (typeof GUIDE_LANGUAGES)[number]

interface GuideProgram extends AsyncDisposable {
  type(text: string): void
  /** Returns when it has printed exactly this. */
  says(text: string): Promise<void>
  /** Returns when it has warned that it sends a request again. */
  triesAgain(): Promise<void>
  /** Waits for its end; returns what it printed. Throws when it failed. */
  end(): Promise<string>
  /** Throws when it has ended. */
  check(): void
}

interface Given {
  folder: string
  client: Client
  url: string
  CSV?: string
  MODEL?: string
  MODEL_URL?: string
  MODEL_KEY?: string
}

/** Runs the block of a guide with these words as a file. */
export function startGuide(
  language: GuideLanguage,
  words: string,
  { folder, client, url, ...settings }: Given,
): GuideProgram {
  writeFileSync(join(folder, `program.${language.ending}`), block(language.block, words))
  const child = Bun.spawn(language.command('program'), {
    cwd: folder,
    env: {
      PATH: process.env.PATH ?? '',
      BELLHOP: `${url}/v1`,
      BELLHOP_KEY: client.key,
      ...settings,
    },
    stdin: 'pipe',
    stdout: 'pipe',
    stderr: 'pipe',
  })
  let printed = ''
  let problem = ''
  const reading = (async () => {
    for await (const bytes of child.stdout) printed += new TextDecoder().decode(bytes)
  })()
  const failing = (async () => {
    for await (const bytes of child.stderr) problem += new TextDecoder().decode(bytes)
  })()
  const check = () => {
    if (child.exitCode !== null) throw new Error(`The program ended: ${problem}`)
  }
  return {
    type(text) {
      child.stdin.write(text)
      child.stdin.flush()
    },
    async says(text) {
      for (; printed !== text; await Bun.sleep(10)) check()
    },
    async triesAgain() {
      for (; !problem.includes('Trying again'); await Bun.sleep(10)) check()
    },
    async end() {
      await Promise.all([child.exited, reading, failing])
      if (child.exitCode !== 0) throw new Error(problem)
      return printed
    },
    check,
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await child.exited
    },
  }
}

/**
 * Runs the block of a guide while there is no server, and then through a proxy that breaks connections in every way and
 * lets a request pass after each.
 */
export async function startGuideOnBrokenConnections(
  language: GuideLanguage,
  words: string,
  { url, ...given }: Given,
): Promise<GuideProgram> {
  const port = reservePort()
  const program = startGuide(language, words, { ...given, url: `http://127.0.0.1:${port}` })
  await program.triesAgain()
  const proxy = await startFlakyProxy(url, port)
  proxy.faults.push('refused', 'none', 'lost', 'none', 'cut', 'none', { status: 502 }, 'none', {
    status: 503,
  })
  return {
    ...program,
    async [Symbol.asyncDispose]() {
      await program[Symbol.asyncDispose]()
      await proxy.stop()
      expect(proxy.faults).toEqual([])
    },
  }
}
