import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeCertificates } from '../support/certificates.ts'
import { temporaryFolder } from '../support/folder.ts'
import { block } from './page.ts'
import { isListening } from './receivers.ts'

// The configurations of the guides, for one server and for three. Changed are names, ports, and places of files.

const { valid } = await makeCertificates()
/** The value of `BELLHOP_TRUST_PROXY` in the guide. */
export const [, TRUSTED = ''] =
  /BELLHOP_TRUST_PROXY=(\S+)/.exec(
    block('sh', 'BELLHOP_URL=https://help.example.com\nexport BELLHOP_TRUST_PROXY=127'),
  ) ?? []

interface Place {
  folder: string
  port: number
  upstreams: string[]
  /** For clients that know no certificates, and open as many connections from one address as they like. */
  isPlain: boolean
}

export interface Proxy {
  name: string
  program: 'nginx' | 'caddy'
  /** Its configuration file, and the command that runs it in the foreground. */
  configure(place: Place): string
  command(file: string): string[]
}

export const PROXIES: Proxy[] = [
  {
    name: 'nginx',
    program: 'nginx',
    configure({ folder, port, upstreams, isPlain }) {
      const [upstream = ''] = upstreams
      const listen = isPlain
        ? `listen 127.0.0.1:${port} backlog=4096`
        : `listen [::1]:${port} ssl http2; listen 127.0.0.1:${port} ssl http2`
      const code = block('nginx', upstreams.length === 1 ? 'http://127.0.0.1:3000' : 'least_conn')
      const server = replaceHosts(code, upstreams)
        .replace('listen 443 ssl http2', listen)
        .replace(isPlain ? /ssl_certificate.*|limit_conn bellhop.*/g : '', '')
        .replace('server_name help.example.com', 'server_name localhost')
        .replaceAll('/etc/ssl/help.example.com', join(folder, 'certificate'))
        // As in front of a server that doesn't compress, so that nginx does.
        .replace('http://127.0.0.1:3000;', `${upstream}; proxy_set_header Accept-Encoding "";`)
      const places = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
        (what) => `${what}_temp_path ${folder}/${what};`,
      )
      return `daemon off; pid ${folder}/nginx.pid; error_log stderr; user root;
        events { worker_connections 8192; }
        http { access_log off; ${places.join(' ')}
        gzip on; gzip_types application/json; gzip_min_length 1; ${server} }`
    },
    command: (file) => ['nginx', '-c', file, '-e', 'stderr'],
  },
  {
    name: 'Caddy',
    program: 'caddy',
    configure({ folder, port, upstreams, isPlain }) {
      const [upstream = ''] = upstreams
      const file = join(folder, 'certificate')
      const code = block('caddyfile', upstreams.length === 1 ? '127.0.0.1:3000' : 'least_conn')
      return (
        replaceHosts(code, upstreams)
          .replace('{', '{\n  admin off\n  auto_https disable_redirects')
          // Streams of tests may still be open.
          .replace('grace_period 10s', 'grace_period 1s')
          .replace(
            'help.example.com {',
            isPlain
              ? `http://127.0.0.1:${port} {`
              : `https://localhost:${port} {\n  tls ${file}.pem ${file}.key\n  encode gzip`,
          )
          .replace('127.0.0.1:3000', new URL(upstream).host)
      )
    },
    command: (file) => ['caddy', 'run', '--config', file, '--adapter', 'caddyfile'],
  },
]

/** Several servers have these addresses in the guide. */
function replaceHosts(code: string, upstreams: string[]): string {
  return upstreams.reduce(
    (text, upstream, each) => text.replaceAll(`10.0.0.${11 + each}:3000`, new URL(upstream).host),
    code,
  )
}

/** Waits until it listens on the port. */
export async function startProxy(
  { configure, command }: Proxy,
  port: number,
  upstreams: string[],
  { isPlain = false } = {},
) {
  const folder = temporaryFolder('proxy')
  mkdirSync(join(folder, 'home'))
  writeFileSync(join(folder, 'certificate.pem'), valid.cert)
  writeFileSync(join(folder, 'certificate.key'), valid.key)
  const file = join(folder, 'proxy.conf')
  writeFileSync(file, configure({ folder, port, upstreams, isPlain }))
  const log = join(folder, 'log')
  const output = Bun.file(log)
  const env = { PATH: process.env.PATH ?? '', HOME: join(folder, 'home') }
  const child = Bun.spawn(command(file), { env, stdout: output, stderr: output })
  while (child.exitCode === null && !(await isListening(port))) await Bun.sleep(10)
  if (child.exitCode !== null) throw new Error(await Bun.file(log).text())
  return {
    async stop() {
      child.kill()
      await child.exited
    },
  }
}
