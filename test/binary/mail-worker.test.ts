import { expect, test } from 'bun:test'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '../support/folder.ts'
import { multipartMail } from '../support/mail/mail-parser.ts'
import { runProgram } from '../support/program.ts'

const ROOT = join(import.meta.dir, '../..')

test('a program compiled like ours reads mails, with nothing but its own file', async () => {
  const folder = temporaryFolder('compiled')
  const [program, mail, attachments] = ['parse', 'one.eml', 'attachments'].map((name) => join(folder, name))
  if (!program || !mail || !attachments) throw new Error('No paths.')
  mkdirSync(attachments)
  await Bun.write(
    mail,
    multipartMail('mixed', [
      'Content-Type: text/html; charset=koi8-r\r\n\r\n<p onclick=x>Hello</p>',
      'Content-Type: text/csv; name=a.csv\r\n\r\nx',
    ]),
  )
  await build(program)
  const { code, out, err } = await runProgram({ PATH: '' }, [mail, attachments], [program], folder)
  expect([code, err]).toEqual([0, ''])
  expect(JSON.parse(out)).toMatchObject({
    outcome: 'parsed',
    htmlOmitted: null,
    mail: { text: 'Hello', html: '<p>Hello</p>', attachments: [{ name: 'a.csv' }] },
  })
})

/** Runs the command of `bun run build` with a program that reads one mail in place of ours. */
async function build(file: string): Promise<void> {
  const { scripts } = await Bun.file(join(ROOT, 'package.json')).json()
  const [, bundle = ''] = String(scripts.build).split(' && bun ')
  // Paths in the program are relative to the folder of server/main.ts.
  const args = bundle
    .replace('server/main.ts', '--root=server test/support/mail/parse-one.ts')
    .replace('--asset=dist/web ', '')
    .replace('dist/bellhop', file)
    .split(' ')
  const child = Bun.spawn([process.execPath, ...args], { cwd: ROOT, stdout: 'ignore', stderr: 'pipe' })
  const [err, code] = await Promise.all([new Response(child.stderr).text(), child.exited])
  expect([code, code === 0 ? '' : err]).toEqual([0, ''])
}
