import { startDovecot } from './dovecot.ts'
import { startPostfix } from './postfix.ts'

/** A program that starts both servers, says their ports and waits to be killed. */
const dovecot = await startDovecot({ users: { 'ana@customer.test': 'secret' } })
const postfix = await startPostfix({ dovecot })
console.log(JSON.stringify([dovecot.imapsPort, postfix.port]))
await new Promise((resolve) => process.stdin.once('end', resolve))
