import { chownSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

let delivered = 0

/** Creates a Maildir, and the folder above it, owned by the user and group `id`. */
export function makeMaildir(path: string, id: number): void {
  for (const folder of [dirname(path), path, ...['tmp', 'new', 'cur'].map((name) => join(path, name))]) {
    if (existsSync(folder)) continue
    mkdirSync(folder)
    chownSync(folder, id, id)
  }
}

/** Delivers as Maildir prescribes: the mail appears in `new` once it is complete. */
export function putMail(path: string, raw: string | Uint8Array, id: number): void {
  delivered += 1
  const name = `${Math.floor(Date.now() / 1_000)}.P${process.pid}Q${delivered}.bellhop`
  const unfinished = join(path, 'tmp', name)
  writeFileSync(unfinished, raw)
  chownSync(unfinished, id, id)
  renameSync(unfinished, join(path, 'new', name))
}

export function countMails(path: string): number {
  return ['new', 'cur'].reduce((sum, part) => sum + readdirSync(join(path, part)).length, 0)
}

/** Removes what Dovecot remembers of the folder beside its mails. */
export function forgetUids(path: string): void {
  const names = readdirSync(path).filter((name) => /^dovecot[.-](?:uidlist|index)/.test(name))
  for (const name of names) rmSync(join(path, name))
}
