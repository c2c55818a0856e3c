import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '../folder.ts'
import { reservePort, waitForPort } from '../mail/ports.ts'

/** A proxy that spreads requests over the nodes. */
export interface Balancer extends AsyncDisposable {
  url: string
}

/** Both are set up as the guide does it, without TLS. */
const PROXIES = {
  nginx: { configure: nginxFile, command: (file: string) => ['nginx', '-c', file, '-e', 'stderr'] },
  caddy: {
    configure: caddyFile,
    command: (file: string) => ['caddy', 'run', '--config', file, '--adapter', 'caddyfile'],
  },
}

export async function startBalancer(
  program: keyof typeof PROXIES,
  nodes: readonly { url: string }[],
): Promise<Balancer> {
  const { configure, command } = PROXIES[program]
  const folder = temporaryFolder(program)
  const port = reservePort()
  mkdirSync(join(folder, 'home'))
  const file = join(folder, 'configuration')
  writeFileSync(file, configure({ folder, port, hosts: nodes.map(({ url }) => new URL(url).host) }))
  const log = Bun.file(join(folder, 'log'))
  const env = { PATH: process.env.PATH ?? '', HOME: join(folder, 'home') }
  const child = Bun.spawn(command(file), { env, stdout: log, stderr: log })
  await waitForPort(port, () => child.exitCode !== null)
  return {
    url: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      child.kill()
      await child.exited
    },
  }
}

interface Place {
  folder: string
  port: number
  hosts: string[]
}

function nginxFile({ folder, port, hosts }: Place): string {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (what) => `${what}_temp_path ${folder}/${what};`,
  )
  const servers = hosts.map((host) => `server ${host} max_fails=1 fail_timeout=1s;`)
  // What a node doesn't take goes to the next one: a request that it has begun does not, unless it only reads.
  return `daemon off; pid ${folder}/nginx.pid; user root; worker_processes 1; events { worker_connections 8192; }
http {
  access_log off; ${temporary.join(' ')}
  client_max_body_size 0;
  upstream nodes { least_conn; ${servers.join(' ')} keepalive 64; }
  proxy_http_version 1.1;
  proxy_set_header Connection "";
  proxy_set_header Host $http_host;
  proxy_set_header X-Forwarded-For $remote_addr;
  proxy_connect_timeout 2s;
  proxy_next_upstream error timeout http_502 http_503;
  proxy_next_upstream_tries ${hosts.length};
  server {
    listen 127.0.0.1:${port} backlog=4096;
    location / { proxy_pass http://nodes; proxy_request_buffering off; proxy_read_timeout 70s; }
    location ~ ^/(console/live|widget/.*/events)$ { proxy_pass http://nodes; proxy_buffering off; proxy_read_timeout 1h; }
  }
}`
}

function caddyFile({ port, hosts }: Place): string {
  return `{
  admin off
  auto_https off
  grace_period 1s
}
http://127.0.0.1:${port} {
  reverse_proxy ${hosts.join(' ')} {
    lb_policy least_conn
    lb_try_duration 3s
    fail_duration 1s
    health_uri /health/ready
    health_interval 1s
    health_timeout 2s
    flush_interval -1
  }
}
`
}
